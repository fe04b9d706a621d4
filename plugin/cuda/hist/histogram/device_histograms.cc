#include "cuda/hist/histogram/device_histograms.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cuda/common/memory_plan.h"

namespace kauri::cuda {

namespace {

/// Minimum size of a chunk, 8 MiB. A histogram of few columns takes about 100 kB, so that one chunk holds the
/// histograms of a tree of six levels; a histogram of many columns takes some MB.
constexpr std::size_t kLeastChunkSums = std::size_t{1} << 19U;

}  // namespace

FixedSum* DeviceHistograms::Borrow(CudaContext const& cuda) {
  while (current_ < chunks_.size() && chunks_[current_].n_lent == SizeOf(chunks_[current_])) ++current_;
  if (current_ == chunks_.size()) {
    if (!used_.empty()) {
      auto* const histogram = used_.back();
      used_.pop_back();
      FillZero(cuda, histogram, n_sums_);
      return histogram;
    }
    Grow(cuda);
  }
  auto& chunk = chunks_[current_];
  return chunk.sums.data() + n_sums_ * chunk.n_lent++;
}

void DeviceHistograms::Reset(CudaContext const& cuda) {
  for (auto& chunk : chunks_) {
    FillZero(cuda, chunk.sums.data(), chunk.n_lent * n_sums_);
    chunk.n_lent = 0;
  }
  current_ = 0;
  used_.clear();
}

void DeviceHistograms::Grow(CudaContext const& cuda) {
  std::size_t n_histograms = 0;
  for (auto const& chunk : chunks_) n_histograms += SizeOf(chunk);
  auto const n = std::max(n_histograms, std::max<std::size_t>(2, kLeastChunkSums / n_sums_));
  RequireMemory(cuda, "histograms of " + std::to_string(n_histograms + n) + " nodes",
                {{"histograms", n * n_sums_ * sizeof(FixedSum)}});
  Chunk chunk;
  chunk.sums = Buffer<FixedSum>(cuda, n * n_sums_);
  FillZero(cuda, chunk.sums.data(), chunk.sums.size());
  chunks_.push_back(std::move(chunk));
}

}  // namespace kauri::cuda
