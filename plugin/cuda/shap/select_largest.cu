/// A block per row and segment finds the largest rank that is picked, eight bits at a time from the top (radix
/// selection). It counts the next eight bits of the ranks that begin with the bits found so far, and takes the bin with
/// the last pick. It stops when a bin is picked as a whole. All ranks of a segment differ, so it stops after the last
/// bits at the latest. Then it writes all ranks that are not larger. Floor: the values are read 4 to 9 times, mostly
/// from the L2 cache.
#include "cuda/common/launch.h"
#include "cuda/shap/select_largest.h"

namespace kauri::cuda {
namespace {

constexpr int kBins = 256;
constexpr int kDigitBits = 8;
static_assert(kBlockThreads == kBins, "a thread clears a bin");

struct Selection {
  int counts[kBins];
  PickRank largest;     ///< the bits found so far, with ones below them
  std::int64_t wanted;  ///< picks among the ranks that begin with these bits
  bool is_found;
  unsigned long long n_written;  ///< the type that atomicAdd knows
};

/// Takes the bin of the last pick. Called by one thread.
__device__ void TakeBin(Selection* selection, int shift) {
  int bin = 0;
  while (selection->counts[bin] < selection->wanted) selection->wanted -= selection->counts[bin++];
  selection->is_found = selection->counts[bin] == selection->wanted;
  PickRank const digits = PickRank{kBins - 1} << shift;
  selection->largest = (selection->largest & ~digits) | static_cast<PickRank>(bin) << shift;
}

__device__ void FindLargest(float const* values, PickSegment const& segment, Selection* selection) {
  for (int shift = 64 - kDigitBits; shift >= 0 && !selection->is_found; shift -= kDigitBits) {
    selection->counts[threadIdx.x] = 0;
    __syncthreads();
    PickRank const above = shift + kDigitBits == 64 ? 0 : ~PickRank{0} << (shift + kDigitBits);
    for (std::int64_t place = threadIdx.x; place < segment.size; place += kBlockThreads) {
      PickRank const rank = RankOf(values[place], static_cast<std::uint32_t>(place));
      if (((rank ^ selection->largest) & above) != 0) continue;
      atomicAdd(&selection->counts[static_cast<unsigned>(rank >> shift) & (kBins - 1U)], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) TakeBin(selection, shift);
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kBlockThreads) SelectLargestKernel(PickTask task) {
  __shared__ Selection selection;
  std::int64_t const row = blockIdx.x / task.n_segments;
  PickSegment const segment = task.segments[blockIdx.x % task.n_segments];
  if (segment.n_picks == 0) return;  // all threads of the block return
  float const* values = task.values + row * task.row_floats + segment.begin;
  if (threadIdx.x == 0) {
    selection.largest = ~PickRank{0};
    selection.wanted = segment.n_picks;
    selection.is_found = segment.n_picks == segment.size;
    selection.n_written = 0;
  }
  __syncthreads();
  FindLargest(values, segment, &selection);
  PickRank* picks = task.picks + row * task.row_picks + segment.pick_begin;
  for (std::int64_t place = threadIdx.x; place < segment.size; place += kBlockThreads) {
    PickRank const rank = RankOf(values[place], static_cast<std::uint32_t>(place));
    if (rank <= selection.largest) picks[atomicAdd(&selection.n_written, 1ULL)] = rank;
  }
}

}  // namespace

void SelectLargest(CudaContext const& cuda, PickTask const& task) {
  Launch(cuda, static_cast<unsigned>(task.n_rows * task.n_segments), kBlockThreads, SelectLargestKernel, task);
}

}  // namespace kauri::cuda
