/// \file What a booster has learnt, and how a round changes it: on a draft that takes its place when all went well.
///
/// A round mostly adds trees, which the draft does not hold: they are appended when it is committed, at the cost of
/// moving them. What else may change (sizes, intercept, categories) is changed on a copy of the model: in the first
/// round, when there is no tree to copy, and when data with other categories or another base score come; then margins
/// begin anew, which takes longer than the copy.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "booster/data_stamp.h"
#include "booster/ready_model.h"
#include "booster/row_counts.h"
#include "kauri/booster.h"
#include "kauri/model.h"
#include "kauri/objective.h"

namespace kauri {

/// A model with what is known of it besides what its file says.
struct Learnt {
  std::shared_ptr<Model> model;
  ObjectiveState objective_state;        ///< as it was learnt; the model has what its objective keeps of it
  bool has_intercept = false;            ///< the base score is the user's, estimated or loaded
  DataStamp categories_of;               ///< the training data whose categories the model knows
  std::shared_ptr<Model const> updated;  ///< process_type=update: what the rounds of the model are taken from
};

/// What a booster has learnt, as it will be after a call that changes it.
class ModelDraft {
 public:
  Model const& Get() const { return *next_.model; }
  /// What a first round settles is open.
  bool IsUntrained() const { return Get().NumIterations() == 0 && next_.updated == nullptr; }
  bool HasIntercept() const { return next_.has_intercept; }
  DataStamp CategoriesOf() const { return next_.categories_of; }
  /// nullptr: rounds add trees.
  Model const* Updated() const { return next_.updated.get(); }
  bool IsEdited() const { return is_copy_; }

  /// A copy of the model, once it is asked for. Costs as much as the model.
  Model* Edit();
  void SetHasIntercept(bool has_intercept) { next_.has_intercept = has_intercept; }
  void SetCategoriesOf(DataStamp data) { next_.categories_of = data; }
  /// What the objective has learnt of its state.
  void SetObjectiveState(ObjectiveState state) { state_ = std::move(state); }
  /// The model begins anew, to get its rounds back one by one.
  void BeginUpdate();
  void EndUpdate() { next_.updated.reset(); }

 private:
  friend class LearntModel;
  explicit ModelDraft(Learnt learnt) : next_(std::move(learnt)) {}

  Learnt next_;
  bool is_copy_ = false;  ///< of the model, which nobody else has
  std::optional<ObjectiveState> state_;
};

class LearntModel {
 public:
  LearntModel() { learnt_.model = std::make_shared<Model>(); }
  /// Of a file.
  explicit LearntModel(Model loaded);
  /// Some rounds of `from`.
  LearntModel(LearntModel const& from, Model slice);

  /// What parameters say of it may be of another time.
  Model const& AsLearnt() const { return *learnt_.model; }
  /// The model whose rounds are taken, in the middle of process_type=update; else nullptr.
  Model const* Updated() const { return learnt_.updated.get(); }
  /// The model goes on to get its rounds from `updated`.
  void SetUpdated(std::shared_ptr<Model const> updated) noexcept { learnt_.updated = std::move(updated); }
  /// The model as the parameters have it, which costs a copy where they say something else of it than the model does.
  /// Safe from many threads. \throws Error(kParameter) when the parameters do not fit the model.
  std::shared_ptr<ReadyModel const> Ready(std::shared_ptr<Components const> const& parts) const;

  ModelDraft MakeDraft(std::shared_ptr<Components const> const& parts) const;
  /// Changes nothing when it throws.
  void Commit(ModelDraft draft, Round round);
  /// The same without a round.
  void Commit(ModelDraft draft);

  /// What a model that was loaded says of the parameters becomes what they say.
  void Describe(Components const& parts);
  /// false: the next round sets the base score.
  void SetHasIntercept(bool has_intercept);
  /// Of an untrained model.
  void RaiseNumFeatures(std::int64_t n_features);
  /// For changes of what no prediction depends on.
  Model* Edit();
  /// Those of an earlier call are replaced.
  void SetRowCounts(RowCounts counts);

 private:
  /// The model itself where it says the same as the parameters, otherwise a copy that does.
  std::shared_ptr<Model> Described(std::shared_ptr<Components const> const& parts) const;
  void ForgetReady();

  Learnt learnt_;
  mutable std::mutex mutex_;                  ///< guards what is below
  mutable std::shared_ptr<Model> described_;  ///< of `ready_`: the model itself where the parameters say the same of it
  mutable std::shared_ptr<ReadyModel const> ready_;
  /// Whose parameters the model itself is known to say the same as; a round that only adds trees changes nothing of it.
  mutable std::shared_ptr<Components const> says_;
};

}  // namespace kauri
