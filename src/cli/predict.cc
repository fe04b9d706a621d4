#include <algorithm>
#include <limits>

#include "booster/learner.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
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

/// A field of a CSV line.
std::string CsvText(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (auto const c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// A header and one line per row; with several outputs one line per row and output, which the first two columns number.
void WriteContributions(Model const& model, Prediction const& prediction, std::ostream* out) {
  auto const width = static_cast<std::size_t>(prediction.shape.back());
  auto const n_outputs = prediction.shape.size() > 2 ? static_cast<std::size_t>(prediction.shape[1]) : std::size_t{1};
  if (n_outputs > 1) *out << "row,output,";
  for (std::size_t feature = 0; feature + 1 < width; ++feature) {
    *out << (feature < model.feature_names.size() ? CsvText(model.feature_names[feature])
                                                  : "f" + std::to_string(feature))
         << ',';
  }
  *out << "bias\n";
  for (std::size_t line = 0; line < prediction.values.size() / width; ++line) {
    if (n_outputs > 1) *out << line / n_outputs << ',' << line % n_outputs << ',';
    for (std::size_t column = 0; column < width; ++column) {
      *out << prediction.values[line * width + column] << (column + 1 < width ? ',' : '\n');
    }
  }
}

}  // namespace

void Predict(Options const& options) {
  Learner learner;
  SetUpLearner(options, &learner);
  auto const& model = learner.GetModel();
  auto const data = ReadData(options, "test:data", options.cli.test_path);
  auto const prediction = learner.Predict(*data, ReadPredictOptions(options.cli, model));
  OutputFile file(options.cli.name_pred, "file of predictions");
  file.Stream().precision(std::numeric_limits<float>::max_digits10);
  if (options.cli.pred_contribs) {
    WriteContributions(model, prediction, &file.Stream());
  } else {
    for (auto const value : prediction.values) file.Stream() << value << '\n';
  }
  file.Close();
}

}  // namespace kauri::cli
