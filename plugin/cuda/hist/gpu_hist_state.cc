#include "cuda/hist/gpu_hist_state.h"

#include "cuda/common/memory_plan.h"
#include "cuda/hist/histogram/row_ones.h"
#include "cuda/hist/shares/share_rows.h"

namespace kauri::cuda {

void LevelRequest::Clear() {
  histogram_nodes.clear();
  pairs.clear();
  searched.clear();
  allowed.clear();
  noise_keys.clear();
  nodes.clear();
  wanted.clear();
}

void HistOnDevice::TakeBins(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made) {
  bins = std::move(made);
  min_values = ToDevice(cuda, bins->cuts->min_values);
  counts_rows = false;
  ones = Buffer<FixedPair>();
  histograms.Resize(cuda, bins->n_sums);
  categorical.clear();
  std::vector<std::uint8_t> marks(bins->features.size(), 0);
  for (std::uint32_t feature = 0; feature < marks.size(); ++feature) {
    if (!bins->cuts->IsCategorical(feature)) continue;
    categorical.push_back(feature);
    marks[feature] = 1;
  }
  is_shared = false;
  n_own_rows = bins->n_rows;
  rows.TakeBins(cuda, *bins, n_own_rows);
  records.TakeBins(cuda, *bins);
  few_rows.TakeBins(cuda, *bins);
  is_categorical = categorical.empty() ? Buffer<std::uint8_t>() : ToDevice(cuda, marks);
  cuda.Synchronize();  // for the copies, whose sources go
}

void HistOnDevice::ShareRows(CudaContext const& cuda, std::vector<int> const& devices, std::int64_t fewest) {
  if (is_shared) return;
  n_own_rows = kauri::cuda::ShareRows(cuda, *bins, {devices, fewest}, &shares);
  rows.TakeFirst(n_own_rows);
  is_shared = true;
}

void HistOnDevice::AddHostRows(CudaContext const& cuda, DeviceBins const& whole) {
  ShardRange const on_host{bins->n_rows, whole.n_rows - bins->n_rows};
  shares.push_back(std::make_unique<HistShare>(cuda.device, cuda.device, on_host));
  shares.back()->ReadBins(whole);
  shares.back()->Wait();
}

void HistOnDevice::BeginTree(CudaContext const& cuda, bool count) {
  if (count == counts_rows) return histograms.Reset(cuda);
  auto const n_rows = static_cast<std::size_t>(bins->n_rows);
  if (count) RequireMemory(cuda, "counts of rows", {{"ones", n_rows * sizeof(FixedPair)}});
  ones = count ? MakeOnes(cuda, n_rows) : Buffer<FixedPair>();
  histograms.Resize(cuda, (count ? 2 : 1) * std::size_t{bins->n_sums});
  counts_rows = count;
}

FindTask HistOnDevice::FindTaskOf(GainParam const& gain) const {
  FindTask find{};
  find.gain = gain;
  find.features = bins->device_features.data();
  find.cut_values = bins->cut_values.data();
  find.min_values = min_values.data();
  find.is_categorical = is_categorical.data();
  return find;
}

}  // namespace kauri::cuda
