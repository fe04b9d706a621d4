#include "booster/training/training.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "booster/config/group.h"
#include "collective/reduce.h"
#include "common/text/log.h"
#include "data/categories/categories.h"
#include "data/categories/category_names.h"
#include "data/copies/recode.h"
#include "data/info_memo.h"
#include "data/meta_info.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {

Engine* Training::EngineFor(Components const& parts) {
  auto const device = parts.ctx.device.kind;
  if (engine_ == nullptr || engine_device_ != device) {
    engine_ = GetRegistries().engines.Find(device == DeviceKind::kCuda ? "cuda" : "cpu").make();
    engine_device_ = device;
  }
  return engine_.get();
}

void Training::Validate(std::shared_ptr<Components const> const& parts, DataMatrix const& train, bool custom) {
  if (train.NumCols() == 0) {
    Fail(ErrorKind::kData, "the training data have ", train.NumRows(),
         " rows without columns: 0 feature is supplied, and there is nothing to learn from.");
  }
  auto const stamp = DataStamp::Of(train);
  if (fitting_ != stamp) {
    ValidateInfo(train.Info());
    if (train.NumRows() == 0 && !IsDistributed(parts->ctx))
      Log(LogLevel::kWarning, "Empty dataset: the training data have 0 rows, so ", "the round adds a constant.");
  }
  fitting_ = stamp;
  if (custom || (checked_ == stamp && checked_by_ == parts)) return;
  train.Memo().Get(train.InfoRevision(), "labels are valid\n" + ParametersAsText(parts->effective), [&] {
    parts->objective->ValidateInfo(parts->ctx, train.Info());
    if (auto const* const loss = parts->booster->OwnLoss()) loss->ValidateInfo(parts->ctx, train.Info());
    return std::vector<float>();
  });
  checked_ = stamp;
  checked_by_ = parts;
}

void Training::Agree(std::shared_ptr<Components const> const& parts, DataMatrix const& train, Model const& model) {
  if (!IsDistributed(parts->ctx)) return;
  auto const stamp = DataStamp::Of(train);
  if (agreed_ == stamp && agreed_by_ == parts) return;
  RequireSameRound(*parts, train, model);
  agreed_ = stamp;
  agreed_by_ = parts;
}

void Training::AgreeOnSets(Context const& ctx, std::vector<DataMatrix const*> const& sets) {
  if (!IsDistributed(ctx)) return;
  auto const is_known = [&](DataMatrix const* set) {
    return std::find(agreed_rows_.begin(), agreed_rows_.end(), DataStamp::Of(*set)) != agreed_rows_.end();
  };
  std::uint64_t const n_sets = sets.size();
  std::array<std::uint64_t, 3> seen{n_sets, ~n_sets, std::all_of(sets.begin(), sets.end(), is_known) ? 0U : 1U};
  MaxOverRanks(ctx, {seen.data(), seen.size()});
  if (seen[0] != ~seen[1]) {
    throw AgreedError(ErrorKind::kCollective,
                      "the ranks of the group evaluate different numbers of sets: " + std::to_string(~seen[1]) +
                          " on one rank, " + std::to_string(seen[0]) + " on another; pass the same sets on all ranks.");
  }
  if (seen[2] == 0) return;
  for (auto const* set : sets) {
    RequireSameRows(ctx, set->Info());
    auto const stamp = DataStamp::Of(*set);
    auto const is_same = [&](DataStamp const& other) { return other.id == stamp.id; };
    agreed_rows_.erase(std::remove_if(agreed_rows_.begin(), agreed_rows_.end(), is_same), agreed_rows_.end());
    agreed_rows_.push_back(stamp);
  }
}

void Training::CheckKinds(Model const& model, DataMatrix const& data, std::string const& what) {
  kinds_.Update(model);
  CheckColumnKinds(model, kinds_, DeclaredColumns::Of(data.Info()).With(*data.View()), what);
}

void Training::CheckKindsOfTraining(Model const& model, DataMatrix const& train) {
  kinds_.Update(model);
  CheckTrainingKinds(model, kinds_, train);
  CheckTextColumns(train.Info().category_names, model.categories.names, train.Info().feature_names);
}

std::shared_ptr<DataMatrix const> Training::InCategoriesOf(ModelDraft const& model, Context const& ctx,
                                                           std::shared_ptr<DataMatrix const> const& train) {
  if (model.IsUntrained()) return train;
  auto const& known = model.Get().categories.names;
  auto const& names = train->Info().category_names;
  if (AgreeOnTables(names, known)) return train;
  auto const stamp = DataStamp::Of(*train);
  auto const is_kept = recoded_ != nullptr && recoded_from_ == stamp;
  if (!is_kept || !AgreeOnTables(recoded_->Info().category_names, known)) {
    recoded_ = RecodeCategories(ctx, *train, JoinTables(known, names));
    recoded_from_ = stamp;
  }
  return recoded_;
}

void Training::ForgetData() {
  if (engine_ != nullptr) engine_->Clear();
  kinds_ = {};
  agreed_by_.reset();
  agreed_rows_.clear();
  recoded_.reset();
  ordered_ = {};
}

namespace {

/// Adds the names of `from` that `to` lacks; shared names have the same codes.
void AddNames(CategoryNameTable const& from, CategoryNameTable* to) {
  if (from.empty()) return;
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t feature = 0; feature < from.size(); ++feature) {
    auto& known = (*to)[feature];
    if (from[feature].Size() > known.Size()) known = from[feature];
    SetDeclared(&known);
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
