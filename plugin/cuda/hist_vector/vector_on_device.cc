#include "cuda/hist_vector/vector_on_device.h"

namespace kauri::cuda {

VectorOnDevice::VectorOnDevice(CudaContext const& cuda, DeviceBins const& from, ShareDevices const& wanted)
    : bins(from),
      devices(wanted.devices),
      n_own_rows(ShareRows(cuda, from, wanted, &shares)),
      table_ready(cuda.device),
      min_values(ToDevice(cuda, from.cuts->min_values)) {
  rows.TakeBins(cuda, from, n_own_rows);
  for (std::int64_t feature = 0; feature < bins.NumCols(); ++feature) {
    if (bins.cuts->IsCategorical(feature)) categorical.push_back(static_cast<std::uint32_t>(feature));
  }
  if (categorical.empty()) return;
  std::vector<std::uint8_t> marks(bins.features.size(), 0);
  for (auto const feature : categorical) marks[feature] = 1;
  is_categorical = ToDevice(cuda, marks);
}

void VectorOnDevice::Resize(CudaContext const& cuda, std::int64_t n_sums_of_row) {
  n_sums = n_sums_of_row;
  histograms.Resize(cuda, bins.n_cells * ToSize(n_sums_of_row));
}

}  // namespace kauri::cuda
