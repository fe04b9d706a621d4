#include "cuda/shap/shap_model.h"

#include <algorithm>
#include <utility>

#include "common/parallel_for.h"
#include "cuda/common/memory_plan.h"
#include "cuda/predictor/device_storage_rows.h"
#include "cuda/shap/shap_session.h"
#include "predictor/cover.h"
#include "predictor/output_width.h"

namespace kauri::cuda {
namespace {

std::size_t At(std::int64_t index) { return static_cast<std::size_t>(index); }

bool IsSame(TreeRange a, TreeRange b) { return a.begin == b.begin && a.end == b.end; }

bool IsApprox(PredictKind kind) {
  return kind == PredictKind::kApproxContribution || kind == PredictKind::kApproxInteraction;
}

/// ExpectedMargins on all threads: the same sums in the same order.
std::vector<double> Expected(Context const& ctx, Forest const& forest, TreeRange trees) {
  std::vector<double> of_tree(At(trees.end - trees.begin));
  ParallelFor(ctx, trees.end - trees.begin,
              [&](std::int64_t t) { of_tree[At(t)] = NodeMeans(forest, trees.begin + t)[0]; });
  std::vector<double> expected(At(forest.n_outputs), 0.0);
  for (std::size_t t = 0; t < of_tree.size(); ++t) {
    expected[At(forest.output_of_tree[At(trees.begin) + t])] += of_tree[t];
  }
  return expected;
}

}  // namespace

ShapModel::ShapModel(DeviceForest const& forest) : forest_(forest), stream_(forest.DeviceOrdinal()) {}

ShapModel::~ShapModel() = default;

std::shared_ptr<ShapModel::RangeFacts const> ShapModel::Facts(Context const& ctx, TreeRange trees) const {
  forest_.RequireCover();
  std::lock_guard<std::mutex> const lock(mutex_);
  if (facts_ == nullptr || !IsSame(facts_->trees, trees)) {
    auto const expected = Expected(ctx, forest_, trees);
    auto const& cuda = stream_.Context();
    RangeFacts facts{trees, ShapScale(forest_, trees), ToDevice(cuda, expected)};
    cuda.Synchronize();  // for `expected`; other streams read the copy
    facts_ = std::make_shared<RangeFacts const>(std::move(facts));
  }
  return facts_;
}

std::shared_ptr<ShapModel::PackedRange const> ShapModel::Paths(Context const& ctx, TreeRange trees,
                                                               BinPacking packing) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (paths_ == nullptr || !IsSame(paths_->trees, trees) || paths_->packing != packing) {
    paths_ = nullptr;
    auto const packed = PackPaths(ctx, forest_, trees, packing);
    paths_ = std::make_shared<PackedRange const>(PackedRange{trees, packing, {stream_.Context(), packed}});
  }
  return paths_;
}

std::shared_ptr<DeviceProgram const> ShapModel::Program(Context const& ctx, bool with_pairs) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& program = with_pairs ? pair_program_ : program_;
  if (program == nullptr) {
    program = std::make_shared<DeviceProgram const>(stream_.Context(), CompileShapProgram(ctx, forest_, with_pairs));
  }
  return program;
}

std::shared_ptr<DeviceMeans const> ShapModel::Means(Context const& ctx) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (means_ == nullptr) means_ = std::make_shared<DeviceMeans const>(ctx, stream_.Context(), forest_);
  return means_;
}

/// Of a row's keys and sums.
std::int64_t ShapModel::BytesPerRow(PredictKind kind) const {
  ShapCells const cells{forest_.NumSlots(), kind == PredictKind::kInteraction};
  return 4 * forest_.NumSlots() + 8 * forest_.n_outputs * cells.Count() + 1;
}

std::int64_t ShapModel::Width(ShapTask const& task) const {
  return OutputWidth(forest_.n_outputs, forest_.n_features, task.kind, task.trees);
}

void ShapModel::Explain(Context const& ctx, CudaContext const& cuda, ShapOptions const& options,
                        ShapTask const& task) const {
  auto const facts = Facts(ctx, task.trees);
  auto const budget = static_cast<std::int64_t>(FreeBytes(cuda) / 4);
  auto const tile_rows = std::max<std::int64_t>(1, budget / BytesPerRow(task.kind));
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
  Buffer<std::int32_t> const key_memory(cuda, At(n_rows * n_slots));
  RowKeys const keys{key_memory.data(), n_rows, by_lanes ? 1 : n_slots, by_lanes ? n_rows : 1};
  auto const view = forest_.View();
  ReadRowKeys(cuda, view, task.rows, keys);
  ShapOutput const output{task.out,
                          n_rows,
                          forest_.n_features,
                          forest_.n_outputs,
                          task.start,
                          task.start_is_of_row,
                          facts.expected.data(),
                          view.slot_of_feature,
                          view.n_mapped_features};
  if (IsApprox(task.kind)) {
    Buffer<double> const sums(cuda, At(n_rows * forest_.n_outputs * n_slots));
    FillZero(cuda, sums.data(), sums.size());
    Means(ctx)->Add(cuda, keys, view.categories, task.trees, sums.data());
    return WriteApproxValues(cuda, sums.data(), n_slots, IsOfPairs(task.kind), output);
  }
  ShapCells const cells{n_slots, IsOfPairs(task.kind)};
  ShapSums const sums(cuda, n_rows, forest_.n_outputs, cells, by_lanes ? ShapLayout::kRowMinor : ShapLayout::kRowMajor,
                      facts.scale);
  sums.Clear(cuda);
  if (options.method == ShapMethod::kQuadrature) {
    Program(ctx, cells.are_pairs)->Add(cuda, keys, task.trees, sums.View());
    WriteShapValues(cuda, sums.View(), output);
  } else {
    auto const paths = Paths(ctx, task.trees, options.packing);
    paths->paths.Add(cuda, keys, sums.View());
    WriteShapValues(cuda, sums.View(), output);
    cuda.Synchronize();  // for `paths`, which a call for another range replaces
  }
}

std::unique_ptr<OwnedFloats> ShapModel::ExplainDeviceRows(Context const& ctx, ShapOptions const& options,
                                                          DeviceShapTask const& task) const {
  auto const device = forest_.DeviceOrdinal();
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
