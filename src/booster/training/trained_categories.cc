#include "booster/training/trained_categories.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/categories/categories.h"
#include "data/categories/category_names.h"

namespace kauri {
namespace {

/// Adds the names of `from` that `to` lacks; shared names have the same codes.
void AddNames(CategoryNameTable const& from, CategoryNameTable* to) {
  if (from.empty()) return;
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t feature = 0; feature < from.size(); ++feature) {
    auto& known = (*to)[feature];
    if (from[feature].Size() > known.Size()) known = from[feature];
  }
}

/// Adds seen categories. Returns whether any of them were new.
bool AddSeen(CategoryLists const& from, CategoryLists* to) {
  auto const before = *to;
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t feature = 0; feature < from.size(); ++feature) {
    std::vector<std::int32_t> both;
    auto& seen = (*to)[feature];
    std::set_union(seen.begin(), seen.end(), from[feature].begin(), from[feature].end(), std::back_inserter(both));
    seen = std::move(both);
  }
  return *to != before;
}

}  // namespace

bool LearnCategories(Context const& ctx, DataMatrix const& train, ModelDraft* draft) {
  auto const stamp = DataStamp::Of(train);
  if (draft->CategoriesOf() == stamp) return false;
  draft->SetCategoriesOf(stamp);
  auto const& model = draft->Get();
  auto next = model.categories;
  if (draft->IsUntrained()) {
    next.names.clear();
    next.seen.clear();
  }
  auto const found = UnionOverRanks(ctx, FindCategories(ctx, train));
  AddNames(train.Info().category_names, &next.names);
  // The categories seen by another library's training are unknown, so none can be called new.
  auto const is_unknown = next.seen.empty() && std::any_of(model.trees.begin(), model.trees.end(),
                                                           [](auto const& tree) { return tree.HasCategorical(); });
  auto const has_new = !is_unknown && AddSeen(found, &next.seen);
  if (next.names != model.categories.names || next.seen != model.categories.seen) {
    draft->Edit()->categories = std::move(next);
  }
  return has_new && draft->Get().categories.unseen != UnseenCategory::kXGBoost && draft->Get().NumIterations() > 0;
}

}  // namespace kauri
