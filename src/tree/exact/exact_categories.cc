#include "tree/exact/exact_categories.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kauri {
namespace {

std::int32_t CategoryOf(ColumnEntry const& entry) { return static_cast<std::int32_t>(entry.value); }

/// Entries and categories both ascend.
void SumByCategory(ColumnEntry const* entries, std::int64_t count, FixedPair const* pairs,
                   std::vector<std::int32_t> const& categories, std::vector<CategoryEntry>* sums) {
  sums->clear();
  auto at = categories.begin();
  for (std::int64_t i = 0; i < count;) {
    auto const value = entries[i].value;
    FixedSum sum;
    for (; i < count && entries[i].value == value; ++i) sum += pairs[entries[i].row];
    at = std::lower_bound(at, categories.end(), static_cast<std::int32_t>(value));
    if (!(sum == FixedSum{})) sums->push_back({static_cast<std::int32_t>(at - categories.begin()), sum});
  }
}

}  // namespace

SplitCandidate ScanCategories(GainParam const& param, CategoryTask const& task, SegmentView const& segment,
                              double floor, std::vector<CategoryEntry>* entries) {
  auto const& categories = task.lists[segment.feature];
  SumByCategory(segment.entries, segment.count, segment.pairs, categories, entries);
  CategoryNode const node{segment.feature, static_cast<std::int32_t>(categories.size()), segment.total,
                          segment.node_gain, segment.bounds};
  auto const just_below = std::nextafter(floor, -std::numeric_limits<double>::infinity());
  return FindCategorySplit(param, task.rules, node, just_below, entries);
}

std::vector<std::int32_t> RightCategoriesOf(GainParam const& param, CategoryTask const& task,
                                            SplitCandidate const& best, Span<ColumnEntry const> segment,
                                            FixedPair const* pairs) {
  std::vector<CategoryEntry> entries;
  auto const& categories = task.lists[best.feature];
  SumByCategory(segment.data(), static_cast<std::int64_t>(segment.size()), pairs, categories, &entries);
  return RightCategories(param, task.rules, categories, best, &entries);
}

std::vector<ColumnEntry> LeftFirst(Span<ColumnEntry const> segment, std::vector<std::int32_t> const& right,
                                   std::int64_t* n_left) {
  std::vector<ColumnEntry> ordered(segment.begin(), segment.end());
  auto const middle = std::stable_partition(ordered.begin(), ordered.end(), [&](ColumnEntry const& entry) {
    return !std::binary_search(right.begin(), right.end(), CategoryOf(entry));
  });
  *n_left = middle - ordered.begin();
  return ordered;
}

}  // namespace kauri
