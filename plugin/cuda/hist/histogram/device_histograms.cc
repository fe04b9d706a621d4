#include "cuda/hist/histogram/device_histograms.h"

#include <algorithm>
#include <string>

#include "cuda/common/memory_plan.h"

namespace kauri::cuda {

namespace {

/// Of a chunk: a histogram is some 100 kB where columns are few, and some MB where they are many.
constexpr std::size_t kLeastChunkSums = std::size_t{1} << 17U;

}  // namespace

FixedSum* DeviceHistograms::Borrow(CudaContext const& cuda) {
  if (free_.empty()) Grow(cuda);
  auto* const histogram = free_.back();
  free_.pop_back();
  return histogram;
}

void DeviceHistograms::GiveBackAll() {
  free_.clear();
  for (auto const& chunk : chunks_) {
    for (std::size_t first = 0; first + n_cells_ <= chunk.size(); first += n_cells_) {
      free_.push_back(chunk.data() + first);
    }
  }
}

void DeviceHistograms::Grow(CudaContext const& cuda) {
  auto const n = std::max(n_histograms_, std::max<std::size_t>(2, kLeastChunkSums / n_cells_));
  RequireMemory(cuda, "histograms of " + std::to_string(n_histograms_ + n) + " nodes",
                {{"histograms", n * n_cells_ * sizeof(FixedSum)}});
  chunks_.emplace_back(cuda, n * n_cells_);
  n_histograms_ += n;
  for (std::size_t i = n; i > 0; --i) free_.push_back(chunks_.back().data() + (i - 1) * n_cells_);
}

}  // namespace kauri::cuda
