/// One radix sort per column, of all its rows; missing values go last. A column is sorted between its own memory and a
/// spare column. It stays in whichever holds the result, and the other becomes the spare of the next column. Two
/// columns are sorted at a time, each on its own stream, because the blocks of one pass wait for those before them and
/// do not fill a device alone. With weights, one column is sorted at a time: 1. pairs of key and weight are sorted; 2.
/// weights become whole units; 3. a scan of these in int64, which is exact in any order, gives the weight below each
/// key.
///
/// Floor, 280 M keys on an H200: four passes of 8 bytes a key each, and one of 4 for the digits: 10 GB, 2.5 ms at 4
/// TB/s. At the 30 to 40 Gkeys/s that such sorts reach it is 7 to 9 ms, which is most of the time of making cuts. Pairs
/// take twice that, ranks 24 bytes more.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <utility>

#include "cuda/hist/bins/column_sorter.h"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

constexpr std::size_t kColumnsOfWeights = 2;
constexpr std::size_t kLanes = 2;

std::size_t NumLanes(bool has_weights) { return has_weights ? 1 : kLanes; }

/// below: [n + 1], the first of which is 0.
__global__ void __launch_bounds__(kBlockThreads)
    UnitsKernel(float const* weights, std::int64_t n, WeightUnit unit, std::int64_t* below) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row >= n) return;
  if (row == 0) below[0] = 0;
  below[row + 1] = unit.Of(weights[row]);
}

}  // namespace

ColumnSorter::ColumnSorter(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_cols, float const* weights,
                           WeightUnit const& unit)
    : cuda_(cuda),
      n_rows_(n_rows),
      weights_(weights),
      unit_(unit),
      keys_(cuda, (ToSize(n_cols) + NumLanes(weights != nullptr)) * ToSize(n_rows)) {
  for (std::size_t i = 0; i < NumLanes(weights != nullptr); ++i) lanes_.push_back(std::make_unique<Lane>(cuda.device));
  if (weights == nullptr) return;
  sort_weights_ = Buffer<float>(cuda, kColumnsOfWeights * ToSize(n_rows));
  below_ = Buffer<std::int64_t>(cuda, ToSize(n_cols * (n_rows + 1)));
}

std::size_t ColumnSorter::BytesPerColumn(std::int64_t n_rows, bool has_weights) {
  return sizeof(std::uint32_t) * ToSize(n_rows) + (has_weights ? sizeof(std::int64_t) * ToSize(n_rows + 1) : 0);
}

std::size_t ColumnSorter::OtherBytes(std::int64_t n_rows, bool has_weights) {
  constexpr std::size_t kScratch = std::size_t{1} << 20U;
  auto const weights = has_weights ? kColumnsOfWeights * sizeof(float) : 0;
  return NumLanes(has_weights) * ((sizeof(std::uint32_t) + weights + 1) * ToSize(n_rows) + kScratch);
}

std::vector<SortedKeys> ColumnSorter::Sort(std::int64_t n_cols) {
  std::vector<SortedKeys> sorted;
  auto* spare = keys_.data() + keys_.size();
  for (auto& lane : lanes_) {
    lane->spare = spare -= n_rows_;
    WaitFor(lane->stream.Context(), cuda_.stream);
  }
  for (std::int64_t col = 0; col < n_cols; ++col) {
    auto* const lane = lanes_[ToSize(col) % lanes_.size()].get();
    auto* keys = keys_.data() + col * n_rows_;
    auto* const below = weights_ == nullptr ? nullptr : below_.data() + col * (n_rows_ + 1);
    if (n_rows_ > 0 && below == nullptr) SortKeys(lane, &keys);
    if (n_rows_ > 0 && below != nullptr) SortWithWeights(lane, &keys, below);
    sorted.push_back({keys, below});
  }
  for (auto const& lane : lanes_) WaitFor(cuda_, lane->stream.Context().stream);
  return sorted;
}

void ColumnSorter::SortKeys(Lane* lane, std::uint32_t** keys) {
  auto const& cuda = lane->stream.Context();
  cub::DoubleBuffer<std::uint32_t> buffers(*keys, lane->spare);
  lane->scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(temp, bytes, buffers, n_rows_, 0, 32, cuda.stream);
  });
  *keys = buffers.Current();
  lane->spare = buffers.Alternate();
}

void ColumnSorter::SortWithWeights(Lane* lane, std::uint32_t** keys, std::int64_t* below) {
  auto const& cuda = lane->stream.Context();
  cub::DoubleBuffer<std::uint32_t> buffers(*keys, lane->spare);
  cub::DoubleBuffer<float> weights(sort_weights_.data(), sort_weights_.data() + n_rows_);
  CopyOnDevice(cuda, weights_, ToSize(n_rows_), weights.Current());
  lane->scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, buffers, weights, n_rows_, 0, 32, cuda.stream);
  });
  *keys = buffers.Current();
  lane->spare = buffers.Alternate();
  Launch(cuda, GridFor(n_rows_, kBlockThreads), kBlockThreads, UnitsKernel, weights.Current(), n_rows_, unit_, below);
  lane->scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(temp, bytes, below + 1, below + 1, n_rows_, cuda.stream);
  });
}

}  // namespace kauri::cuda
