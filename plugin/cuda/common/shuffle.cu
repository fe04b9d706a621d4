#include <algorithm>
#include <cmath>

#include "cuda/common/row_words.cuh"
#include "cuda/common/shuffle.h"
#include "cuda/common/shuffle_kernel.cuh"

namespace kauri::cuda {

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

}  // namespace kauri::cuda
