/// \file Visits the elements of a shuffle in order, with many threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/shuffle/shuffle.h"
#include "common/shuffle/variable_philox.h"
#include "common/threads/parallel_for.h"

namespace kauri {

/// Writes to kept [n] the images of candidates [begin, begin + n) that are below shuffle.Size(), in order. Returns
/// their number.
template <typename Bijection>
std::int64_t KeepImages(BijectiveShuffle<Bijection> const& shuffle, std::int64_t begin, std::int64_t n,
                        std::uint64_t* kept) {
  std::int64_t n_kept = 0;
  for (auto candidate = begin; candidate < begin + n; ++candidate) {
    auto const image = shuffle.Image(candidate);
    kept[n_kept] = static_cast<std::uint64_t>(image);
    n_kept += image < shuffle.Size() ? 1 : 0;
  }
  return n_kept;
}
inline std::int64_t KeepImages(Shuffle const& shuffle, std::int64_t begin, std::int64_t n, std::uint64_t* kept) {
  auto const bound = static_cast<std::uint64_t>(shuffle.Size());
  return KeepPhiloxImages(shuffle.Keyed(), static_cast<std::uint64_t>(begin), n, bound, kept);
}

/// Calls fn(position, elements, n) for runs of positions that together are [0, count): `elements` [n] are at `position`
/// and after it. count is at most Size(). Runs come in any order and concurrently. Memory: 8 MiB at most.
///
/// Candidates are processed in waves: the remaining images of every block, the sum over blocks, then fn for every
/// block.
template <typename Bijection, typename Fn>
void WalkShuffle(Context const& ctx, BijectiveShuffle<Bijection> const& shuffle, std::int64_t count, Fn&& fn) {
  constexpr std::int64_t kCandidatesPerBlock = 1 << 12;
  constexpr std::int64_t kCandidatesPerWave = kCandidatesPerBlock << 8;
  std::vector<std::uint64_t> kept;      // [candidates of a wave], block by block
  std::vector<std::int64_t> positions;  // [blocks of a wave + 1]
  for (std::int64_t position = 0, begin = 0; position < count; position = positions.back()) {
    // A wave has the number of candidates needed on average, limited by the scratch memory.
    auto const share = static_cast<double>(shuffle.NumCandidates()) / static_cast<double>(shuffle.Size());
    auto const average = static_cast<double>(count - position) * share;
    auto const wanted = static_cast<std::int64_t>(std::min<double>(average + 16.0, kCandidatesPerWave));
    auto const n_candidates = std::min(wanted, shuffle.NumCandidates() - begin);
    kept.resize(std::max(kept.size(), static_cast<std::size_t>(n_candidates)));
    positions.assign(static_cast<std::size_t>(NumBlocks(n_candidates, kCandidatesPerBlock) + 1), position);
    ParallelForBlocks(ctx, n_candidates, kCandidatesPerBlock, [&](auto from, auto to, auto block) {
      positions[block + 1] = KeepImages(shuffle, begin + from, to - from, kept.data() + from);
    });
    for (std::size_t block = 1; block < positions.size(); ++block) positions[block] += positions[block - 1];
    ParallelForBlocks(ctx, n_candidates, kCandidatesPerBlock, [&](auto from, auto, auto block) {
      auto const end = std::min(positions[block + 1], count);
      if (positions[block] < end) fn(positions[block], kept.data() + from, end - positions[block]);
    });
    begin += n_candidates;
  }
}

}  // namespace kauri
