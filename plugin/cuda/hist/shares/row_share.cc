#include "cuda/hist/shares/row_share.h"

#include <algorithm>

#include "cuda/common/peer.h"

namespace kauri::cuda {
namespace {

DeviceBins CopyTo(CudaContext const& cuda, CudaContext const& main, DeviceBins const& from, RowsOfShare rows) {
  DeviceScope const scope(cuda.device);
  ReachEachOther(cuda.device, main.device);
  return CopyBins(cuda, main.device, from, rows);
}

}  // namespace

RowShare::RowShare(int device, CudaContext const& main, DeviceBins const& from, RowsOfShare rows)
    : stream_(device), place_(rows), bins_(CopyTo(stream_.Context(), main, from, rows)), done_(device) {
  DeviceScope const scope(device);
  rows_.TakeBins(Cuda(), bins_, bins_.n_rows);
  leaf_of_row_ = Buffer<std::int32_t>(Cuda(), ToSize(place_.count));
}

RowShare::~RowShare() { done_.WaitQuietly(); }

void RowShare::BeginTree(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled) {
  DeviceScope const scope(Cuda().device);
  done_.Wait();  // for the last tree, which read what is written now
  ready.HoldBack(Cuda());
  Span<std::uint8_t const> own;
  if (!sampled.empty()) {
    sampled_.Reserve(Cuda(), ToSize(place_.count));
    CopyFromDevice(Cuda(), main.device, sampled.data() + place_.first, ToSize(place_.count), sampled_.data());
    own = {sampled_.data(), ToSize(place_.count)};
  }
  rows_.Reset(Cuda(), own, &request_);
}

void RowShare::WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row) {
  {
    DeviceScope const scope(Cuda().device);
    rows_.WriteLeaves(Cuda(), &of_walk_, leaf_of_row_.data());
    Finish();
  }
  done_.HoldBack(main);
  CopyFromDevice(main, Cuda().device, leaf_of_row_.data(), ToSize(place_.count), leaf_of_row.data() + place_.first);
}

std::vector<RowsOfShare> CutRows(std::int64_t n_rows, std::size_t n_devices) {
  std::vector<RowsOfShare> shares;
  auto const n = static_cast<std::int64_t>(n_devices);
  for (std::int64_t i = 0; i < n; ++i) {
    auto const first = n_rows / n * i + std::min(i, n_rows % n);
    shares.push_back({first, n_rows / n + (i < n_rows % n ? 1 : 0)});
  }
  return shares;
}

std::size_t NumDevicesFor(std::int64_t n_rows, std::size_t n_devices, std::int64_t fewest) {
  auto const most = std::max<std::int64_t>(1, n_rows / fewest);
  return std::min(n_devices, ToSize(most));
}

}  // namespace kauri::cuda
