#include "tree/histogram/rank_histograms.h"

#include <algorithm>
#include <cstring>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"

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

}  // namespace kauri
