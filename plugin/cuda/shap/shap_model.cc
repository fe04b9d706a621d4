#include "cuda/shap/shap_model.h"

#include <algorithm>

#include "cuda/common/memory_plan.h"
#include "cuda/forest/host_rows.h"
#include "predictor/predictors.h"
#include "predictor/shap/quadrature_forest.h"

namespace kauri::cuda {
namespace {

bool IsApprox(PredictKind kind) {
  return kind == PredictKind::kApproxContribution || kind == PredictKind::kApproxInteraction;
}

/// Returns whether rows of the matrices add up to the values of features.
bool AddsUpToValues(PredictKind kind) {
  return kind == PredictKind::kInteraction || kind == PredictKind::kBanzhafInteraction;
}

}  // namespace

ShapModel::ShapModel(DeviceForest const& forest)
    : on_device_(forest), forest_(forest.OnHost()), parts_(forest), idle_(forest.DeviceOrdinal()) {}

ShapCells ShapModel::CellsOf(Context const& ctx, PredictKind kind) const {
  auto const are_pairs = IsOfPairs(kind) && !IsApprox(kind);
  return {forest_.n_outputs, forest_.NumSlots(), are_pairs ? parts_.Pairs(ctx)->OnHost().NumPairs() : 0};
}

std::int64_t ShapModel::BytesPerRow(Context const& ctx, PredictKind kind) const {
  return 4 * forest_.NumSlots() + 8 * CellsOf(ctx, kind).Count() + 1;
}

std::int64_t ShapModel::Width(ShapTask const& task) const {
  if (task.entries != nullptr) return task.entries->View().row_floats;
  return OutputWidth(forest_.n_outputs, forest_.n_features, task.kind, task.trees);
}

void ShapModel::Explain(Context const& ctx, CudaContext const& cuda, ShapOptions const& options,
                        ShapTask const& task) const {
  auto const facts = parts_.Facts(ctx, task.trees);
  auto const budget = options.tile_bytes > 0 ? options.tile_bytes : static_cast<std::int64_t>(FreeBytes(cuda) / 4);
  auto const tile_rows = std::max<std::int64_t>(1, budget / BytesPerRow(ctx, task.kind));
  for (std::int64_t begin = 0; begin < task.rows.n_rows; begin += tile_rows) {
    auto tile = task;
    tile.rows = RowsFrom(task.rows, begin, std::min(task.rows.n_rows, begin + tile_rows));
    tile.out += begin * Width(task);
    if (task.start_is_of_row) tile.start += begin * forest_.n_outputs;
    ExplainTile(ctx, cuda, options, tile, *facts);
  }
  cuda.Synchronize();  // for `facts`, which a call for another range replaces
}

void ShapModel::ExplainTile(Context const& ctx, CudaContext const& cuda, ShapOptions const& options,
                            ShapTask const& task, RangeFacts const& facts) const {
  auto const n_rows = task.rows.n_rows;
  auto const n_slots = forest_.NumSlots();
  auto const by_lanes = options.method == ShapMethod::kQuadrature || IsApprox(task.kind);
  Buffer<std::int32_t> const key_memory(cuda, ToSize(n_rows * n_slots));
  RowKeys const keys{key_memory.data(), n_rows, by_lanes ? 1 : n_slots, by_lanes ? n_rows : 1};
  auto const view = on_device_.View();
  ReadRowKeys(cuda, view, task.rows, keys);
  ShapOutput const output{task.out,
                          n_rows,
                          forest_.n_features,
                          forest_.n_outputs,
                          task.start,
                          task.start_is_of_row,
                          facts.expected.data(),
                          view.slot_of_feature,
                          view.n_mapped_features,
                          facts.ranges.data()};
  if (IsApprox(task.kind)) {
    Buffer<double> const sums(cuda, ToSize(n_rows * forest_.n_outputs * n_slots));
    FillZero(cuda, sums.data(), sums.size());
    parts_.Means(ctx)->Add(cuda, keys, view.categories, task.trees, sums.data());
    return WriteApproxValues(cuda, sums.data(), n_slots, IsOfPairs(task.kind), output);
  }
  ShapSums const sums(cuda, n_rows, CellsOf(ctx, task.kind), by_lanes ? ShapLayout::kRowMinor : ShapLayout::kRowMajor,
                      kUnitsOfRange, facts.units.data());
  sums.Clear(cuda);
  AddTrees(ctx, cuda, options, task, keys, sums);
  auto const entries =
      task.entries != nullptr ? task.entries->View() : parts_.Entries(ctx, IsOfPairs(task.kind))->View();
  auto const diagonal = AddsUpToValues(task.kind) ? parts_.Pairs(ctx)->OfSlots() : PairsOfSlotsView{nullptr, nullptr};
  WriteShapValues(cuda, sums.View(), entries, diagonal, output);
}

void ShapModel::AddTrees(Context const& ctx, CudaContext const& cuda, ShapOptions const& options, ShapTask const& task,
                         RowKeys const& keys, ShapSums const& sums) const {
  auto const are_pairs = IsOfPairs(task.kind);
  if (options.method == ShapMethod::kTreeShap) {
    auto const paths = parts_.Paths(ctx, task.trees, options.packing);
    paths->paths.Add(cuda, keys, sums.View(), are_pairs ? parts_.PairTable(ctx)->data() : nullptr);
    cuda.Synchronize();  // for `paths`, which a call for another range replaces
  } else if (task.kind == PredictKind::kTaylorInteraction) {
    parts_.Program(ctx, Semivalue::kTaylorPairs, true)->Add(cuda, keys, task.trees, sums.View());
    sums.ClearSlots(cuda);  // discards the features' own sums by that rule; the diagonal has another rule
    parts_.Program(ctx, Semivalue::kTaylorAlone, false)->Add(cuda, keys, task.trees, sums.View());
  } else {
    parts_.Program(ctx, GoalOf(task.kind).semivalue, are_pairs)->Add(cuda, keys, task.trees, sums.View());
  }
}

std::unique_ptr<OwnedFloats> ShapModel::ExplainDeviceRows(Context const& ctx, ShapOptions const& options,
                                                          DeviceShapTask const& task) const {
  if (options.method == ShapMethod::kTreeShap) CheckTreeShapComputes(task.kind);
  auto const device = on_device_.DeviceOrdinal();
  DeviceScope const scope(device);
  auto const rows = RowsOn({device, nullptr}, task.rows);
  auto const width = OutputWidth(forest_.n_outputs, forest_.n_features, task.kind, task.trees);
  auto result = std::make_unique<OwnedFloats>(device, rows.n_rows * width);
  auto const& given = task.start.of_row.empty() ? task.start.of_output : task.start.of_row;
  Buffer<float> const start(result->Cuda(), given.size());
  CopyToDevice(result->Cuda(), given.data(), given.size(), start.data());
  Explain(ctx, result->Cuda(), options,
          {rows, task.kind, task.trees, start.data(), !task.start.of_row.empty(), result->Values().data()});
  return result;
}

}  // namespace kauri::cuda
