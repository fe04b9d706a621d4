#include "tree/categories/category_split.h"

#include "tree/categories/category_search.h"

namespace kauri {
namespace {

/// The sum of a FixedSum, or of one with its rows.
FixedSum const& SumIn(FixedSum const& sum) { return sum; }
FixedSum const& SumIn(CountedSum const& counted) { return counted.sum; }

/// Whether both children have enough rows: not asked of sums alone.
bool HasRows(FixedSum const&, RowLimit const&) { return true; }
bool HasRows(CountedSum const& right, RowLimit const& rows) { return rows.Allows(right.n_rows); }

/// Keeps the first of the best. Sum: FixedSum or CountedSum.
template <typename Sum>
class Search {
 public:
  Search(GainParam const& param, CategoryNode const& node, Sum total, RowLimit const& rows, double floor)
      : param_(param), node_(node), total_(total), rows_(rows) {
    best_.loss_change = floor;
  }

  void Consider(Sum const& right, bool missing_left, std::int64_t threshold) {
    if (!HasRows(right, rows_)) return;
    auto const& sum = SumIn(right);
    auto const loss_change = CategoryLossChange(sum, node_, param_);
    if (!(loss_change > best_.loss_change)) return;
    best_ = {loss_change, node_.feature, static_cast<float>(threshold), missing_left, node_.total - sum, sum};
  }
  bool LimitsGroups() const { return param_.categories.group_hessian > 0.0; }
  bool IsGroup(Sum const& sum) const { return HessianOf(SumIn(sum), param_) >= param_.categories.group_hessian; }
  float Weigh(Sum const& sum) const { return CategoryWeight(SumIn(sum), param_); }
  Sum Total() const { return total_; }
  static Sum Nothing() { return {}; }
  SplitCandidate Best() const { return best_.IsValid() ? best_ : SplitCandidate{}; }

 private:
  GainParam const& param_;
  CategoryNode node_;
  Sum total_;
  RowLimit rows_;
  SplitCandidate best_;
};

}  // namespace

SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 double floor, std::vector<CategoryEntry>* entries) {
  Search<FixedSum> search(param, node, node.total, {}, floor);
  category_search::FindSplit(rules, node.n_categories, entries, &search);
  return search.Best();
}

SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 RowLimit const& rows, double floor, std::vector<CountedCategory>* entries) {
  Search<CountedSum> search(param, node, {node.total, rows.of_node}, rows, floor);
  category_search::FindSplit(rules, node.n_categories, entries, &search);
  return search.Best();
}

std::vector<std::int32_t> RightCategories(GainParam const& param, CategoryRules const& rules,
                                          std::vector<std::int32_t> const& categories, SplitCandidate const& candidate,
                                          std::vector<CategoryEntry>* entries) {
  Search<FixedSum> const search(param, {}, {}, {}, 0.0);
  return category_search::RightOf(search, rules, categories, static_cast<std::int64_t>(candidate.threshold), entries);
}

}  // namespace kauri
