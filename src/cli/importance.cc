/// \file task=importance.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "booster/model_io/dump.h"
#include "cli/explanation_writer.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"

namespace kauri::cli {
namespace {

using Score = std::pair<std::string, double>;

char const* NameOf(int type) {
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
  auto const* const type = NameOf(options.cli.importance_type);
  auto scores = model.IsLinear() ? LinearScores(model, names, type) : TreeScores(model, names, type);
  std::stable_sort(scores.begin(), scores.end(), [](Score const& a, Score const& b) { return a.second > b.second; });
  file.Stream() << "feature," << type << '\n';
  for (auto const& [name, score] : scores) file.Stream() << CsvText(name) << ',' << MetricText(score) << '\n';
  file.Close("importance of " + Counted(static_cast<std::int64_t>(scores.size()), "feature"));
}

}  // namespace kauri::cli
