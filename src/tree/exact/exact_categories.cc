#include "tree/exact/exact_categories.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kauri {
namespace {

std::int32_t CategoryOf(ColumnEntry const& entry) { return static_cast<std::int32_t>(entry.value); }

/// Calls add(index of the category, sum, rows) for each category with entries. Entries and categories are both
/// ascending.
template <typename Add>
void SumByCategory(Span<ColumnEntry const> entries, FixedPair const* pairs, std::vector<std::int32_t> const& categories,
                   Add&& add) {
  auto at = categories.begin();
  for (auto const* entry = entries.begin(); entry != entries.end();) {
    auto const* const first = entry;
    FixedSum sum;
    for (; entry != entries.end() && entry->value == first->value; ++entry) sum += pairs[entry->row];
    at = std::lower_bound(at, categories.end(), CategoryOf(*first));
    add(static_cast<std::int32_t>(at - categories.begin()), sum, entry - first);
  }
}

/// Collects the categories with non-zero sums.
void CollectSums(Span<ColumnEntry const> entries, FixedPair const* pairs, std::vector<std::int32_t> const& categories,
                 std::vector<CategoryEntry>* sums) {
  sums->clear();
  SumByCategory(entries, pairs, categories, [&](std::int32_t index, FixedSum sum, std::int64_t) {
    if (!(sum == FixedSum{})) sums->push_back({index, sum});
  });
}

}  // namespace

SplitCandidate ScanCategories(GainParam const& param, CategoryTask const& task, SegmentView const& segment,
                              double floor, std::vector<CategoryEntry>* entries) {
  auto const& categories = task.lists[segment.feature];
  Span<ColumnEntry const> const of_node(segment.entries, static_cast<std::size_t>(segment.count));
  CategoryNode const node{segment.feature, static_cast<std::int32_t>(categories.size()), segment.total,
                          segment.node_gain, segment.bounds};
  auto const just_below = std::nextafter(floor, -std::numeric_limits<double>::infinity());
  if (!segment.limits.rows.IsOn()) {
    CollectSums(of_node, segment.pairs, categories, entries);
    return FindCategorySplit(param, task.rules, node, segment.limits, just_below, entries);
  }
  std::vector<CountedCategory> counted;
  SumByCategory(of_node, segment.pairs, categories, [&](std::int32_t index, FixedSum sum, std::int64_t n_rows) {
    counted.push_back({index, {sum, n_rows}});
  });
  return FindCategorySplit(param, task.rules, node, segment.limits, just_below, &counted);
}

std::vector<std::int32_t> RightCategoriesOf(GainParam const& param, CategoryTask const& task,
                                            SplitCandidate const& best, Span<ColumnEntry const> segment,
                                            FixedPair const* pairs) {
  std::vector<CategoryEntry> entries;
  auto const& categories = task.lists[best.feature];
  CollectSums(segment, pairs, categories, &entries);
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
