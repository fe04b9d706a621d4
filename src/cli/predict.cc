#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "booster/learner.h"
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

}  // namespace kauri::cli
