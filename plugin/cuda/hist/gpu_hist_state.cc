#include "cuda/hist/gpu_hist_state.h"

#include "cuda/common/memory_plan.h"
#include "cuda/hist/histogram/row_ones.h"

namespace kauri::cuda {

void LevelRequest::Clear() {
  splits.clear();
  category_bits.clear();
  histogram_nodes.clear();
  pairs.clear();
  searched.clear();
  allowed.clear();
  nodes.clear();
}

void HistOnDevice::TakeBins(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made) {
  bins = std::move(made);
  min_values = ToDevice(cuda, bins->cuts->min_values);
  ones = Buffer<FixedPair>();
  histograms.Resize(cuda, bins->n_sums);
  categorical.clear();
  std::vector<FeaturePlace> of_feature;
  std::vector<std::uint8_t> marks(bins->features.size(), 0);
  for (std::uint32_t feature = 0; feature < marks.size(); ++feature) {
    of_feature.push_back(PlaceOf(*bins, feature));
    if (!bins->cuts->IsCategorical(feature)) continue;
    categorical.push_back(feature);
    marks[feature] = 1;
  }
  places = ToDevice(cuda, of_feature);
  is_categorical = categorical.empty() ? Buffer<std::uint8_t>() : ToDevice(cuda, marks);
  cuda.Synchronize();  // for the copies, whose sources go
}

void HistOnDevice::BeginTree(CudaContext const& cuda, bool counts_rows) {
  if (counts_rows == CountsRows()) return histograms.Reset(cuda);
  auto const n_rows = static_cast<std::size_t>(bins->n_rows);
  if (counts_rows) RequireMemory(cuda, "counts of rows", {{"ones", n_rows * sizeof(FixedPair)}});
  ones = counts_rows ? MakeOnes(cuda, n_rows) : Buffer<FixedPair>();
  histograms.Resize(cuda, (counts_rows ? 2 : 1) * std::size_t{bins->n_sums});
}

}  // namespace kauri::cuda
