#include "cuda/hist/bins/pick_cuts.h"
#include "cuda/hist/bins/pick_kernel.cuh"
#include "cuda/hist/bins/warp_boundaries.cuh"

namespace kauri::cuda {
namespace {

struct KeyColumns {
  SortedKeys const* sorted;

  __device__ WarpBoundaries Of(std::int64_t col, ColumnSummary const& summary) const {
    return WarpBoundaries(sorted[col], summary.n_keys);
  }
};

std::size_t Size(std::int64_t n) { return static_cast<std::size_t>(n); }

FeatureCuts ToFeature(ColumnSummary const& summary, float const* cuts, std::uint32_t n_cuts) {
  FeatureCuts feature;
  feature.n_values = static_cast<std::int64_t>(summary.n_values);
  if (feature.n_values == 0) return feature;
  feature.min = FromKey(summary.least);
  feature.max = FromKey(summary.largest);
  feature.values.assign(cuts, cuts + n_cuts);
  return feature;
}

}  // namespace

void PickCuts(CudaContext const& cuda, SortedKeys const* sorted, PickCutsTask const& task) {
  PickFrom(cuda, KeyColumns{sorted}, task);
}

void AppendFeatures(CudaContext const& cuda, PickCutsTask const& task, std::vector<FeatureCuts>* features) {
  auto const n_cuts = ToHost(cuda, task.n_cuts, Size(task.n_cols));
  auto const summaries = ToHost(cuda, task.summaries, Size(task.n_cols));
  auto const cuts = ToHost(cuda, task.cuts, Size(task.n_cols * task.most_cuts));
  for (std::size_t col = 0; col < Size(task.n_cols); ++col) {
    features->push_back(ToFeature(summaries[col], cuts.data() + col * Size(task.most_cuts), n_cuts[col]));
  }
}

}  // namespace kauri::cuda
