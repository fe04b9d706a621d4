#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "booster/config/metrics.h"
#include "booster/learner.h"
#include "booster/predict/metric_intervals.h"
#include "cli/explanation_writer.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

PredictKind PredictionKindOf(CliParam const& cli) {
  if (cli.task == CliParam::kLeaf) return PredictKind::kLeaf;
  if (cli.pred_margin) return PredictKind::kMargin;
  return cli.pred_contribs ? PredictKind::kContribution : PredictKind::kValue;
}

PredictOptions ReadPredictOptions(CliParam const& cli, Model const& model) {
  PredictOptions predict;
  predict.kind = PredictionKindOf(cli);
  predict.iterations = {cli.iteration_begin, cli.iteration_end};
  if (cli.ntree_limit > 0) predict.iterations.end = cli.ntree_limit / std::max<std::int64_t>(model.n_parallel_trees, 1);
  return predict;
}

/// The model's predictions for the rows of test_path.
struct PredictedRows {
  std::shared_ptr<ReadyModel const> model;
  std::int64_t n_rows;
  Prediction prediction;
};

PredictedRows PredictRows(Options const& options) {
  Learner learner;
  SetUpLearner(options, &learner);
  auto const ready = learner.Ready();
  auto const data = ReadRowsFor(*ready, options, "test:data", options.cli.test_path);
  auto const view = data->View();
  GivenRows const rows{*view, data->Info().base_margin, DeclaredColumns::Of(data->Info())};
  return {ready, data->NumRows(), kauri::Predict(*ready, rows, ReadPredictOptions(options.cli, ready->GetModel()))};
}

}  // namespace

void Predict(Options const& options) {
  OutputFile file(options.cli.name_pred, "file of predictions");
  auto const [ready, n_rows, prediction] = PredictRows(options);
  file.Stream().precision(std::numeric_limits<float>::max_digits10);
  if (options.cli.pred_contribs) {
    auto const names = FeatureNames(ready->GetModel(), options.feature_names);
    auto const shape = ShapeOfExplanation(ready->GetModel(), names, n_rows, {});
    MakeCsvWriter(shape, &file.Stream())->Write(prediction.values);
  } else {
    for (auto const value : prediction.values) file.Stream() << value << '\n';
  }
  file.Close((options.cli.pred_contribs ? "contributions of " : "predictions of ") + Counted(n_rows, "row"));
}

void PredictLeaves(Options const& options) {
  OutputFile file(options.cli.name_pred, "file of leaves");
  auto const [ready, n_rows, prediction] = PredictRows(options);
  auto const n_trees = n_rows == 0 ? 0 : static_cast<std::int64_t>(prediction.values.size()) / n_rows;
  Span<float const> const leaves(prediction.values);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::int64_t tree = 0; tree < n_trees; ++tree) {
      file.Stream() << (tree == 0 ? "" : ",") << static_cast<std::int64_t>(leaves[row * n_trees + tree]);
    }
    file.Stream() << '\n';
  }
  file.Close("leaves of " + Counted(n_rows, "row"));
}

// task=evaluate.

namespace {

/// Writes a line for each metric.
void WriteMetrics(ReadyModel const& ready, NamedData const& set, std::int64_t n_resamples, std::ostream* out) {
  RequireQueries(*ready.Parts(), set.data->Info());
  ResamplingOptions const options{n_resamples, static_cast<std::uint64_t>(ready.Parts()->param.seed)};
  for (auto const& metric : EvaluateWithIntervals(ready, *set.data, options)) {
    *out << CsvText(set.name) << ',' << CsvText(metric.name) << ',' << MetricText(metric.value);
    if (n_resamples > 0) *out << ',' << MetricText(metric.interval.low) << ',' << MetricText(metric.interval.high);
    *out << '\n';
  }
}

/// Returns the names and paths of the sets to evaluate. test:data is called test, or test:data where eval[test] is
/// another path; where it is the same path, it is evaluated once.
std::vector<std::pair<std::string, std::string>> SetsToEvaluate(Options const& options) {
  auto sets = options.evaluation_sets;
  auto const& path = options.cli.test_path;
  if (path.empty()) return sets;
  auto const test = std::find_if(sets.begin(), sets.end(), [](auto const& set) { return set.first == "test"; });
  if (test == sets.end()) {
    sets.insert(sets.begin(), {"test", path});
  } else if (test->second != path) {
    sets.insert(sets.begin(), {"test:data", path});
  }
  return sets;
}

}  // namespace

void Evaluate(Options const& options) {
  OutputFile file(options.cli.name_evaluation, "evaluation");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const ready = learner.Ready();
  auto const sets = SetsToEvaluate(options);
  file.Stream() << (options.cli.n_resamples > 0 ? "data,metric,value,low,high\n" : "data,metric,value\n");
  for (auto const& [name, uri] : sets) {
    auto const is_test = uri == options.cli.test_path && (name == "test" || name == "test:data");
    auto const key = is_test ? std::string("test:data") : "eval[" + name + "]";
    auto data = ReadRowsFor(*ready, options, key, uri, LabelUse::kCompared);
    WriteMetrics(*ready, {name, std::move(data)}, options.cli.n_resamples, &file.Stream());
  }
  file.Close("metrics of " + Counted(static_cast<std::int64_t>(sets.size()), "set"));
}

}  // namespace kauri::cli
