/// \file The trained model of a booster, and its draft: a round changes the draft, which replaces the model on success.
///
/// A round mostly adds trees. The draft does not hold them: they are appended at the commit, at the cost of moving
/// them. Everything else (sizes, intercept, categories) is changed on a copy of the model. The copy is made in the
/// first round, when there is no tree to copy, and for data with other categories or another base score; margins are
/// then recomputed, which takes longer than the copy.
///
/// CountRows counts the rows of a data set that reach each node, computed from the leaves they reach.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "booster/model/ready_model.h"
#include "kauri/booster.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/objective.h"

namespace kauri {

struct DataStamp {
  std::uint64_t id = 0;
  std::uint64_t revision = 0;

  static DataStamp Of(DataMatrix const& data) { return {data.Id(), data.InfoRevision()}; }
  bool operator==(DataStamp const& other) const { return id == other.id && revision == other.revision; }
  bool operator!=(DataStamp const& other) const { return !(*this == other); }
};

using RowCounts = std::vector<std::vector<std::int64_t>>;  ///< [n_trees][n_nodes]

/// Counts rows, ignoring their weights. \throws Error(kModel) without a model, Error(kData) for more columns than the
/// model has.
RowCounts CountRows(ReadyModel const& model, DataMatrix const& data);

/// A model with the facts about it that its file does not store.
struct TrainingResult {
  std::shared_ptr<Model> model;
  ObjectiveState objective_state;        ///< full trained state; the model stores the part that its objective keeps
  bool has_intercept = false;            ///< the base score was set, estimated or loaded
  DataStamp categories_of;               ///< the training data whose categories the model knows
  std::shared_ptr<Model const> updated;  ///< process_type=update: source of the rounds to update
};

/// The next state of a trained model, built by a call that changes it.
class ModelDraft {
 public:
  Model const& Get() const { return *next_.model; }
  /// Returns whether the first round is still to set sizes and intercept.
  bool IsUntrained() const { return Get().NumIterations() == 0 && next_.updated == nullptr; }
  bool HasIntercept() const { return next_.has_intercept; }
  DataStamp CategoriesOf() const { return next_.categories_of; }
  /// Returns the model whose rounds are updated; nullptr: rounds add trees.
  Model const* Updated() const { return next_.updated.get(); }
  bool IsEdited() const { return is_copy_; }

  /// Returns the draft's own copy of the model, made by the first call. Cost: one copy of the model.
  Model* Edit();
  void SetHasIntercept(bool has_intercept) { next_.has_intercept = has_intercept; }
  void SetCategoriesOf(DataStamp data) { next_.categories_of = data; }
  /// Sets the state that the objective has trained.
  void SetObjectiveState(ObjectiveState state) { state_ = std::move(state); }
  /// Removes the rounds of the model, which process_type=update then restores one by one.
  void BeginUpdate();
  void EndUpdate() { next_.updated.reset(); }

 private:
  friend class TrainedModel;
  explicit ModelDraft(TrainingResult trained) : next_(std::move(trained)) {}

  TrainingResult next_;
  bool is_copy_ = false;  ///< `next_.model` is a copy that nobody else shares
  std::optional<ObjectiveState> state_;
};

class TrainedModel {
 public:
  TrainedModel() { result_.model = std::make_shared<Model>(); }
  /// Holds a model loaded from a file.
  explicit TrainedModel(Model loaded);
  /// Holds a slice, which is some rounds of `from`.
  TrainedModel(TrainedModel const& from, Model slice);

  /// Returns the model as trained. Its copies of parameters may be out of date.
  Model const& AsTrained() const { return *result_.model; }
  /// Returns the model whose rounds are updated, in the middle of process_type=update; else nullptr.
  Model const* Updated() const { return result_.updated.get(); }
  /// Sets `updated` as the source of the rounds to come.
  void SetUpdated(std::shared_ptr<Model const> updated) noexcept { result_.updated = std::move(updated); }
  /// Returns the model in agreement with the parameters. Costs a copy if the model stores other values of them. Safe
  /// from many threads. \throws Error(kParameter) when the parameters do not fit the model.
  std::shared_ptr<ReadyModel const> Ready(std::shared_ptr<Components const> const& parts) const;

  ModelDraft MakeDraft(std::shared_ptr<Components const> const& parts) const;
  /// Replaces the model by the draft and appends the round. Changes nothing when it throws.
  void Commit(ModelDraft draft, Round round);
  /// Replaces the model by the draft.
  void Commit(ModelDraft draft);

  /// Writes the current parameters to a loaded model.
  void Describe(Components const& parts);
  /// Sets whether the base score is final; if false, the next round sets it.
  void SetHasIntercept(bool has_intercept);
  /// Raises the number of features of an untrained model to at least `n_features`.
  void RaiseNumFeatures(std::int64_t n_features);
  /// Returns the model for changes that affect no prediction.
  Model* Edit();
  /// Stores row counts of all nodes, replacing the counts of an earlier call.
  void SetRowCounts(RowCounts counts);

 private:
  /// Returns the model itself if it agrees with the parameters, otherwise a copy that does.
  std::shared_ptr<Model> Described(std::shared_ptr<Components const> const& parts) const;
  void ForgetReady();

  TrainingResult result_;
  mutable std::mutex mutex_;                  ///< guards the members below
  mutable std::shared_ptr<Model> described_;  ///< model of `ready_`: the trained one itself if the parameters agree
  mutable std::shared_ptr<ReadyModel const> ready_;
  /// Components whose parameters agree with the trained model. A round that only adds trees keeps the agreement.
  mutable std::shared_ptr<Components const> says_;
};

}  // namespace kauri
