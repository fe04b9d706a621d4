/// What a model learns of categories beside its trees: their names, and which of them occurred.
#include <algorithm>
#include <iterator>
#include <utility>

#include "booster/learner_undo.h"
#include "data/categories/categories.h"
#include "data/categories/category_names.h"
#include "data/categories/category_view.h"
#include "data/copies/recode.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Whether some categories of a and b have other numbers.
bool Disagree(CategoryNameTable const& a, CategoryNameTable const& b) {
  for (std::size_t feature = 0; feature < std::min(a.size(), b.size()); ++feature) {
    if (!AgreeOnNames(a[feature], b[feature])) return true;
  }
  return false;
}

/// The names of `more`, those that `known` has too in its order and first.
CategoryNameTable JoinTables(CategoryNameTable const& known, CategoryNameTable const& more) {
  auto joined = more;
  for (std::size_t feature = 0; feature < std::min(known.size(), more.size()); ++feature) {
    if (known[feature].Size() == 0 || more[feature].Size() == 0) continue;
    joined[feature] = JoinNames(known[feature], more[feature], feature);
  }
  return joined;
}

/// Adds the names of `from` that `to` lacks; the others have the same numbers.
void AddNames(CategoryNameTable const& from, CategoryNameTable* to) {
  if (from.empty()) return;
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t feature = 0; feature < from.size(); ++feature) {
    auto& known = (*to)[feature];
    if (from[feature].Size() > known.Size()) known = from[feature];
  }
}

/// Returns whether there were new ones.
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

std::shared_ptr<DataMatrix const> Learner::Impl::InCategoriesOfModel(Components const& parts,
                                                                     std::shared_ptr<DataMatrix const> const& train) {
  if (model.NumIterations() == 0 && updated == nullptr) return train;
  auto const& known = model.categories.names;
  auto const& names = train->Info().category_names;
  if (!Disagree(names, known)) return train;
  auto const stamp = DataStamp::Of(*train);
  auto const is_kept = recoded != nullptr && recoded_from == stamp;
  if (!is_kept || Disagree(recoded->Info().category_names, known)) {
    recoded = RecodeCategories(parts.ctx, *train, JoinTables(known, names));
    recoded_from = stamp;
  }
  return recoded;
}

void Learner::Impl::LearnCategories(Components const& parts, DataMatrix const& train, Undo* undo) {
  auto const stamp = DataStamp::Of(train);
  if (learnt == stamp) return;
  undo->KeepCategories();
  auto& known = model.categories;
  if (model.NumIterations() == 0 && updated == nullptr) {
    known.names.clear();
    known.seen.clear();
  }
  auto const found = FindCategories(parts.ctx, train);
  AddNames(train.Info().category_names, &known.names);
  // What another library's training has seen is not known, and what is new says nothing of it.
  auto const is_unknown = known.seen.empty() && std::any_of(model.trees.begin(), model.trees.end(),
                                                            [](auto const& tree) { return tree.HasCategorical(); });
  auto const has_new = !is_unknown && AddSeen(found, &known.seen);
  if (has_new && known.unseen != UnseenCategory::kXGBoost && model.NumIterations() > 0) ForgetTraining();
  learnt = stamp;
}

void Learner::Impl::CheckColumns(DeclaredColumns const& data, std::string const& what) const {
  if (data.types.empty() && data.names.empty()) return;
  std::lock_guard<std::mutex> const lock(mutex);
  split_kinds.Update(model);
  CheckColumnKinds(model, split_kinds, data, what);
}

void Learner::Impl::CheckTrainingColumns(DataMatrix const& train, bool updates) const {
  if (updates) return CheckColumns(DeclaredColumns::Of(train.Info()), "the training data");
  std::lock_guard<std::mutex> const lock(mutex);
  split_kinds.Update(model);
  CheckTrainingKinds(model, split_kinds, train.Info());
}

}  // namespace kauri
