#include "cuda/hist/row_state.h"

namespace kauri::cuda {

void RowState::TakeBins(CudaContext const& cuda, DeviceBins const& bins) {
  is_sharded = false;
  n_own = bins.n_rows;
  own.TakeBins(cuda, bins, n_own);
  records.TakeBins(cuda, bins);
}

void RowState::Shard(CudaContext const& cuda, DeviceBins const& bins, ShardDevices const& among) {
  if (is_sharded) return;
  n_own = ShardRows(cuda, bins, among, &shards);
  own.TakeFirst(n_own);
  is_sharded = true;
}

void RowState::AddHostRows(CudaContext const& cuda, DeviceBins const& bins, DeviceBins const& whole) {
  ShardRange const on_host{bins.n_rows, whole.n_rows - bins.n_rows};
  shards.push_back(std::make_unique<HistShard>(cuda.device, cuda.device, on_host));
  shards.back()->ReadBins(whole);
  shards.back()->Wait();
}

}  // namespace kauri::cuda
