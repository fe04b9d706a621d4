#include "cuda/hist/shards/row_shard.h"

#include "cuda/common/peer.h"

namespace kauri::cuda {

RowShard::RowShard(int device, int main, ShardRange rows) : stream_(device), main_(main), place_(rows), done_(device) {
  DeviceScope const scope(device);
  ReachEachOther(device, main);
}

RowShard::~RowShard() { done_.WaitQuietly(); }

void RowShard::TakeBins(DeviceBins const& from) {
  DeviceScope const scope(Cuda().device);
  bins_ = DeviceBins();  // first: their successors take as much memory
  Cuda().Synchronize();  // for the last tree's end: memory counts as used until the stream has freed it
  bins_ = CopyBins(Cuda(), main_, from, place_);
  rows_.TakeBins(Cuda(), bins_, bins_.n_rows);
}

void RowShard::ReadBins(DeviceBins const& from) {
  DeviceScope const scope(Cuda().device);
  bins_ = BorrowBins(Cuda(), from, place_);
  rows_.TakeBins(Cuda(), bins_, bins_.n_rows);
}

void RowShard::BeginTree(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled) {
  DeviceScope const scope(Cuda().device);
  done_.Wait();  // for the last tree, which read the buffers that are overwritten now
  ready.HoldBack(Cuda());
  Span<std::uint8_t const> own;
  if (!sampled.empty()) {
    sampled_.Reserve(Cuda(), ToSize(place_.count));
    CopyFromDevice(Cuda(), main.device, sampled.data() + place_.first, ToSize(place_.count), sampled_.data());
    own = {sampled_.data(), ToSize(place_.count)};
  }
  leaf_of_row_.Reserve(Cuda(), ToSize(place_.count));
  rows_.Reset(Cuda(), {leaf_of_row_.data(), ToSize(place_.count)}, own);
}

void RowShard::BeginTree(ShardInput const& input) {
  DeviceScope const scope(Cuda().device);
  done_.Wait();  // for the last tree
  input.ready->HoldBack(Cuda());
  rows_.Reset(Cuda(), input.leaf_of_row, input.sampled);
}

void RowShard::WriteLeavesHere(std::int32_t* leaf_of_row) {
  DeviceScope const scope(Cuda().device);
  rows_.WriteLeaves(Cuda(), leaf_of_row);
  Finish();
}

void RowShard::WriteLeaves(ShardInput const& input) {
  WriteLeavesHere(input.leaf_of_row.data());
  done_.HoldBack(input.cuda);
}

void RowShard::WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row) {
  WriteLeavesHere(leaf_of_row_.data());
  done_.HoldBack(main);
  CopyFromDevice(main, Cuda().device, leaf_of_row_.data(), ToSize(place_.count), leaf_of_row.data() + place_.first);
}

}  // namespace kauri::cuda
