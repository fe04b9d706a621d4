#include <vector_types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/shuffle/shuffle_rows.h"
#include "cuda/common/launch.h"
#include "cuda/common/shuffle.h"
#include "cuda/common/shuffle_kernel.cuh"

namespace kauri::cuda {
namespace {

// Rows of bytes as words of the largest size that their addresses and strides allow.

/// Rows of n_words words; strides in words.
template <typename Word>
struct RowWords {
  Word const* from;
  Word* to;
  std::int64_t from_stride;
  std::int64_t to_stride;
  std::int64_t n_words;
};

template <typename Word>
RowWords<Word> WordsOf(RowMove const& move) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Word));
  return {reinterpret_cast<Word const*>(move.from), reinterpret_cast<Word*>(move.to), move.from_stride / kBytes,
          move.to_stride / kBytes, move.row_bytes / kBytes};
}

/// Calls fn(a value of the word's type), with a type of 1, 2, 4, 8 or 16 bytes.
template <typename Fn>
void DispatchWord(RowMove const& move, Fn&& fn) {
  auto const bits = reinterpret_cast<std::uintptr_t>(move.from) | reinterpret_cast<std::uintptr_t>(move.to) |
                    static_cast<std::uintptr_t>(move.from_stride) | static_cast<std::uintptr_t>(move.to_stride) |
                    static_cast<std::uintptr_t>(move.row_bytes);
  if (bits % 16 == 0) return fn(uint4{});
  if (bits % 8 == 0) return fn(static_cast<unsigned long long>(0));
  if (bits % 4 == 0) return fn(0U);
  if (bits % 2 == 0) return fn(static_cast<unsigned short>(0));
  return fn(static_cast<unsigned char>(0));
}

/// Returns the lanes that share a row of n_words words, as a power of two: one per word, at most a warp.
inline int LogLanes(std::int64_t n_words) {
  int log = 0;
  while (log < 5 && (std::int64_t{1} << log) < n_words) ++log;
  return log;
}

}  // namespace

void ShuffleDeviceRows(CudaContext const& cuda, RowMove const& move, std::uint64_t seed, LookBack* look_back) {
  Shuffle const shuffle(move.n_rows, seed);
  CandidateRange const all{0, shuffle.NumCandidates(), 0};
  if (move.n_rows == 0 || move.row_bytes == 0) return;
  DispatchWord(move, [&](auto word) {
    using Word = decltype(word);
    auto const rows = WordsOf<Word>(move);
    if (rows.n_words == 1) {
      WordRows<Word> const narrow{rows.from, rows.to, rows.from_stride, rows.to_stride};
      LaunchShuffle(cuda, shuffle, all, narrow, look_back);
    } else {
      WideRows<Word> const wide{rows.from,      rows.to,      rows.from_stride,
                                rows.to_stride, rows.n_words, LogLanes(rows.n_words)};
      LaunchShuffle(cuda, shuffle, all, wide, look_back);
    }
  });
}

void ListShuffle(CudaContext const& cuda, Shuffle const& shuffle, Span<std::int64_t> first, LookBack* look_back) {
  auto const count = static_cast<std::int64_t>(first.size());
  auto const share = static_cast<double>(shuffle.NumCandidates()) / static_cast<double>(shuffle.Size());
  ImageList const list{first.data(), count};
  CandidateRange range{0, 0, 0};
  while (range.first_position < count) {
    range.begin = range.end;
    range.end = shuffle.NumCandidates();
    if (count < shuffle.Size()) {
      // Nearly always enough: six standard deviations above the average number needed.
      auto const average = static_cast<double>(count - range.first_position) * share;
      auto const wanted = range.begin + static_cast<std::int64_t>(average + 6.0 * std::sqrt(average) + 64.0);
      range.end = std::min(range.end, wanted);
    }
    auto const n_tiles = LaunchShuffle(cuda, shuffle, range, list, look_back);
    if (range.end == shuffle.NumCandidates()) return;
    range.first_position += look_back->Total(cuda, n_tiles);
  }
}

// Runs the rounds of swap-or-not (common/shuffle/swap_or_not.h), one launch each. A pair belongs to a thread, or to
// some lanes. Pairs are disjoint, so nothing is ordered within a round. Half of the pairs swap; rows of the others are
// not touched.

namespace {

/// Swaps rows of one word each.
template <typename Word>
__global__ void __launch_bounds__(kBlockThreads) SwapKernel(SwapRound round, Word* rows, std::int64_t stride) {
  std::int64_t const number = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
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
__global__ void __launch_bounds__(kBlockThreads)
    SwapWideKernel(SwapRound round, Word* rows, std::int64_t stride, std::int64_t n_words, int log_lanes) {
  std::int64_t const thread = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
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
    Launch(cuda, GridFor(round.NumPairs(), kBlockThreads), kBlockThreads, SwapKernel<Word>, round, rows.to,
           rows.to_stride);
    return;
  }
  auto const log_lanes = LogLanes(rows.n_words);
  Launch(cuda, GridFor(round.NumPairs() << log_lanes, kBlockThreads), kBlockThreads, SwapWideKernel<Word>, round,
         rows.to, rows.to_stride, rows.n_words, log_lanes);
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
