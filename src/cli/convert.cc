/// \file Tasks that read a model file, as untrusted input: convert writes it again, export writes it in another
/// language, check describes it, dump and importance print its trees and features.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "booster/export/targets.h"
#include "booster/learner.h"
#include "booster/model_io/dump.h"
#include "booster/model_io/model_io.h"
#include "cli/explanation_writer.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"

namespace kauri::cli {

void Convert(Options const& options) {
  auto const& cli = options.cli;
  FormatOfPath(cli.model_out);
  auto const dialect = ParseDialect(cli.model_dialect);
  CheckWritable(cli.model_out, "model");
  Learner learner;
  SetUpLearner(options, &learner);
  SaveModel(learner.GetModel(), cli.model_out, dialect);
  SayWritten("model of " + Counted(learner.NumIterations(), "round"), cli.model_out);
}

void Export(Options const& options) {
  auto const& cli = options.cli;
  auto const target = cli.export_target.empty() ? ExportTargetOf(cli.model_out) : cli.export_target;
  if (IsMadeByPython(target) || cli.export_test) return ExportByPython(options);
  OutputFile file(cli.model_out, "export");
  Learner learner;
  SetUpLearner(options, &learner);
  file.Stream() << ExportModel(*learner.Ready(), {target, cli.export_contributions});
  file.Close("model of " + Counted(learner.NumIterations(), "round") + " in " + target);
}

void Check(Options const& options) {
  Learner learner;
  SetUpLearner(options, &learner);
  auto const& model = learner.GetModel();
  std::cout << Presentable(options.cli.model_in) << ": sound; " << Presentable(model.booster) << " of "
            << Counted(learner.NumIterations(), "round");
  if (!model.IsLinear()) std::cout << ", " << Counted(static_cast<std::int64_t>(model.trees.size()), "tree");
  std::cout << ", " << Counted(model.n_features, "feature") << ", " << Counted(model.NumOutputs(), "output")
            << ", objective " << Presentable(model.objective) << '\n';
}

namespace {

void WriteText(std::vector<std::string> const& trees, std::ostream* out) {
  for (std::size_t tree = 0; tree < trees.size(); ++tree) *out << "booster[" << tree << "]:\n" << trees[tree];
}

void WriteJson(std::vector<std::string> const& trees, std::ostream* out) {
  *out << "[\n";
  for (std::size_t tree = 0; tree < trees.size(); ++tree) *out << (tree == 0 ? "" : ",\n") << trees[tree];
  *out << "\n]\n";
}

void WriteDot(std::vector<std::string> const& trees, std::ostream* out) {
  for (auto const& tree : trees) *out << tree << '\n';
}

}  // namespace

void Dump(Options const& options) {
  auto const& cli = options.cli;
  OutputFile file(cli.name_dump, "dump");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const& model = learner.GetModel();
  auto map = cli.fmap.empty() ? FeatureMap{model.feature_names, model.feature_types} : ReadFeatureMap(cli.fmap);
  // Names missing features: XGBoost's own maps number features from 0 where its data count from 1, and so lack the last
  // one.
  for (auto feature = static_cast<std::int64_t>(map.names.size()); !map.names.empty() && feature < model.n_features;
       ++feature) {
    map.names.push_back("f" + std::to_string(feature));
    map.types.emplace_back("q");
  }
  if (cli.dump_format != CliParam::kJson) map.categories = model.categories.names;  // people read the other formats
  char const* const formats[] = {"text", "json", "dot"};
  auto const trees = DumpModel(model, map, cli.dump_stats, formats[cli.dump_format]);
  switch (cli.dump_format) {
    case CliParam::kJson:
      WriteJson(trees, &file.Stream());
      break;
    case CliParam::kDot:
      WriteDot(trees, &file.Stream());
      break;
    default:
      WriteText(trees, &file.Stream());
  }
  file.Close(Counted(static_cast<std::int64_t>(trees.size()), model.IsLinear() ? "linear model" : "tree"));
}

// task=importance.

namespace {

using Score = std::pair<std::string, double>;

char const* ImportanceTypeName(int type) {
  char const* const names[] = {"weight", "gain", "cover", "total_gain", "total_cover"};
  return names[type];
}

/// Returns the scores of a linear model. A feature's score is its largest absolute weight over the outputs.
std::vector<Score> LinearScores(Model const& model, std::vector<std::string> const& names, char const* type) {
  auto const weights = LinearScore(model, type);
  auto const n_outputs = model.NumOutputs();
  std::vector<Score> scores;
  for (std::int64_t feature = 0; feature < model.n_features; ++feature) {
    double largest = 0;
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      largest = std::max(largest, std::fabs(static_cast<double>(weights[feature * n_outputs + output])));
    }
    scores.emplace_back(names[static_cast<std::size_t>(feature)], largest);
  }
  return scores;
}

std::vector<Score> TreeScores(Model const& model, std::vector<std::string> const& names, char const* type) {
  ColumnNames const columns(model, names);
  std::vector<Score> scores;
  for (auto const& [column, score] : FeatureScore(model, type)) scores.emplace_back(columns.Of(column), score);
  return scores;
}

}  // namespace

void WriteImportance(Options const& options) {
  OutputFile file(options.cli.name_importance, "file of importance");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const& model = learner.GetModel();
  auto const names = FeatureNames(model, options.feature_names);
  auto const* const type = ImportanceTypeName(options.cli.importance_type);
  auto scores = model.IsLinear() ? LinearScores(model, names, type) : TreeScores(model, names, type);
  std::stable_sort(scores.begin(), scores.end(), [](Score const& a, Score const& b) { return a.second > b.second; });
  file.Stream() << "feature," << type << '\n';
  for (auto const& [name, score] : scores) file.Stream() << CsvText(name) << ',' << MetricText(score) << '\n';
  file.Close("importance of " + Counted(static_cast<std::int64_t>(scores.size()), "feature"));
}

}  // namespace kauri::cli
