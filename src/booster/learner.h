/// \file A whole booster as users hold it: parameters, objective, trees, metrics; the C ABI's BoosterHandle. It
/// consists of three objects: Configuration, the parameters; TrainedModel, the trained model; Training, the caches kept
/// between rounds. Predictions and explanations are functions of a ReadyModel (ready_model.h).
///
/// Training changes a Learner and must be done by one thread at a time; every const function is safe from many threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "booster/config/client.h"
#include "booster/model/ready_model.h"
#include "booster/model_io/dialect.h"
#include "booster/predict/prediction.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"
#include "kauri/engine.h"
#include "kauri/gradient.h"
#include "kauri/model.h"
#include "kauri/parameter.h"

namespace kauri {

struct ConfigDocument;
struct Request;
class Collective;
class Configuration;
class TrainedModel;
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

/// The objective's gradients at the model's margins.
struct ObjectiveGradients {};

/// Gradients in device memory, [n_rows] or [n_rows, n_outputs], for a learner that trains on that device.
struct DeviceGradients {
  DeviceArray const& gradients;
  DeviceArray const& hessians;
};

/// Source of a round's gradients; gradient pairs are [n_rows, n_outputs].
using RoundGradients = std::variant<ObjectiveGradients, Span<GradientPair const>, DeviceGradients, SplitGradients>;

class Learner {
 public:
  /// Creates a learner for a client library, whose conventions it follows.
  explicit Learner(Client const& client = Client());
  ~Learner();

  /// Sets a parameter, which takes effect in the next call that reads it. A name with several values (eval_metric) may
  /// be set repeatedly.
  void SetParam(std::string const& name, std::string const& value);
  /// See Configuration::Settle.
  void SettleParams();
  /// Makes later rounds and evaluations run over the ranks of `collective`; null: in this process alone. All ranks make
  /// the same calls with the same parameters. All data must then state which rows they hold (MetaInfo::global_rows).
  void SetCollective(std::shared_ptr<Collective> collective);
  /// Resolves parameters now. \throws Error(kParameter): unknown names (when validate_parameters is on), bad values,
  /// values that do not fit the model.
  void Configure() const;
  /// Returns the model for predictions, explanations and files. It is out of date once the learner changes.
  std::shared_ptr<ReadyModel const> Ready() const;

  /// Counts for every node of every tree the rows of `data` that reach it. shap_cover=count explains with these counts,
  /// and model files store them. Replaces the counts of an earlier call. With several ranks, every rank calls it, and
  /// the rows of all ranks count. \throws as kauri::CountRows.
  void CountRows(DataMatrix const& data);

  /// Announces a data set before the first round: an untrained booster takes its number of features from it.
  void AddData(std::shared_ptr<DataMatrix const> const& data);
  /// Trains one round: gradients at the current margins, then one tree per output and parallel tree. Changes nothing
  /// when it throws.
  void BoostRound(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration,
                  RoundGradients const& gradients = ObjectiveGradients());
  /// Evaluates every metric on every data set, in order.
  std::vector<EvaluationResult> Evaluate(std::vector<NamedData> const& sets);
  /// Returns "[iteration]\tname-metric:value\t..." as XGBoost prints it.
  static std::string FormatEvaluation(std::int64_t iteration, std::vector<EvaluationResult> const& results);

  /// Predicts as Predict() does; kValue and kMargin over all trees use the margins that training caches for `data`.
  Prediction PredictTraining(std::shared_ptr<DataMatrix const> const& data, PredictOptions const& options);
  /// Predicts the same into device memory. \throws Error(kData) unless `data` is in device memory.
  DevicePrediction PredictTrainingOnDevice(std::shared_ptr<DataMatrix const> const& data,
                                           PredictOptions const& options);

  /// Replaces the model. Parameters set so far stay. Unset parameters that the model stores (its objective with its
  /// parameters, booster, num_parallel_tree) become the model's. bytes: JSON or UBJSON.
  void LoadModel(Span<char const> bytes);
  void LoadModel(Model model);
  /// Ends the training. With several ranks, every rank calls it, and all ranks check that they have trained the same
  /// model. Logs the warning of WarnOfLostRounds(). \throws Error(kCollective), on all ranks, naming the ranks with
  /// another model.
  void EndTraining();
  /// Logs a warning if process_type=update has not yet restored all rounds of the model.
  void WarnOfLostRounds() const;
  /// Returns model and parameters together (used for pickling): opaque bytes for the same version of the library, or
  /// XGBoost's format for clients of XGBoost's package.
  std::string SaveSnapshot() const;
  /// Loads a snapshot of either format, or a model alone.
  void LoadSnapshot(Span<char const> bytes);
  /// Returns the dialect in which models are written for the client.
  ModelDialect Dialect() const;
  /// Returns the configuration document, for inspection.
  std::string SaveConfig() const;
  void LoadConfig(std::string const& json);

  /// Returns the model of Ready(), for saving: it includes the objective's parameters as set now.
  Model const& GetModel() const;
  /// Returns a learner with some of the rounds and the same parameters. \throws as SliceOf.
  std::unique_ptr<Learner> Slice(IterationRange range, std::int64_t step) const;
  /// Returns a learner whose margins are the means of the margins of `learners`, with the parameters of the first.
  /// \throws as AverageOf.
  static std::unique_ptr<Learner> Average(std::vector<Learner const*> const& learners);
  std::int64_t NumIterations() const;
  /// Returns an untrained learner with these parameters, for the same client.
  std::unique_ptr<Learner> Untrained(ParamMap const& params) const;
  /// Drops what training caches for its data sets (margins, sorted columns, bins).
  void Reset();

  std::map<std::string, std::string>& Attributes();
  std::map<std::string, std::string> const& Attributes() const;
  /// Sets column names or types. \throws as CheckColumnLabels, except for clients of XGBoost's package, whose boosters
  /// accept any.
  void SetFeatureInfo(std::string const& field, std::vector<std::string> const& values);
  /// Checks the columns of `data` before hours of work. \throws as rounds and predictions do for data with other
  /// columns than the model. For a booster without rounds, only names are compared, if it was given some.
  void CheckColumns(DataMatrix const& data) const;
  std::vector<std::string> const& FeatureInfo(std::string const& field) const;

 private:
  /// Checks that a round that asks for `asked` may be trained on `train`. Ends an unfinished process_type=update, with
  /// a warning, unless the round continues it.
  void CheckRound(std::shared_ptr<Components const> const& parts, DataMatrix const& train, Request const& asked,
                  ModelDraft* draft);
  /// Creates a learner with the parameters of another, and no model.
  explicit Learner(Configuration const& settings);
  void LoadConfig(ConfigDocument const& config);
  /// `config`: empty, or a configuration document.
  void LoadSnapshot(std::string const& config, Model model);
  /// Takes over the contents of `other`, which must not be used any more.
  void Take(Learner* other) noexcept;
  /// Returns the data to train on: `train` with the model's category codes. Prepares the draft for a round.
  std::shared_ptr<DataMatrix const> Prepare(Components const& parts, std::shared_ptr<DataMatrix const> const& train,
                                            bool custom, ModelDraft* draft);
  /// Updates the margins that training caches for `data`; an untrained model starts from its base score.
  Engine* UpdateMargins(std::shared_ptr<DataMatrix const> const& data, PredictOptions const& options);

  std::unique_ptr<Configuration> configuration_;
  std::unique_ptr<TrainedModel> model_;
  std::unique_ptr<Training> training_;
};

}  // namespace kauri
