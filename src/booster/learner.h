/// \file The whole of a booster as users hold it: parameters, objective, trees, metrics. What the C ABI's BoosterHandle
/// is. It holds three objects, and what predictions and explanations are functions of (ready_model.h): Configuration,
/// the parameters; LearntModel, what was learnt; Training, what rounds keep besides.
///
/// Training changes a Learner and must be done by one thread at a time; every const function is safe from many threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "booster/device_prediction.h"
#include "booster/model_io/dialect.h"
#include "booster/prediction.h"
#include "booster/ready_model.h"
#include "common/client.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"
#include "kauri/engine.h"
#include "kauri/gradient.h"
#include "kauri/model.h"
#include "kauri/parameter.h"

namespace kauri {

struct ConfigDocument;
class Collective;
class Configuration;
class LearntModel;
class ModelDraft;
class Training;

struct NamedData {
  std::string name;
  std::shared_ptr<DataMatrix const> data;
};

struct EvaluationResult {
  std::string data_name;
  std::string metric;
  double value;
  bool higher_is_better;
};

/// At the model's margins.
struct ObjectiveGradients {};

/// In device memory, [n_rows] or [n_rows, n_outputs], of a learner that trains there.
struct DeviceGradients {
  DeviceArray const& gradients;
  DeviceArray const& hessians;
};

/// Where the gradients of a round come from; pairs given are [n_rows, n_outputs].
using RoundGradients = std::variant<ObjectiveGradients, Span<GradientPair const>, DeviceGradients, SplitGradients>;

class Learner {
 public:
  /// For a client with habits of its own.
  explicit Learner(Client const& client = Client());
  ~Learner();

  /// Takes effect before the next call that needs it. A name with several values (eval_metric) may be set repeatedly.
  void SetParam(std::string const& name, std::string const& value);
  /// See Configuration::Settle.
  void SettleParams();
  /// Rounds and evaluations are of its ranks from now on, each of which calls as often and with the same parameters;
  /// null: of this process alone. All data then say which rows they have (MetaInfo::global_rows).
  void SetCollective(std::shared_ptr<Collective> collective);
  /// Resolves parameters now. \throws Error(kParameter): unknown names (when validate_parameters is on), bad values,
  /// those that do not fit the model.
  void Configure() const;
  /// What predictions, explanations and files are made of. It is of no use once the learner was changed.
  std::shared_ptr<ReadyModel const> Ready() const;

  /// Counts for every node of every tree how many rows of `data` reach it: what shap_cover=count explains with, and
  /// what model files keep. Counts of an earlier call are replaced. In a group every rank calls it and all rows count.
  /// \throws as kauri::CountRows.
  void CountRows(DataMatrix const& data);

  /// Announces a data set before the first round: an untrained booster takes its number of features from it.
  void AddData(std::shared_ptr<DataMatrix const> const& data);
  /// One round: gradients at the current margins, then one tree per output and parallel tree. Changes nothing when it
  /// throws.
  void BoostRound(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration,
                  RoundGradients const& gradients = ObjectiveGradients());
  /// Every metric on every data set, in order.
  std::vector<EvaluationResult> Evaluate(std::vector<NamedData> const& sets);
  /// "[iteration]\tname-metric:value\t..." as XGBoost prints it.
  static std::string FormatEvaluation(std::int64_t iteration, std::vector<EvaluationResult> const& results);

  /// As Predict; kValue and kMargin over all trees from the margins that training keeps for `data`.
  Prediction PredictTraining(std::shared_ptr<DataMatrix const> const& data, PredictOptions const& options);
  /// The same in device memory. \throws Error(kData) unless `data` is there.
  DevicePrediction PredictTrainingOnDevice(std::shared_ptr<DataMatrix const> const& data,
                                           PredictOptions const& options);

  /// Replaces the model. Parameters set so far stay; those that were not set and that the model says (its objective
  /// with its parameters, booster, num_parallel_tree) are the model's. bytes: JSON or UBJSON.
  void LoadModel(Span<char const> bytes);
  /// The training has come to its end. In a group every rank calls it, and all find out whether they have learnt the
  /// same model; the log gets what WarnOfLostRounds says. \throws Error(kCollective), on all ranks, naming those that
  /// have another model.
  void EndTraining();
  /// The log has a word where process_type=update has not given the model all of its rounds back.
  void WarnOfLostRounds() const;
  /// Model and parameters in one (what pickling uses). Opaque bytes, for the same version of the library; for clients
  /// of XGBoost's package what XGBoost reads.
  std::string SaveSnapshot() const;
  /// Of either kind, or of a model alone.
  void LoadSnapshot(Span<char const> bytes);
  /// What models are written in for the client.
  ModelDialect Dialect() const;
  /// The configuration document, for inspection.
  std::string SaveConfig() const;
  void LoadConfig(std::string const& json);

  /// Ready for saving: with what the parameters say of the objective. It is that of Ready().
  Model const& GetModel() const;
  /// A learner of some rounds, with the same parameters. \throws as SliceOf.
  std::unique_ptr<Learner> Slice(IterationRange range, std::int64_t step) const;
  /// One whose margins are the means of those of `learners`, with the parameters of the first. \throws as AverageOf.
  static std::unique_ptr<Learner> Average(std::vector<Learner const*> const& learners);
  std::int64_t NumIterations() const;
  /// A learner of these parameters, for the same client, that has learnt nothing yet.
  std::unique_ptr<Learner> Untrained(ParamMap const& params) const;
  /// Forgets what training keeps for its data sets (margins, sorted columns, bins).
  void Reset();

  std::map<std::string, std::string>& Attributes();
  std::map<std::string, std::string> const& Attributes() const;
  /// \throws as CheckColumnLabels, but for clients of XGBoost's, whose boosters take any.
  void SetFeatureInfo(std::string const& field, std::vector<std::string> const& values);
  /// Before hours of work: \throws as rounds and predictions do for data with other columns than the model's. Those of
  /// a booster without rounds are its names, where it was given some.
  void CheckColumns(DataMatrix const& data) const;
  std::vector<std::string> const& FeatureInfo(std::string const& field) const;

 private:
  void BoostRound(std::shared_ptr<Components const> const& parts, std::shared_ptr<DataMatrix const> const& train,
                  std::int64_t iteration, RoundGradients const& gradients);
  /// With the parameters of another, and no model.
  explicit Learner(Configuration const& settings);
  void LoadModel(Model model);
  void LoadConfig(ConfigDocument const& config);
  /// `config`: empty, or a configuration document.
  void LoadSnapshot(std::string const& config, Model model);
  /// Becomes `other`, which is of no use any more.
  void Take(Learner* other) noexcept;
  /// What `train` is learnt from: it in the categories of the model, whose draft is prepared for a round.
  std::shared_ptr<DataMatrix const> Prepare(Components const& parts, std::shared_ptr<DataMatrix const> const& train,
                                            bool custom, ModelDraft* draft);
  /// Brings the margins that training keeps for `data` up to date; an untrained model starts from its base score.
  Engine* UpdateMargins(std::shared_ptr<DataMatrix const> const& data, PredictOptions const& options);

  std::unique_ptr<Configuration> configuration_;
  std::unique_ptr<LearntModel> model_;
  std::unique_ptr<Training> training_;
};

}  // namespace kauri
