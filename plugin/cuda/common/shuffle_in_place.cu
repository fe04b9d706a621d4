/// Runs the rounds of swap-or-not (common/shuffle/swap_or_not.h), one launch each. A pair belongs to a thread, or to
/// some lanes. Pairs are disjoint, so nothing is ordered within a round. Half of the pairs swap; rows of the others are
/// not touched.
#include "cuda/common/launch.h"
#include "cuda/common/row_words.cuh"
#include "cuda/common/shuffle.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;

/// Swaps rows of one word each.
template <typename Word>
__global__ void __launch_bounds__(kThreads) SwapKernel(SwapRound round, Word* rows, std::int64_t stride) {
  std::int64_t const number = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (number >= round.NumPairs()) return;
  auto const pair = round.PairAt(number);
  if (!round.Swaps(pair.high)) return;
  auto* low = rows + static_cast<std::int64_t>(pair.low) * stride;
  auto* high = rows + static_cast<std::int64_t>(pair.high) * stride;
  Word const first = *low;
  Word const second = *high;
  *low = second;
  *high = first;
}

/// Swaps rows of n_words words, with 2^log_lanes lanes per pair.
template <typename Word>
__global__ void __launch_bounds__(kThreads)
    SwapWideKernel(SwapRound round, Word* rows, std::int64_t stride, std::int64_t n_words, int log_lanes) {
  std::int64_t const thread = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (thread >> log_lanes >= round.NumPairs()) return;
  auto const pair = round.PairAt(thread >> log_lanes);
  if (!round.Swaps(pair.high)) return;
  auto* low = rows + static_cast<std::int64_t>(pair.low) * stride;
  auto* high = rows + static_cast<std::int64_t>(pair.high) * stride;
  std::int64_t const lanes = std::int64_t{1} << log_lanes;
  for (std::int64_t word = thread & (lanes - 1); word < n_words; word += lanes) {
    Word const first = low[word];
    low[word] = high[word];
    high[word] = first;
  }
}

template <typename Word>
void RunRound(CudaContext const& cuda, SwapRound const& round, RowWords<Word> const& rows) {
  if (rows.n_words == 1) {
    Launch(cuda, GridFor(round.NumPairs(), kThreads), kThreads, SwapKernel<Word>, round, rows.to, rows.to_stride);
    return;
  }
  auto const log_lanes = LogLanes(rows.n_words);
  Launch(cuda, GridFor(round.NumPairs() << log_lanes, kThreads), kThreads, SwapWideKernel<Word>, round, rows.to,
         rows.to_stride, rows.n_words, log_lanes);
}

}  // namespace

void ShuffleDeviceRowsInPlace(CudaContext const& cuda, RowMove const& move, std::uint64_t seed) {
  if (move.n_rows < 2 || move.row_bytes == 0) return;
  SwapOrNot const swaps(move.n_rows, seed);
  DispatchWord(move, [&](auto word) {
    auto const rows = WordsOf<decltype(word)>(move);
    for (int number = 0; number < swaps.NumRounds(); ++number) RunRound(cuda, swaps.Round(number), rows);
  });
}

}  // namespace kauri::cuda
