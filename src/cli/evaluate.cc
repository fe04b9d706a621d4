/// \file task=evaluate.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "booster/config/metric_names.h"
#include "booster/learner.h"
#include "booster/predict/metric_intervals.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"

namespace kauri::cli {
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

}  // namespace

void Evaluate(Options const& options) {
  OutputFile file(options.cli.name_evaluation, "evaluation");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const ready = learner.Ready();
  auto sets = options.evaluation_sets;
  auto const& test_path = options.cli.test_path;
  auto const has_test = std::any_of(sets.begin(), sets.end(),
                                    [&](auto const& set) { return set.first == "test" && set.second == test_path; });
  if (!test_path.empty() && !has_test) sets.insert(sets.begin(), {"test", test_path});
  file.Stream() << (options.cli.n_resamples > 0 ? "data,metric,value,low,high\n" : "data,metric,value\n");
  for (auto const& [name, uri] : sets) {
    auto const key = uri == options.cli.test_path && name == "test" ? std::string("test:data") : "eval[" + name + "]";
    auto data = ReadRowsFor(*ready, options, key, uri, LabelUse::kCompared);
    WriteMetrics(*ready, {name, std::move(data)}, options.cli.n_resamples, &file.Stream());
  }
  file.Close("metrics of " + Counted(static_cast<std::int64_t>(sets.size()), "set"));
}

}  // namespace kauri::cli
