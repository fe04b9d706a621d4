#include <algorithm>
#include <limits>

#include "booster/learner.h"
#include "cli/explanation_writer.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

PredictOptions ReadPredictOptions(CliParam const& cli, Model const& model) {
  PredictOptions predict;
  if (cli.pred_margin) predict.kind = PredictKind::kMargin;
  if (cli.pred_contribs) predict.kind = PredictKind::kContribution;
  predict.iterations = {cli.iteration_begin, cli.iteration_end};
  if (cli.ntree_limit > 0) predict.iterations.end = cli.ntree_limit / std::max<std::int64_t>(model.n_parallel_trees, 1);
  return predict;
}

}  // namespace

void Predict(Options const& options) {
  OutputFile file(options.cli.name_pred, "file of predictions");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const ready = learner.Ready();
  auto const& model = ready->GetModel();
  auto const data = ReadValues(options, "test:data", options.cli.test_path);
  auto const view = data->View();
  GivenRows const rows{*view, data->Info().base_margin, DeclaredColumns::Of(data->Info())};
  auto const prediction = kauri::Predict(*ready, rows, ReadPredictOptions(options.cli, model));
  file.Stream().precision(std::numeric_limits<float>::max_digits10);
  if (options.cli.pred_contribs) {
    MakeCsvWriter(ShapeOfExplanation(model, data->NumRows(), {}), &file.Stream())->Write(prediction.values);
  } else {
    for (auto const value : prediction.values) file.Stream() << value << '\n';
  }
  file.Close((options.cli.pred_contribs ? "contributions of " : "predictions of ") + Counted(data->NumRows(), "row"));
}

}  // namespace kauri::cli
