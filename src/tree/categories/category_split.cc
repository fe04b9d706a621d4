#include "tree/categories/category_split.h"

#include "tree/categories/category_search.h"
#include "tree/categories/drawn_candidates.h"

namespace kauri {
namespace {

/// Returns the FixedSum of a sum, which may include a row count.
FixedSum const& SumIn(FixedSum const& sum) { return sum; }
FixedSum const& SumIn(CountedSum const& counted) { return counted.sum; }

/// Returns whether both children have enough rows; always true for sums without counts.
bool HasRows(FixedSum const&, RowLimit const&) { return true; }
bool HasRows(CountedSum const& right, RowLimit const& rows) { return rows.Allows(right.n_rows); }

/// Returns the node's sum in the type of the last argument.
FixedSum TotalOf(FixedSum total, RowLimit const&, FixedSum) { return total; }
CountedSum TotalOf(FixedSum total, RowLimit const& rows, CountedSum const&) { return {total, rows.of_node}; }

/// Keeps the first of the best candidates. Sum: FixedSum or CountedSum.
template <typename Sum>
class Search {
 public:
  Search(GainParam const& param, CategoryNode const& node, Sum total, SplitLimits const& limits, double floor)
      : param_(param), node_(node), total_(total), limits_(limits) {
    best_.loss_change = floor;
  }

  void Consider(Sum const& right, bool missing_left, std::int64_t threshold) {
    auto const& sum = SumIn(right);
    auto const loss_change = HasRows(right, limits_.rows) ? CategoryLossChange(sum, node_, param_) : -kInfinity;
    if (!limits_.draw.is_on && !(loss_change > best_.loss_change)) return;
    SplitCandidate const candidate{loss_change,  node_.feature,     static_cast<float>(threshold),
                                   missing_left, node_.total - sum, sum};
    if (limits_.draw.is_on) return drawn_.Add(candidate);
    best_ = candidate;
  }
  bool LimitsGroups() const { return param_.categories.group_hessian > 0.0; }
  bool IsGroup(Sum const& sum) const { return HessianOf(SumIn(sum), param_) >= param_.categories.group_hessian; }
  float Weigh(Sum const& sum) const { return CategoryWeight(SumIn(sum), param_); }
  Sum Total() const { return total_; }
  static Sum Nothing() { return {}; }
  SplitCandidate Best() const {
    if (limits_.draw.is_on) return drawn_.Best(limits_.draw, best_.loss_change);
    return best_.IsValid() ? best_ : SplitCandidate{};
  }

 private:
  GainParam const& param_;
  CategoryNode node_;
  Sum total_;
  SplitLimits limits_;
  SplitCandidate best_;
  DrawnCandidates drawn_;
};

}  // namespace

SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 double floor, std::vector<CategoryEntry>* entries) {
  return FindCategorySplit(param, rules, node, SplitLimits{}, floor, entries);
}

template <typename Entry>
SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 SplitLimits const& limits, double floor, std::vector<Entry>* entries) {
  using Sum = category_search::SumOfEntry<Entry>;
  Search<Sum> search(param, node, TotalOf(node.total, limits.rows, Sum{}), limits, floor);
  category_search::FindSplit(rules, node.n_categories, entries, &search);
  return search.Best();
}

template SplitCandidate FindCategorySplit(GainParam const&, CategoryRules const&, CategoryNode const&,
                                          SplitLimits const&, double, std::vector<CategoryEntry>*);
template SplitCandidate FindCategorySplit(GainParam const&, CategoryRules const&, CategoryNode const&,
                                          SplitLimits const&, double, std::vector<CountedCategory>*);

std::vector<std::int32_t> RightCategories(GainParam const& param, CategoryRules const& rules,
                                          std::vector<std::int32_t> const& categories, SplitCandidate const& candidate,
                                          std::vector<CategoryEntry>* entries) {
  Search<FixedSum> const search(param, {}, {}, {}, 0.0);
  return category_search::RightOf(search, rules, categories, static_cast<std::int64_t>(candidate.threshold), entries);
}

}  // namespace kauri
