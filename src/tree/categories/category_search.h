/// \file Implements the search of category_split.h for any type of sum: FixedSum, or sums of several outputs.
///
/// Sum: has += and -. Entry: index, sum and weight, like CategoryEntry. Search: keeps the first of the best candidates
/// and has
///   Consider(Sum right, bool missing_left, std::int64_t threshold)
///   Weigh(Sum): the float32 by which categories are sorted, 0 for an empty sum
///   LimitsGroups(), IsGroup(Sum): whether parts need a minimum hessian, and whether a sum has it
///   Nothing(): an empty sum
///   Total(): the sum of the node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tree/categories/category_split.h"

namespace kauri::category_search {

template <typename Entry>
using SumOfEntry = decltype(Entry::sum);

template <typename Entry, typename Search>
void FindOneHot(std::int32_t n_categories, std::vector<Entry> const& entries, Search* search) {
  auto missing = search->Total();
  for (auto const& entry : entries) missing = missing - entry.sum;
  std::int32_t expected = 0;
  auto const consider = [&](std::int32_t index, SumOfEntry<Entry> sum) {
    search->Consider(sum, true, index);
    sum += missing;
    search->Consider(sum, false, index);
  };
  for (auto const& entry : entries) {
    // The first category without rows stands for all such categories: the missing rows against the others.
    if (entry.index != expected) consider(expected, search->Nothing());
    expected = entry.index + 1;
    consider(entry.index, entry.sum);
  }
  if (expected < n_categories) consider(expected, search->Nothing());
}

/// Sorts the first and the last `n_ends` entries. Entries between them have no particular order.
template <typename Entry>
void SortEnds(std::int64_t n_ends, std::vector<Entry>* entries) {
  auto const is_less = [](Entry const& a, Entry const& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.index < b.index;
  };
  auto const begin = entries->begin();
  auto const end = entries->end();
  if (end - begin <= 4 * n_ends) return std::sort(begin, end, is_less);
  std::nth_element(begin, begin + n_ends, end, is_less);
  std::nth_element(begin + n_ends, end - n_ends, end, is_less);
  std::sort(begin, begin + n_ends, is_less);
  std::sort(end - n_ends, end, is_less);
}

/// The entries in order, as needed for parts of up to `n_ends` categories, and the positions of categories without
/// rows.
template <typename Entry>
struct SortedEntries {
  template <typename Search>
  SortedEntries(Search const& search, std::int32_t n, std::int64_t n_ends, std::vector<Entry>* unsorted)
      : entries(*unsorted), n_categories(n) {
    for (auto& entry : entries) entry.weight = search.Weigh(entry.sum);
    // Entries are still sorted by index. Counts the entries before this one that have a weight.
    std::int32_t n_weighted = 0;
    for (auto const& entry : entries) {
      if (entry.weight == 0.0F) weightless_places.push_back(entry.index - n_weighted);
      if (entry.weight != 0.0F) ++n_weighted;
      if (entry.weight < 0.0F) ++n_negative;
    }
    SortEnds(n_ends, &entries);
  }

  /// Returns the position of entries[i] among all categories; for an entry between the ends, some position between
  /// theirs.
  std::int64_t PlaceOf(std::size_t i) const {
    auto const at = static_cast<std::int64_t>(i);
    if (entries[i].weight < 0.0F) return at;
    if (entries[i].weight == 0.0F) return n_negative + weightless_places[i - n_negative];
    return n_categories - static_cast<std::int64_t>(entries.size() - i);
  }

  std::vector<Entry>& entries;
  std::int64_t n_categories;
  std::int64_t n_negative = 0;
  std::vector<std::int32_t> weightless_places;  ///< positions among the categories of weight 0, in order
};

/// Decides which parts of an order are tried.
template <typename Sum, typename Search>
class PartSteps {
 public:
  explicit PartSteps(Search const& search)
      : search_(search), limited_(search.LimitsGroups()), step_(search.Nothing()) {}

  /// Returns whether to try the part that just got `added` and leaves `rest()`.
  template <typename Rest>
  bool Take(Sum const& added, Rest const& rest) {
    if (!limited_) return true;
    step_ += added;
    if (!search_.IsGroup(step_) || !search_.IsGroup(rest())) return false;
    step_ = search_.Nothing();
    return true;
  }

 private:
  Search const& search_;
  bool limited_;
  Sum step_;  ///< sum that the part has more than the last one tried
};

template <typename Entry, typename Search>
void FindPartition(std::int64_t max_partition, SortedEntries<Entry> const& sorted, Search* search) {
  auto const& entries = sorted.entries;
  auto const n_tried = std::min(max_partition, sorted.n_categories) - 1;
  using Steps = PartSteps<SumOfEntry<Entry>, Search>;
  auto lower = search->Nothing();
  Steps upwards(*search);
  for (std::size_t i = 0; i < entries.size() && sorted.PlaceOf(i) < n_tried; ++i) {
    lower += entries[i].sum;
    if (!upwards.Take(entries[i].sum, [&] { return search->Total() - lower; })) continue;
    search->Consider(lower, true, sorted.PlaceOf(i) + 1);
  }
  auto higher = search->Nothing();
  Steps downwards(*search);
  for (auto i = entries.size(); i-- > 0 && sorted.PlaceOf(i) >= sorted.n_categories - n_tried;) {
    higher += entries[i].sum;
    if (!downwards.Take(entries[i].sum, [&] { return search->Total() - higher; })) continue;
    search->Consider(search->Total() - higher, false, sorted.PlaceOf(i));
  }
}

/// Marks the first `count` categories of the order. Returns marks by index, [n_categories].
template <typename Entry>
std::vector<std::uint8_t> MarkFirst(SortedEntries<Entry> const& sorted, std::int64_t count) {
  auto const n = static_cast<std::size_t>(sorted.n_categories);
  std::vector<std::uint8_t> is_weighted(n, 0);
  std::vector<std::uint8_t> marks(n, 0);
  for (std::size_t i = 0; i < sorted.entries.size(); ++i) {
    auto const& entry = sorted.entries[i];
    if (entry.weight == 0.0F) continue;
    is_weighted[entry.index] = 1;
    if (sorted.PlaceOf(i) < count) marks[entry.index] = 1;
  }
  auto weightless_left = count - sorted.n_negative;
  for (std::size_t index = 0; index < n && weightless_left > 0; ++index) {
    if (is_weighted[index] != 0) continue;
    marks[index] = 1;
    --weightless_left;
  }
  return marks;
}

inline bool UsesOneHot(CategoryRules const& rules, std::int64_t n_categories) {
  return n_categories < rules.max_onehot;
}

/// Considers the candidates of a feature. Entries come in ascending order of index and are reordered.
template <typename Entry, typename Search>
void FindSplit(CategoryRules const& rules, std::int32_t n_categories, std::vector<Entry>* entries, Search* search) {
  if (UsesOneHot(rules, n_categories)) {
    FindOneHot(n_categories, *entries, search);
  } else {
    FindPartition(rules.max_partition, SortedEntries<Entry>(*search, n_categories, rules.max_partition, entries),
                  search);
  }
}

/// Implements RightCategories.
template <typename Entry, typename Search>
std::vector<std::int32_t> RightOf(Search const& search, CategoryRules const& rules,
                                  std::vector<std::int32_t> const& categories, std::int64_t threshold,
                                  std::vector<Entry>* entries) {
  auto const n = static_cast<std::int32_t>(categories.size());
  if (UsesOneHot(rules, n)) return {categories[threshold]};
  auto const marks = MarkFirst(SortedEntries<Entry>(search, n, rules.max_partition, entries), threshold);
  std::vector<std::int32_t> right;
  for (std::size_t index = 0; index < categories.size(); ++index) {
    if (marks[index] != 0) right.push_back(categories[index]);
  }
  return right;
}

}  // namespace kauri::category_search
