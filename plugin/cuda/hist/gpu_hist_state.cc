#include "cuda/hist/gpu_hist_state.h"

#include <utility>

namespace kauri::cuda {

void LevelRequest::Clear() {
  histogram_nodes.clear();
  pairs.clear();
  searched.clear();
  scored.clear();
  allowed.clear();
  noise_keys.clear();
  nodes.clear();
  wanted.clear();
}

void HistOnDevice::TakeBins(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made) {
  bins = std::move(made);
  histograms.TakeBins(cuda, *bins);
  rows.TakeBins(cuda, *bins);
  few_rows.TakeBins(cuda, *bins);
}

}  // namespace kauri::cuda
