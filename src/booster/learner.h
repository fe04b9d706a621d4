/// \file The whole of a booster as users hold it: parameters, objective, trees, metrics. What the C ABI's BoosterHandle
/// is.
///
/// Training changes a Learner and must be done by one thread at a time; every const function is safe from many threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "booster/explain.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"
#include "kauri/gradient.h"
#include "kauri/model.h"
#include "kauri/parameter.h"
#include "kauri/predictor.h"

namespace kauri {

struct PredictOptions {
  PredictKind kind = PredictKind::kValue;
  IterationRange iterations;
  bool strict_shape = false;
  std::string shap_method;                 ///< empty: the parameter shap_method decides
  std::vector<std::string> feature_types;  ///< [n_cols], of rows in place; empty: they say nothing of them
};

/// values: row-major; shape as XGBoost's C ABI reports it.
struct Prediction {
  std::vector<float> values;
  std::vector<std::uint64_t> shape;
};

/// The same with the values in device memory.
struct DevicePrediction {
  std::unique_ptr<DeviceFloats> values;
  std::vector<std::uint64_t> shape;
};

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

class Learner {
 public:
  Learner();
  ~Learner();

  /// Takes effect before the next call that needs it. A name with several values (eval_metric) may be set repeatedly.
  void SetParam(std::string const& name, std::string const& value);
  /// Resolves parameters now. \throws Error(kParameter): unknown names (when validate_parameters is on), bad values.
  void Configure();
  /// Worker threads that the parameters ask for.
  int NumThreads() const;

  /// Counts for every node of every tree how many rows of `data` reach it, whatever their weights: what
  /// shap_cover=count explains with, and what model files keep. Counts of an earlier call are replaced.
  /// \throws Error(kModel) without a model, Error(kData) for more columns than it knows.
  void CountRows(DataMatrix const& data);

  /// Announces a data set before the first round: an untrained booster takes its number of features from it.
  void AddData(std::shared_ptr<DataMatrix const> const& data);
  /// One round: gradients of the objective at the current margins, then one tree per output and parallel tree.
  void UpdateOneIteration(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration);
  /// One round from given gradients, [n_rows, n_outputs].
  void BoostOneIteration(std::shared_ptr<DataMatrix const> const& train, Span<GradientPair const> gradients,
                         std::int64_t iteration);
  /// Whether training runs on a device, so that gradients may stay there.
  bool TrainsOnDevice() const;
  /// One round from gradients and hessians in device memory, [n_rows] or [n_rows, n_outputs], when TrainsOnDevice().
  void BoostOneIteration(std::shared_ptr<DataMatrix const> const& train, DeviceArray const& gradients,
                         DeviceArray const& hessians, std::int64_t iteration);
  /// Every metric on every data set, in order.
  std::vector<EvaluationResult> Evaluate(std::vector<NamedData> const& sets);
  /// Whether larger values of the metric are better. A name that no metric has (one of the user's own) goes the way of
  /// the metric whose name it begins with; without one, smaller is better.
  bool HigherIsBetter(std::string const& metric) const;
  /// "[iteration]\tname-metric:value\t..." as XGBoost prints it.
  static std::string FormatEvaluation(std::int64_t iteration, std::vector<EvaluationResult> const& results);

  /// memory: taken over for the values. Large enough, it saves the system from making new pages, which takes as long as
  /// several devices need to fill them.
  Prediction Predict(DataMatrix const& data, PredictOptions const& options, std::vector<float> memory = {}) const;
  /// The same for kValue and kMargin over all trees, from the margins that training keeps for `data`.
  Prediction PredictTraining(std::shared_ptr<DataMatrix const> const& data, PredictOptions const& options);
  /// base_margin: [n_rows, n_outputs] or empty.
  Prediction PredictInPlace(DataView const& rows, Span<float const> base_margin, PredictOptions const& options,
                            std::vector<float> memory = {}) const;

  /// Each row's explanation, or their reduction; shape [n_rows unless reduced, n_outputs if several or strict, columns,
  /// columns again of pairs]. Memory beyond the result: a tile of full rows. \throws Error(kParameter): no explanation,
  /// features that do not exist, a background for other than kContribution; Error(kData): rows that do not fit.
  Prediction Explain(ExplainTask const& task, ExplainOptions const& options) const;
  /// Interactions as Predictor::PredictSparse gives them; takes no background.
  SparseInteractions ExplainSparse(ExplainTask const& task, SparseOptions const& options) const;

  /// In place on rows in device memory, with the result in the memory of that device. What has no device version is
  /// computed from a copy of the rows in host memory.
  DevicePrediction PredictOnDevice(DeviceStorage const& rows, Span<float const> base_margin,
                                   PredictOptions const& options) const;
  /// As Predict and PredictTraining. \throws Error(kData) unless `data` is in device memory.
  DevicePrediction PredictOnDevice(DataMatrix const& data, PredictOptions const& options) const;
  DevicePrediction PredictTrainingOnDevice(std::shared_ptr<DataMatrix const> const& data,
                                           PredictOptions const& options);

  /// Replaces the model, objective included; other parameters set so far stay. bytes: JSON or UBJSON.
  void LoadModel(Span<char const> bytes);
  /// Model and parameters in one (what pickling uses). Opaque bytes, for the same version of the library.
  std::string SaveSnapshot() const;
  void LoadSnapshot(Span<char const> bytes);
  /// The configuration document, for inspection.
  std::string SaveConfig() const;
  void LoadConfig(std::string const& json);

  /// Ready for saving: with what the parameters say of the objective. Configures first.
  Model const& GetModel() const;
  /// Iterations begin, begin + step, ... below end (0: all). \throws Error(kParameter) when out of range.
  std::unique_ptr<Learner> Slice(IterationRange range, std::int64_t step) const;
  std::int64_t NumIterations() const;
  /// Margins per row: classes, targets or 1.
  std::int64_t NumOutputs() const;
  /// Forgets what training keeps for its data sets (margins, sorted columns, bins).
  void Reset();

  std::map<std::string, std::string>& Attributes();
  std::map<std::string, std::string> const& Attributes() const;
  void SetFeatureInfo(std::string const& field, std::vector<std::string> const& values);
  std::vector<std::string> const& FeatureInfo(std::string const& field) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Every parameter that any component declares, grouped: (heading, table). For --help and for checking names.
std::vector<std::pair<std::string, ParameterTable>> AllParameters();

}  // namespace kauri
