#include "tree/histogram/rank_histograms.h"

#include <algorithm>
#include <cstring>

#include "collective/reduce.h"
#include "common/parallel_for.h"

namespace kauri {
namespace {

constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 23U;  // of a call, 64 MiB, unless one histogram is larger

}  // namespace

std::vector<SumRange> RangesOf(Span<std::uint32_t const> features, Span<std::uint32_t const> feature_begin,
                               std::uint64_t width) {
  std::vector<SumRange> ranges;
  for (auto const feature : features) {
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

void SumHistograms(Context const& ctx, Span<SumRange const> ranges, Span<std::int64_t* const> histograms,
                   std::vector<std::int64_t>* scratch) {
  std::uint64_t n_numbers = 0;
  for (auto const& range : ranges) n_numbers += range.end - range.begin;
  auto const at_once = std::max<std::uint64_t>(1, kMostNumbers / std::max<std::uint64_t>(1, n_numbers));
  auto const most = std::min<std::uint64_t>(at_once, histograms.size()) * n_numbers;
  if (scratch->size() < most) scratch->resize(most);
  /// copy(place in *scratch, place in the histogram, how many)
  auto const for_each_range = [&](std::size_t first, std::uint64_t n, auto&& copy) {
    ParallelFor(ctx, static_cast<std::int64_t>(n), [&](std::int64_t index) {
      auto* packed = scratch->data() + static_cast<std::uint64_t>(index) * n_numbers;
      auto* const histogram = histograms[first + static_cast<std::size_t>(index)];
      for (auto const& range : ranges) {
        copy(packed, histogram + range.begin, (range.end - range.begin) * sizeof(std::int64_t));
        packed += range.end - range.begin;
      }
    });
  };
  for (std::size_t first = 0; first < histograms.size(); first += at_once) {
    auto const n = std::min<std::uint64_t>(at_once, histograms.size() - first);
    for_each_range(first, n, [](std::int64_t* packed, std::int64_t const* histogram, std::size_t bytes) {
      std::memcpy(packed, histogram, bytes);
    });
    SumOverRanks(ctx, {scratch->data(), n * n_numbers});
    for_each_range(first, n, [](std::int64_t const* packed, std::int64_t* histogram, std::size_t bytes) {
      std::memcpy(histogram, packed, bytes);
    });
  }
}

}  // namespace kauri
