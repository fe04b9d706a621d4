/// \file The insides of a Learner.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

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

/// \throws Error(kData) unless there is one value per row and output, or none.
void CheckBaseMargin(Span<float const> base_margin, std::int64_t n_rows, std::int64_t n_outputs);

/// What the parameters resolve to. Immutable, so shared by predicting threads.
struct Components {
  LearnerParam param;
  ParamMap effective;  ///< the user's parameters over the objective's defaults
  Context ctx;
  std::unique_ptr<Objective> objective;
  std::unique_ptr<Booster> booster;
  std::unique_ptr<Predictor> predictor;
  std::vector<std::unique_ptr<Metric>> metrics;
};

/// \throws Error(kParameter) when the parameters tell another number of classes apart than a model with rounds does.
void RequireSameClasses(Model const& model, Components const& parts);

/// \throws Error(kData) when training data want other outputs than a model with rounds has.
void RequireSameOutputs(Model const& model, Components const& parts, MetaInfo const& train);

struct Learner::Impl {
  mutable ParamMap params;  ///< as the user set them, aliases resolved; Resolve drops unknown names
  mutable std::vector<std::string> metric_names;  ///< eval_metric, in order, no duplicates; Resolve drops unknown ones
  mutable std::vector<std::string> notes;         ///< on parameters, for the log, once it is known what it takes
  mutable Model model;                            ///< Resolve fills in what follows from the parameters
  bool intercept_ready = false;                   ///< the base score is the user's, estimated or loaded
  std::unique_ptr<Model const> updated;           ///< process_type=update: what the rounds of `model` are taken from
  std::unique_ptr<Engine> engine;
  std::uint64_t checked_data = 0;  ///< id and revision of the training data whose labels were validated
  std::uint64_t checked_revision = 0;
  std::uint64_t learnt_data = 0;  ///< the same of the training data whose categories the model knows
  std::uint64_t learnt_revision = 0;
  std::shared_ptr<DataMatrix const> recoded;  ///< training data in the categories of the model
  std::uint64_t recoded_data = 0;             ///< id and revision of what `recoded` is made from
  std::uint64_t recoded_revision = 0;

  /// Guards what const calls fill lazily.
  mutable std::mutex mutex;
  mutable std::shared_ptr<Components const> components;
  mutable std::shared_ptr<CompiledModel const> compiled;
  mutable std::int64_t compiled_rounds = -1;

  /// Resolves the parameters if they changed. Safe from many threads.
  std::shared_ptr<Components const> Resolve() const;
  /// The whole model compiled for the predictor. Safe from many threads.
  std::shared_ptr<CompiledModel const> Compiled(Components const& parts) const;
  /// That of `parts`, or one with another shap_method. Understands what Compiled() returns.
  std::shared_ptr<Predictor const> PredictorFor(std::shared_ptr<Components const> const& parts,
                                                std::string const& shap_method) const;
  /// The base score as margins, [n_outputs].
  std::vector<float> StartMargins(Components const& parts) const;

  void ForgetResolved();
  void ForgetTraining();
  Engine* TheEngine(Components const& parts);
  /// \throws Error(kParameter) when the engine of a device would have to translate the categories of `data`.
  void CheckDeviceCategories(Components const& parts, DataMatrix const& data) const;
  /// `train`, or where it has the categories' names in another order than the model, a copy with the model's numbers,
  /// and further ones for names that the model does not know; kept until other data come.
  std::shared_ptr<DataMatrix const> InCategoriesOfModel(Components const& parts,
                                                        std::shared_ptr<DataMatrix const> const& train);
  /// Takes over the names of categories and adds those that `train` has to the ones that the model has seen.
  void LearnCategories(Components const& parts, DataMatrix const& train);
  /// Sizes and intercept of the model, before the first round. custom: gradients come from outside.
  void PrepareModel(Components const& parts, DataMatrix const& train, bool custom);
  void SetIntercept(Components const& parts, DataMatrix const& train, bool custom);
  void ValidateTrainingData(Components const& parts, DataMatrix const& train, bool custom);
  /// Makes the model the first rounds of `updated`, at the first round of process_type=update none of them.
  /// \throws Error(kParameter) unless a round is left. GiveUpUpdate undoes that first round.
  void PrepareUpdate();
  void GiveUpUpdate();
  template <typename SetGradients>
  void BoostRound(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration, bool custom,
                  SetGradients&& set_gradients);
  /// Brings the margins that training keeps for `data` up to date; an untrained model starts from its base score.
  Engine* UpdateMargins(Components const& parts, std::shared_ptr<DataMatrix const> const& data);
  Prediction Finish(Components const& parts, PredictOptions const& options, TreeRange trees, std::int64_t n_rows,
                    std::vector<float> values) const;
};

}  // namespace kauri
