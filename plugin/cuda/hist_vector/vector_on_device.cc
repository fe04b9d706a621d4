#include "cuda/hist_vector/vector_on_device.h"

namespace kauri::cuda {

VectorOnDevice::VectorOnDevice(CudaContext const& cuda, DeviceBins const& from, ShardDevices const& wanted)
    : bins(from),
      devices(wanted.devices),
      n_own_rows(ShardRows(cuda, from, wanted, &shards)),
      table_ready(cuda.device) {
  rows.TakeBins(cuda, from, n_own_rows);
}

void VectorOnDevice::Resize(CudaContext const& cuda, std::int64_t n_sums_of_row) {
  n_sums = n_sums_of_row;
  histograms.Resize(cuda, bins.n_cells * ToSize(n_sums_of_row));
}

}  // namespace kauri::cuda
