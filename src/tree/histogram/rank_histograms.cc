#include "tree/histogram/rank_histograms.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 23U;  // per call: 64 MiB, unless one histogram is larger

/// Packs the needed parts of several histograms side by side, first by share, then by histogram.
class PackedShares {
 public:
  explicit PackedShares(Span<SumRanges const> shares) : shares_(shares), first_(shares.size() + 1, 0) {
    for (std::size_t share = 0; share < shares.size(); ++share) {
      first_[share + 1] = first_[share];
      for (auto const& range : shares[share]) first_[share + 1] += range.end - range.begin;
    }
  }

  /// Returns the packed numbers of one histogram.
  std::uint64_t Size() const { return first_.back(); }
  /// Returns the first number of each share when n histograms are packed, [n_shares + 1].
  std::vector<std::uint64_t> Begins(std::uint64_t n) const {
    auto begins = first_;
    for (auto& begin : begins) begin *= n;
    return begins;
  }
  /// Calls copy(position in `packed`, position in a histogram, bytes) for all ranges of a share.
  template <typename Copy>
  void ForEach(Context const& ctx, std::size_t share, Span<std::int64_t* const> histograms, std::int64_t* packed,
               Copy&& copy) const {
    auto const width = first_[share + 1] - first_[share];
    ParallelFor(ctx, static_cast<std::int64_t>(histograms.size()), [&](std::int64_t index) {
      auto* at = packed + first_[share] * histograms.size() + static_cast<std::uint64_t>(index) * width;
      for (auto const& range : shares_[share]) {
        copy(at, histograms[index] + range.begin, (range.end - range.begin) * sizeof(std::int64_t));
        at += range.end - range.begin;
      }
    });
  }

 private:
  Span<SumRanges const> shares_;
  std::vector<std::uint64_t> first_;  ///< [n_shares + 1]
};

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

std::vector<std::uint32_t> ShareColumns(Span<std::uint32_t const> features, Span<std::uint32_t const> feature_begin,
                                        int n_ranks) {
  std::uint64_t n_cells = 0;
  for (auto const feature : features) n_cells += feature_begin[feature + 1] - feature_begin[feature];
  std::vector<std::uint32_t> begins{0};
  std::uint64_t before = 0;
  for (auto const feature : features) {
    before += feature_begin[feature + 1] - feature_begin[feature];
    while (before * static_cast<std::uint64_t>(n_ranks) >= n_cells * begins.size() &&
           begins.size() < static_cast<std::size_t>(n_ranks)) {
      begins.push_back(feature + 1);
    }
  }
  begins.resize(static_cast<std::size_t>(n_ranks) + 1, static_cast<std::uint32_t>(feature_begin.size() - 1));
  return begins;
}

SumRanges NumbersOf(Span<std::uint32_t const> features, Span<std::uint32_t const> feature_begin, std::uint64_t width,
                    std::uint32_t first, std::uint32_t last) {
  SumRanges ranges;
  for (auto const feature : features) {
    if (feature < first || feature >= last) continue;
    auto const begin = feature_begin[feature] * width;
    auto const end = feature_begin[feature + 1] * width;
    if (!ranges.empty() && ranges.back().end == begin) {
      ranges.back().end = end;
    } else {
      ranges.push_back({begin, end});
    }
  }
  return ranges;
}

void SumHistograms(Context const& ctx, Span<SumRanges const> shares, Span<std::int64_t* const> histograms,
                   std::vector<std::int64_t>* scratch) {
  PackedShares const packed(shares);
  auto const at_once = std::max<std::uint64_t>(1, kMostNumbers / std::max<std::uint64_t>(1, packed.Size()));
  auto const most = std::min<std::uint64_t>(at_once, histograms.size()) * packed.Size();
  if (scratch->size() < most) scratch->resize(most);
  auto const is_shared = shares.size() > 1;
  auto const mine = is_shared ? static_cast<std::size_t>(ctx.collective->Rank()) : 0;
  for (std::size_t first = 0; first < histograms.size(); first += at_once) {
    auto const some = histograms.subspan(first, std::min<std::uint64_t>(at_once, histograms.size() - first));
    for (std::size_t share = 0; share < shares.size(); ++share) {
      packed.ForEach(ctx, share, some, scratch->data(),
                     [](auto* place, auto const* numbers, std::size_t bytes) { std::memcpy(place, numbers, bytes); });
    }
    Span<std::int64_t> const numbers(scratch->data(), some.size() * packed.Size());
    if (is_shared) {
      ctx.collective->SumParts(numbers, packed.Begins(some.size()));
    } else {
      SumOverRanks(ctx, numbers);
    }
    packed.ForEach(ctx, mine, some, scratch->data(), [](auto const* place, auto* numbers_of, std::size_t bytes) {
      std::memcpy(numbers_of, place, bytes);
    });
  }
}

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
