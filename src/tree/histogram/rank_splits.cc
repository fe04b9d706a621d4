#include "tree/histogram/rank_splits.h"

#include <array>
#include <cstring>

#include "collective/reduce.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::size_t kWords = 6;  // per candidate
using Words = std::array<std::int64_t, kWords>;

Words ToWords(SplitCandidate const& split) {
  Words words{0, 0, split.left.gradient, split.left.hessian, split.right.gradient, split.right.hessian};
  std::uint32_t threshold = 0;
  std::memcpy(words.data(), &split.loss_change, sizeof(split.loss_change));
  std::memcpy(&threshold, &split.threshold, sizeof(threshold));
  // Features are stored plus one, so that a slot of zeros has no split.
  auto const place = (std::uint64_t{split.feature} + 1U) << 1U | (split.default_left ? 1U : 0U);
  words[1] = static_cast<std::int64_t>(place << 32U | threshold);
  return words;
}

SplitCandidate FromWords(std::int64_t const* words, std::int64_t n_cols) {
  SplitCandidate split;
  auto const place = static_cast<std::uint64_t>(words[1]) >> 32U;
  if (place >> 1U == 0) return split;
  if (place >> 1U > static_cast<std::uint64_t>(n_cols)) {
    Fail(ErrorKind::kCollective, "a rank proposes a split on column ", (place >> 1U) - 1, ", but there are only ",
         n_cols, " columns; check that the transport delivers every byte unchanged.");
  }
  auto const threshold = static_cast<std::uint32_t>(words[1]);
  std::memcpy(&split.loss_change, words, sizeof(split.loss_change));
  std::memcpy(&split.threshold, &threshold, sizeof(threshold));
  split.feature = static_cast<std::uint32_t>((place >> 1U) - 1);
  split.default_left = (place & 1U) != 0;
  split.left = {words[2], words[3]};
  split.right = {words[4], words[5]};
  return split;
}

}  // namespace

void BestOverRanks(Context const& ctx, std::int64_t n_cols, std::vector<RankedSplit> const& candidates) {
  auto const n_ranks = static_cast<std::size_t>(ctx.collective->Size());
  std::vector<std::int64_t> words(n_ranks * candidates.size() * kWords);
  auto* mine = words.data() + static_cast<std::size_t>(ctx.collective->Rank()) * candidates.size() * kWords;
  for (auto const& candidate : candidates) {
    auto const of_candidate = candidate.best->IsValid() ? ToWords(*candidate.best) : Words{};
    std::memcpy(mine, of_candidate.data(), sizeof(of_candidate));
    mine += kWords;
  }
  SumOverRanks(ctx, Span<std::int64_t>(words));
  auto const* next = words.data();
  for (std::size_t rank = 0; rank < n_ranks; ++rank) {
    for (auto const& candidate : candidates) {
      auto const theirs = FromWords(next, n_cols);
      if (candidate.noise.IsBetter(theirs, *candidate.best)) *candidate.best = theirs;
      next += kWords;
    }
  }
}

}  // namespace kauri
