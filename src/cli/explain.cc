/// \file task=explain: SHAP values of a file's rows, a tile of rows at a time, so that memory is bounded by the data
/// and not by the result, which for interactions can be a thousand times larger.
#include <algorithm>
#include <charconv>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "booster/learner.h"
#include "booster/predict/dependence.h"
#include "booster/predict/explanation.h"
#include "booster/predict/prediction.h"
#include "booster/predict/sampled_explain.h"
#include "cli/explanation_writer.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"
#include "data/matrix_view.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

PredictKind KindOf(CliParam const& cli) {
  switch (cli.kind) {
    case CliParam::kInteractions:
      return PredictKind::kInteraction;
    case CliParam::kApproximate:
      return PredictKind::kApproxContribution;
    case CliParam::kBanzhaf:
      return PredictKind::kBanzhaf;
    case CliParam::kTaylor:
      return PredictKind::kTaylorInteraction;
    case CliParam::kBanzhafPairs:
      return PredictKind::kBanzhafInteraction;
    default:
      return PredictKind::kContribution;
  }
}

/// Returns a feature's number, given by its name or else by that number.
std::int64_t FeatureNumber(std::string const& which, std::vector<std::string> const& names) {
  auto const found = std::find(names.begin(), names.end(), which);
  if (found != names.end()) return found - names.begin();
  std::int64_t number = -1;
  auto const* const end = which.data() + which.size();
  auto const read = std::from_chars(which.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return number;
  auto const nearest = which.empty() ? std::string() : NearestName(which, names);
  Fail(ErrorKind::kParameter, "features: there is no feature ", Quoted(which),
       nearest.empty() ? "." : "; did you mean '" + nearest + "'?", " Give names or numbers, separated by commas.");
}

/// Returns the features that the parameter lists; all if it is empty.
std::vector<std::int64_t> FeaturesOf(std::string const& list, std::vector<std::string> const& names) {
  std::vector<std::int64_t> features;
  std::istringstream parts(list);
  for (std::string which; std::getline(parts, which, ',');) features.push_back(FeatureNumber(which, names));
  CheckFeatures(features, static_cast<std::int64_t>(names.size()));
  return features;
}

void WriteTiles(ReadyModel const& model, ExplainTask const& task, ExplainOptions const& options, std::int64_t tile_rows,
                ExplanationWriter* writer) {
  auto const n_rows = task.rows.NumRows();
  auto const& base_margin = task.base_margin;
  auto const margins_per_row = base_margin.size() / static_cast<std::size_t>(std::max<std::int64_t>(n_rows, 1));
  Progress progress(n_rows, "rows");
  for (std::int64_t begin = 0; begin < n_rows; begin += tile_rows) {
    auto const end = std::min(begin + tile_rows, n_rows);
    auto const margins = base_margin.subspan(static_cast<std::size_t>(begin) * margins_per_row,
                                             static_cast<std::size_t>(end - begin) * margins_per_row);
    RowWindow const tile(task.rows, begin, end);
    ExplainTask const of_tile{tile, margins, task.background, task.columns, task.background_columns};
    writer->Write(kauri::Explain(model, of_tile, options).values);
    progress.Update(end);
  }
}

}  // namespace

void Explain(Options const& options) {
  auto const& cli = options.cli;
  if (cli.kind == CliParam::kSampled) return ExplainSampledRows(options);
  if (cli.kind == CliParam::kSets) return ExplainSetsOfRows(options);
  if (cli.kind == CliParam::kDependence) return ExplainDependence(options);
  auto const is_npy = IsNpyPath("name_explain", cli.name_explain);
  OutputFile file(cli.name_explain, "file of explanations");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const ready = learner.Ready();
  auto const& model = ready->GetModel();
  auto const names = FeatureNames(model, options.feature_names);
  ExplainOptions explain;
  explain.kind = KindOf(cli);
  explain.iterations = {cli.iteration_begin, cli.iteration_end};
  explain.features = FeaturesOf(cli.features, names);
  explain.reduction = cli.reduce == CliParam::kMeanAbs ? ExplainReduction::kMeanAbs : ExplainReduction::kNone;
  auto const data = ReadRowsFor(*ready, options, "test:data", cli.test_path);
  auto const background = cli.background.empty() ? nullptr : ReadRowsFor(*ready, options, "background", cli.background);
  auto const rows = data->View();
  auto const against = background == nullptr ? nullptr : background->View();
  ExplainTask task{*rows, data->Info().base_margin, against.get(), DeclaredColumns::Of(data->Info())};
  if (background != nullptr) task.background_columns = DeclaredColumns::Of(background->Info());
  auto const shape = ShapeOfExplanation(model, names, rows->NumRows(), explain);
  auto const writer = is_npy ? MakeNpyWriter(shape, &file.Stream()) : MakeCsvWriter(shape, &file.Stream());
  if (shape.reduced) {
    writer->Write(kauri::Explain(*ready, task, explain).values);
  } else {
    auto const row_width = OutputWidth(model, explain.kind, {});
    WriteTiles(*ready, task, explain, ExplainTileRows(row_width), writer.get());
  }
  file.Close("explanations of " + Counted(rows->NumRows(), "row"));
}

// task=explain with kind=dependence.

namespace {

template <typename Number>
std::string ShortestText(Number value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr};
}

/// Writes a line per output, feature and interval: the interval's lower end and the mean margin. The last interval of a
/// feature is for missing values.
void WriteCurves(Dependence const& found, std::vector<std::string> const& names, std::ostream* out) {
  *out << (found.n_outputs > 1 ? "output,feature,from,value\n" : "feature,from,value\n");
  auto value = found.values.begin() + found.n_outputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto const begin = found.threshold_begin[i];
    auto const n_thresholds = found.threshold_begin[i + 1] - begin;
    auto const name = CsvText(names[i]);
    for (std::int64_t output = 0; output < found.n_outputs; ++output) {
      for (std::int64_t cell = 0; cell < n_thresholds + 2; ++cell) {
        auto const from = cell == 0              ? std::string("-inf")
                          : cell <= n_thresholds ? ShortestText(found.thresholds[ToSize(begin + cell - 1)])
                                                 : std::string("missing");
        if (found.n_outputs > 1) *out << output << ',';
        *out << name << ',' << from << ',' << ShortestText(*value++) << '\n';
      }
    }
  }
}

/// Requires that the curves are functions of the columns' own values, not of statistics that the model has for
/// categories.
void RequireOwnValues(Model const& model, std::vector<std::string> const& names,
                      std::vector<std::int64_t> const& features) {
  for (std::size_t feature = 0; feature < names.size(); ++feature) {
    auto const number = static_cast<std::int64_t>(feature);
    auto const is_asked = features.empty() || std::count(features.begin(), features.end(), number) > 0;
    if (!is_asked || !model.categories.Encodes(feature)) continue;
    Fail(ErrorKind::kParameter, "the model encodes the categories of column ", Quoted(names[feature]),
         " as numbers (categorical_encoding=ordered), so that its curve has no categories; list other columns in ",
         "features.");
  }
}

}  // namespace

void ExplainDependence(Options const& options) {
  auto const& cli = options.cli;
  if (IsNpyPath("name_explain", cli.name_explain)) {
    Fail(ErrorKind::kParameter, "name_explain=", cli.name_explain,
         " is a NumPy file, and the curves of kind=dependence have names and different lengths; give a .csv file.");
  }
  OutputFile file(cli.name_explain, "file of curves");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const ready = learner.Ready();
  auto const names = FeatureNames(ready->GetModel(), options.feature_names);
  DependenceOptions dependence;
  dependence.iterations = {cli.iteration_begin, cli.iteration_end};
  dependence.features = FeaturesOf(cli.features, names);
  RequireOwnValues(ready->GetModel(), names, dependence.features);
  auto const data = ReadRowsFor(*ready, options, "test:data", cli.test_path);
  auto const rows = data->View();
  auto const found = ComputeDependence(*ready, {*rows, data->Info()}, nullptr, dependence);
  std::vector<std::string> shown;
  for (auto const feature : dependence.features) shown.push_back(names[ToSize(feature)]);
  WriteCurves(found.sums, shown.empty() ? names : shown, &file.Stream());
  file.Close("curves of " + Counted(rows->NumRows(), "row"));
}

// task=explain with kind=sampled: a tile of rows at a time.

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
