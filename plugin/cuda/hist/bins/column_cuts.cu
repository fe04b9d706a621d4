#include <algorithm>

#include "cuda/hist/bins/column_cuts.h"
#include "cuda/hist/bins/column_keys.h"
#include "cuda/hist/bins/column_sorter.h"
#include "cuda/hist/bins/pick_cuts.cuh"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

/// Returns the unit of weights, or a placeholder if rows have no weights and the unit is unused.
WeightUnit WeightUnitOf(CutTask const& task) { return task.unit ? *task.unit : WeightUnit(1.0F, 1); }

/// Cuts one chunk after the other in the same memory.
class ChunkCutter {
 public:
  ChunkCutter(CudaContext const& cuda, ColumnCutPlan const& plan)
      : cuda_(cuda),
        plan_(plan),
        weights_(cuda, plan.weights.size()),
        sorter_(cuda, plan.task.n_rows, plan.columns_per_chunk, weights_.data(), WeightUnitOf(plan.task)),
        cuts_(cuda, ToSize(plan.columns_per_chunk * plan.most_cuts)),
        n_cuts_(cuda, ToSize(plan.columns_per_chunk)) {
    CopyToDevice(cuda, plan.weights.data(), plan.weights.size(), weights_.data());
    FillZero(cuda, cuts_.data(), cuts_.size());  // the host reads the whole array, including places without a cut
  }

  void Cut(std::int64_t first_col, std::int64_t n_cols, DeviceRowParts* rows, std::vector<FeatureCuts>* features) {
    auto const summaries = ToDevice(cuda_, std::vector<ColumnSummary>(ToSize(n_cols)));
    KeysTask const task{plan_.task.n_rows,        n_cols,         weights_.data(),
                        WeightUnitOf(plan_.task), sorter_.Keys(), summaries.data()};
    rows->ForEach(first_col, n_cols,
                  [&](CudaContext const& cuda, RowPart const& part) { WriteKeys(cuda, part, task); });
    auto const sorted = ToDevice(cuda_, sorter_.Sort(n_cols));
    PickCutsTask const pick{summaries.data(), n_cols,       plan_.task.n_rows, plan_.task.max_bin,
                            plan_.most_cuts,  cuts_.data(), n_cuts_.data()};
    PickCuts(cuda_, sorted.data(), pick);
    AppendFeatures(cuda_, pick, features);
  }

 private:
  CudaContext cuda_;
  ColumnCutPlan const& plan_;
  Buffer<float> weights_;
  ColumnSorter sorter_;
  Buffer<float> cuts_;
  Buffer<std::uint32_t> n_cuts_;
};

}  // namespace

std::vector<MemoryPart> ColumnCutPlan::Memory() const {
  auto const has_weights = !weights.empty();
  auto const n = ToSize(columns_per_chunk);
  return {{"keys", n * ColumnSorter::BytesPerColumn(task.n_rows, has_weights)},
          {"sorting", ColumnSorter::OtherBytes(task.n_rows, has_weights)},
          {"weights", sizeof(float) * weights.size()},
          {"cuts", n * (sizeof(float) * ToSize(most_cuts) + sizeof(ColumnSummary) + sizeof(SortedKeys))}};
}

ColumnCutPlan PlanCuts(CutTask const& task, Span<float const> weights, std::int64_t n_cols, std::size_t key_bytes) {
  ColumnCutPlan plan;
  plan.task = task;
  plan.weights = weights;
  plan.n_cols = n_cols;
  plan.most_cuts = std::max<std::int64_t>(1, std::min<std::int64_t>(task.max_bin - 1, task.n_rows));
  auto const per_column = std::max<std::size_t>(1, ColumnSorter::BytesPerColumn(task.n_rows, !weights.empty()));
  auto const fitting = std::max<std::int64_t>(1, static_cast<std::int64_t>(key_bytes / per_column));
  auto const n_chunks = std::max<std::int64_t>(1, (n_cols + fitting - 1) / fitting);
  plan.columns_per_chunk = (n_cols + n_chunks - 1) / n_chunks;
  return plan;
}

std::vector<FeatureCuts> CountColumns(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_cols,
                                      DeviceRowParts* rows) {
  auto const summaries = ToDevice(cuda, std::vector<ColumnSummary>(ToSize(n_cols)));
  KeysTask const task{n_rows, n_cols, nullptr, WeightUnit(1.0F, 1), nullptr, summaries.data()};
  rows->ForEach(0, n_cols, [&](CudaContext const& stream, RowPart const& part) { WriteKeys(stream, part, task); });
  std::vector<FeatureCuts> features;
  for (auto const& summary : ToHost(cuda, summaries.data(), ToSize(n_cols))) {
    FeatureCuts feature;
    feature.n_values = static_cast<std::int64_t>(summary.n_values);
    if (feature.n_values > 0) feature.min = FromKey(summary.least);
    if (feature.n_values > 0) feature.max = FromKey(summary.largest);
    features.push_back(std::move(feature));
  }
  return features;
}

std::vector<FeatureCuts> MakeColumnCuts(CudaContext const& cuda, ColumnCutPlan const& plan, DeviceRowParts* rows) {
  std::vector<FeatureCuts> features;
  if (plan.n_cols == 0) return features;
  ChunkCutter cutter(cuda, plan);
  for (std::int64_t first = 0; first < plan.n_cols; first += plan.columns_per_chunk) {
    cutter.Cut(first, std::min(plan.columns_per_chunk, plan.n_cols - first), rows, &features);
  }
  return features;
}

}  // namespace kauri::cuda
