#include "tree/categories/category_split.h"

#include "tree/categories/category_search.h"

namespace kauri {
namespace {

/// Keeps the first of the best.
class Search {
 public:
  Search(GainParam const& param, CategoryNode const& node, double floor) : param_(param), node_(node) {
    best_.loss_change = floor;
  }

  void Consider(FixedSum right, bool missing_left, std::int64_t threshold) {
    auto const loss_change = CategoryLossChange(right, node_, param_);
    if (!(loss_change > best_.loss_change)) return;
    best_ = {loss_change, node_.feature, static_cast<float>(threshold), missing_left, node_.total - right, right};
  }
  bool LimitsGroups() const { return param_.categories.group_hessian > 0.0; }
  bool IsGroup(FixedSum sum) const { return HessianOf(sum, param_) >= param_.categories.group_hessian; }
  float Weigh(FixedSum sum) const { return CategoryWeight(sum, param_); }
  FixedSum Total() const { return node_.total; }
  static FixedSum Nothing() { return {}; }
  SplitCandidate Best() const { return best_.IsValid() ? best_ : SplitCandidate{}; }

 private:
  GainParam const& param_;
  CategoryNode node_;
  SplitCandidate best_;
};

}  // namespace

SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 double floor, std::vector<CategoryEntry>* entries) {
  Search search(param, node, floor);
  category_search::FindSplit(rules, node.n_categories, entries, &search);
  return search.Best();
}

std::vector<std::int32_t> RightCategories(GainParam const& param, CategoryRules const& rules,
                                          std::vector<std::int32_t> const& categories, SplitCandidate const& candidate,
                                          std::vector<CategoryEntry>* entries) {
  Search const search(param, {}, 0.0);
  return category_search::RightOf(search, rules, categories, static_cast<std::int64_t>(candidate.threshold), entries);
}

}  // namespace kauri
