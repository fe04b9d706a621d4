/// \file task=explain with kind=sampled: a tile of rows at a time.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "booster/learner.h"
#include "booster/predict/sampled_explain.h"
#include "cli/explanation_writer.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "data/row_window.h"

namespace kauri::cli {
namespace {

SampledOptions SampledOptionsOf(CliParam const& cli) {
  SampledOptions options;
  options.output = cli.explain_output == CliParam::kOfMargins  ? ExplainedOutput::kMargin
                   : cli.explain_output == CliParam::kOfValues ? ExplainedOutput::kValue
                                                               : ExplainedOutput::kLoss;
  options.iterations = {cli.iteration_begin, cli.iteration_end};
  options.shapley.method = ShapleyMethodNamed(cli.orders);
  options.shapley.n_orders = cli.n_orders;
  return options;
}

/// Returns the labels and base margins of the rows [begin, end).
MetaInfo InfoOf(MetaInfo const& info, std::int64_t begin, std::int64_t end) {
  auto const part = [&](std::vector<float> const& of_all) {
    auto const per_row = of_all.size() / static_cast<std::size_t>(info.n_rows);
    auto const first = of_all.begin() + begin * static_cast<std::int64_t>(per_row);
    return std::vector<float>(first, first + (end - begin) * static_cast<std::int64_t>(per_row));
  };
  MetaInfo of_tile;
  of_tile.n_rows = end - begin;
  of_tile.n_cols = info.n_cols;
  of_tile.n_targets = info.n_targets;
  of_tile.labels = part(info.labels);
  of_tile.base_margin = part(info.base_margin);
  return of_tile;
}

/// An output file, of values or of errors.
class SampledFile {
 public:
  SampledFile(char const* key, std::string const& path, std::string const& role)
      : is_npy_(IsNpyPath(key, path)), file_(path, role) {}

  void Begin(ExplanationShape const& shape) {
    writer_ = is_npy_ ? MakeNpyWriter(shape, &file_.Stream()) : MakeCsvWriter(shape, &file_.Stream());
  }
  void Write(std::vector<double> const& numbers) { writer_->Write(std::vector<float>(numbers.begin(), numbers.end())); }
  void Close(std::string const& contents) { file_.Close(contents); }

 private:
  bool is_npy_;
  OutputFile file_;
  std::unique_ptr<ExplanationWriter> writer_;
};

ExplanationShape ShapeOf(Model const& model, std::vector<std::string> columns, std::int64_t n_rows,
                         SampledOptions const& options) {
  columns.emplace_back("bias");
  return {n_rows, false, options.output == ExplainedOutput::kLoss ? 1 : model.NumOutputs(), false, columns};
}

}  // namespace

void ExplainSampledRows(Options const& options) {
  constexpr std::int64_t kTileRows = 256;
  auto const& cli = options.cli;
  auto const how = SampledOptionsOf(cli);
  SampledFile values("name_explain", cli.name_explain, "file of explanations");
  std::unique_ptr<SampledFile> errors;
  if (!cli.name_errors.empty()) {
    errors = std::make_unique<SampledFile>("name_errors", cli.name_errors, "file of standard errors");
  }
  Learner learner;
  SetUpLearner(options, &learner);
  auto const ready = learner.Ready();
  auto const labels = how.output == ExplainedOutput::kLoss ? LabelUse::kCompared : LabelUse::kNone;
  auto const data = ReadRowsFor(*ready, options, "test:data", cli.test_path, labels);
  auto const background = ReadRowsFor(*ready, options, "background", cli.background);
  auto const rows = data->View();
  auto const against = background->View();
  auto const n_rows = rows->NumRows();
  auto const shape = ShapeOf(ready->GetModel(), FeatureNames(ready->GetModel(), options.feature_names), n_rows, how);
  values.Begin(shape);
  if (errors != nullptr) errors->Begin(shape);
  Progress progress(n_rows, "rows");
  for (std::int64_t begin = 0; begin < n_rows; begin += kTileRows) {
    auto const end = std::min(begin + kTileRows, n_rows);
    RowWindow const tile(*rows, begin, end);
    auto const info = InfoOf(data->Info(), begin, end);
    auto const found = ExplainSampled(
        *ready, {tile, info, *against, DeclaredColumns::Of(data->Info()), DeclaredColumns::Of(background->Info())},
        how);
    values.Write(found.values);
    if (errors != nullptr) errors->Write(found.errors);
    progress.Update(end);
  }
  progress.Clear();
  values.Close("explanations of " + Counted(n_rows, "row"));
  if (errors != nullptr) errors->Close("their standard errors");
}

}  // namespace kauri::cli
