#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/histogram/device_histograms.h"

namespace kauri::cuda {
namespace {

__global__ void __launch_bounds__(kBlockThreads) FillOnesKernel(FixedPair* ones, std::uint64_t n_rows) {
  std::uint64_t const row = static_cast<std::uint64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row < n_rows) ones[row] = {1, 0};
}

/// Minimum size of a chunk, 8 MiB. A histogram of few columns takes about 100 kB, so that one chunk holds the
/// histograms of a tree of six levels; a histogram of many columns takes some MB.
constexpr std::size_t kLeastChunkSums = std::size_t{1} << 19U;

}  // namespace

Buffer<FixedPair> MakeOnes(CudaContext const& cuda, std::size_t n_rows) {
  Buffer<FixedPair> ones(cuda, n_rows);
  Launch(cuda, GridFor(static_cast<std::int64_t>(n_rows), kBlockThreads), kBlockThreads, FillOnesKernel, ones.data(),
         n_rows);
  return ones;
}

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

void TreeHistograms::TakeBins(CudaContext const& cuda, DeviceBins const& bins) {
  counts_rows = false;
  ones = Buffer<FixedPair>();
  pool.Resize(cuda, bins.n_sums);
}

void TreeHistograms::BeginTree(CudaContext const& cuda, DeviceBins const& bins, bool count) {
  if (count == counts_rows) return pool.Reset(cuda);
  auto const n_rows = static_cast<std::size_t>(bins.n_rows);
  if (count) RequireMemory(cuda, "counts of rows", {{"ones", n_rows * sizeof(FixedPair)}});
  ones = count ? MakeOnes(cuda, n_rows) : Buffer<FixedPair>();
  counts_rows = count;
  pool.Resize(cuda, SumsOfNode(bins));
}

}  // namespace kauri::cuda
