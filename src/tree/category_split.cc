#include "tree/category_split.h"

#include <algorithm>

namespace kauri {
namespace {

using Entries = std::vector<CategoryEntry>;

/// Keeps the first of the best.
class Search {
 public:
  Search(GainParam const& param, CategoryNode const& node, double floor) : param_(param), node_(node) {
    best_.loss_change = floor;
  }

  void Consider(FixedSum right, bool missing_left, std::int64_t threshold) {
    auto const left = node_.total - right;
    if (!HasEnoughHessian(left, param_) || !HasEnoughHessian(right, param_)) return;
    auto const loss_change = SplitGain(left, right, param_, node_.bounds, 0) - node_.node_gain;
    if (!(loss_change > best_.loss_change)) return;
    best_ = {loss_change, node_.feature, static_cast<float>(threshold), missing_left, left, right};
  }
  SplitCandidate Best() const { return best_.IsValid() ? best_ : SplitCandidate{}; }

 private:
  GainParam const& param_;
  CategoryNode const& node_;
  SplitCandidate best_;
};

FixedSum SumOf(Entries const& entries) {
  FixedSum sum;
  for (auto const& entry : entries) sum += entry.sum;
  return sum;
}

void FindOneHot(CategoryNode const& node, Entries const& entries, Search* search) {
  auto const missing = node.total - SumOf(entries);
  std::int32_t expected = 0;
  auto const consider = [&](std::int32_t index, FixedSum sum) {
    search->Consider(sum, true, index);
    search->Consider(sum + missing, false, index);
  };
  for (auto const& entry : entries) {
    // The first category without rows stands for all of them: the missing rows against the others.
    if (entry.index != expected) consider(expected, {});
    expected = entry.index + 1;
    consider(entry.index, entry.sum);
  }
  if (expected < node.n_categories) consider(expected, {});
}

/// The entries in order, and where categories without rows come in.
struct SortedEntries {
  SortedEntries(GainParam const& param, std::int32_t n, Entries* unsorted) : entries(*unsorted), n_categories(n) {
    for (auto& entry : entries) entry.weight = static_cast<float>(LeafWeight(entry.sum, param));
    // By index still: how many entries before this one have a weight.
    std::int32_t n_weighted = 0;
    for (auto const& entry : entries) {
      if (entry.weight == 0.0F) weightless_places.push_back(entry.index - n_weighted);
      if (entry.weight != 0.0F) ++n_weighted;
      if (entry.weight < 0.0F) ++n_negative;
    }
    std::sort(entries.begin(), entries.end(), [](CategoryEntry const& a, CategoryEntry const& b) {
      return a.weight != b.weight ? a.weight < b.weight : a.index < b.index;
    });
  }

  /// The place among all categories of entries[i].
  std::int64_t PlaceOf(std::size_t i) const {
    auto const at = static_cast<std::int64_t>(i);
    if (entries[i].weight < 0.0F) return at;
    if (entries[i].weight == 0.0F) return n_negative + weightless_places[i - static_cast<std::size_t>(n_negative)];
    return n_categories - static_cast<std::int64_t>(entries.size() - i);
  }

  Entries& entries;
  std::int64_t n_categories;
  std::int64_t n_negative = 0;
  std::vector<std::int32_t> weightless_places;  ///< among the categories of weight 0, in order
};

void FindPartition(CategoryNode const& node, std::int64_t max_partition, SortedEntries const& sorted, Search* search) {
  auto const& entries = sorted.entries;
  auto const n_tried = std::min(max_partition, sorted.n_categories) - 1;
  FixedSum lower;
  for (std::size_t i = 0; i < entries.size() && sorted.PlaceOf(i) < n_tried; ++i) {
    lower += entries[i].sum;
    search->Consider(lower, true, sorted.PlaceOf(i) + 1);
  }
  FixedSum higher;
  for (auto i = entries.size(); i-- > 0 && sorted.PlaceOf(i) >= sorted.n_categories - n_tried;) {
    higher += entries[i].sum;
    search->Consider(node.total - higher, false, sorted.PlaceOf(i));
  }
}

/// Marks the first `count` categories of the order; marks: [n_categories], by index.
std::vector<std::uint8_t> MarkFirst(SortedEntries const& sorted, std::int64_t count) {
  auto const n = static_cast<std::size_t>(sorted.n_categories);
  std::vector<std::uint8_t> is_weighted(n, 0);
  std::vector<std::uint8_t> marks(n, 0);
  for (std::size_t i = 0; i < sorted.entries.size(); ++i) {
    auto const& entry = sorted.entries[i];
    if (entry.weight == 0.0F) continue;
    is_weighted[static_cast<std::size_t>(entry.index)] = 1;
    if (sorted.PlaceOf(i) < count) marks[static_cast<std::size_t>(entry.index)] = 1;
  }
  auto weightless_left = count - sorted.n_negative;
  for (std::size_t index = 0; index < n && weightless_left > 0; ++index) {
    if (is_weighted[index] != 0) continue;
    marks[index] = 1;
    --weightless_left;
  }
  return marks;
}

bool UsesOneHot(CategoryRules const& rules, std::int64_t n_categories) { return n_categories < rules.max_onehot; }

}  // namespace

SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 double floor, Entries* entries) {
  Search search(param, node, floor);
  if (UsesOneHot(rules, node.n_categories)) {
    FindOneHot(node, *entries, &search);
  } else {
    FindPartition(node, rules.max_partition, SortedEntries(param, node.n_categories, entries), &search);
  }
  return search.Best();
}

std::vector<std::int32_t> RightCategories(GainParam const& param, CategoryRules const& rules,
                                          std::vector<std::int32_t> const& categories, SplitCandidate const& candidate,
                                          Entries* entries) {
  auto const n = static_cast<std::int32_t>(categories.size());
  auto const threshold = static_cast<std::int64_t>(candidate.threshold);
  if (UsesOneHot(rules, n)) return {categories[static_cast<std::size_t>(threshold)]};
  auto const marks = MarkFirst(SortedEntries(param, n, entries), threshold);
  std::vector<std::int32_t> right;
  for (std::size_t index = 0; index < categories.size(); ++index) {
    if (marks[index] != 0) right.push_back(categories[index]);
  }
  return right;
}

}  // namespace kauri
