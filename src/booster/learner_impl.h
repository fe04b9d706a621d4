/// \file The insides of a Learner.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "booster/column_kinds.h"
#include "booster/learner.h"
#include "booster/learner_param.h"
#include "kauri/booster.h"
#include "kauri/engine.h"
#include "kauri/metric.h"
#include "kauri/objective.h"

namespace kauri {

/// The registered predictor of what a booster learns on a device.
std::string PredictorName(std::string const& booster, DeviceKind device);

/// \throws Error(kModel) without a model, Error(kData) for more columns than it knows.
void CheckPredictable(Model const& model, std::int64_t n_cols);

/// A metric by its name, error or error@0.7. \throws Error(kParameter) when it is not known, takes no argument, or not
/// this one.
std::unique_ptr<Metric> MakeMetric(std::string const& name, ParamMap const& params);

/// The shape of a prediction as the C ABI reports it. value_width: floats per row of values and margins.
std::vector<std::uint64_t> ShapeOf(Model const& model, PredictOptions const& options, TreeRange trees,
                                   std::int64_t n_rows, std::int64_t value_width);

/// Whether the margins that training keeps are all that a prediction needs.
bool IsOfCachedMargins(PredictOptions const& options);

/// What the parameters resolve to. Immutable, so shared by predicting threads.
struct Components {
  LearnerParam param;
  ParamMap effective;  ///< the user's parameters over the objective's defaults
  Context ctx;
  std::unique_ptr<Objective> objective;
  std::unique_ptr<Booster> booster;
  std::unique_ptr<Predictor> predictor;
  MetricList metrics;
};

/// Which data, as they were then: kept beside whatever was derived from them.
struct DataStamp {
  std::uint64_t id = 0;
  std::uint64_t revision = 0;

  static DataStamp Of(DataMatrix const& data) { return {data.Id(), data.InfoRevision()}; }
  bool operator==(DataStamp const& other) const { return id == other.id && revision == other.revision; }
};

/// \throws Error(kParameter) when the parameters tell another number of classes apart than a model with rounds does.
void RequireSameClasses(Model const& model, Components const& parts);

/// \throws Error(kData) when training data want other outputs than a model with rounds has.
void RequireSameOutputs(Model const& model, Components const& parts, MetaInfo const& train);

struct Learner::Impl {
  class Undo;

  mutable ParamMap params;  ///< as the user set them, aliases resolved; Resolve drops unknown names
  mutable std::vector<std::string> metric_names;  ///< eval_metric, in order, no duplicates; Resolve drops unknown ones
  mutable std::vector<std::string> notes;         ///< on parameters, for the log, once it is known what it takes
  mutable Model model;                            ///< Resolve fills in what follows from the parameters
  ObjectiveState learnt_state;                    ///< as it was learnt; `model` has what its objective keeps of it
  bool intercept_ready = false;                   ///< the base score is the user's, estimated or loaded
  std::shared_ptr<Model const> updated;           ///< process_type=update: what the rounds of `model` are taken from
  std::uint64_t model_revision = 0;               ///< grows whenever trees or weights of `model` may change
  std::unique_ptr<Engine> engine;
  DeviceKind engine_device = DeviceKind::kCpu;  ///< that `engine` is of
  DataStamp fitting;                            ///< of the training data whose fields were found to fit each other
  DataStamp checked;                            ///< of the training data that the objective of `checked_by` accepted
  std::shared_ptr<Components const> checked_by;
  DataStamp learnt;                           ///< of the training data whose categories the model knows
  std::shared_ptr<DataMatrix const> recoded;  ///< training data in the categories of the model
  DataStamp recoded_from;                     ///< of what `recoded` is made from

  /// Guards what const calls fill lazily.
  mutable std::mutex mutex;
  mutable std::shared_ptr<Components const> components;
  mutable std::shared_ptr<CompiledModel const> compiled;
  mutable std::uint64_t compiled_revision = 0;  ///< the model's of `compiled`
  mutable SplitKinds split_kinds;               ///< of `model`'s trees

  /// Resolves the parameters if they changed. Safe from many threads.
  std::shared_ptr<Components const> Resolve() const;
  /// The whole model compiled for the predictor. Safe from many threads.
  std::shared_ptr<CompiledModel const> Compiled(Components const& parts) const;
  /// That of `parts`, or one with another shap_method. Understands what Compiled() returns.
  std::shared_ptr<Predictor const> PredictorFor(std::shared_ptr<Components const> const& parts,
                                                std::string const& shap_method) const;
  /// \throws Error(kData) where columns hold numbers in the data and categories in the model, or the other way round.
  void CheckColumns(DeclaredColumns const& data, std::string const& what = "the data") const;
  /// The same for data that rounds are learnt from; updates: those that only change trees.
  void CheckTrainingColumns(DataMatrix const& train, bool updates) const;
  /// The base score as margins, [n_outputs].
  std::vector<float> StartMargins(Components const& parts) const;

  /// What LoadModel and the like work on, to take the place of this one when all went well: the parameters, no model.
  std::unique_ptr<Impl> CopySettings() const;
  /// Exchanges the parameters for those of `other`.
  void TakeSettings(Impl* other);
  void ForgetResolved();
  void ForgetTraining();
  Engine* TheEngine(Components const& parts);
  /// `train`, or where it has the categories' names in another order than the model, a copy with the model's numbers,
  /// and further ones for names that the model does not know; kept until other data come.
  std::shared_ptr<DataMatrix const> InCategoriesOfModel(Components const& parts,
                                                        std::shared_ptr<DataMatrix const> const& train);
  /// Takes over the names of categories and adds those that `train` has to the ones that the model has seen.
  void LearnCategories(Components const& parts, DataMatrix const& train, Undo* undo);
  /// Sizes and intercept of the model, before the first round. custom: gradients come from outside.
  void PrepareModel(Components const& parts, DataMatrix const& train, bool custom, Undo* undo);
  void SetIntercept(Components const& parts, DataMatrix const& train, bool custom);
  /// \throws Error(kData) for data without rows, fields that do not fit each other, and, unless gradients come from
  /// outside, labels and weights that the objective does not take.
  void ValidateTrainingData(std::shared_ptr<Components const> const& parts, DataMatrix const& train, bool custom);
  /// Makes the model the first rounds of `updated`, at the first round of process_type=update none of them.
  /// \throws Error(kParameter) unless a round is left.
  void PrepareUpdate(Undo* undo);
  template <typename SetGradients>
  void BoostRound(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration, bool custom,
                  SetGradients&& set_gradients);
  /// Brings the margins that training keeps for `data` up to date; an untrained model starts from its base score.
  Engine* UpdateMargins(Components const& parts, std::shared_ptr<DataMatrix const> const& data);
  Prediction Finish(Components const& parts, PredictOptions const& options, TreeRange trees, std::int64_t n_rows,
                    std::vector<float> values) const;
};

}  // namespace kauri
