/// \file task=evaluate.
#include <string>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "booster/prediction.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/resampling.h"
#include "cli/tasks.h"
#include "data/meta_info.h"

namespace kauri::cli {
namespace {

/// What metrics look at, [n_rows, n_outputs].
std::vector<float> ValuesForMetrics(ReadyModel const& ready, DataMatrix const& data) {
  auto const view = data.View();
  GivenRows const rows{*view, data.Info().base_margin, DeclaredColumns::Of(data.Info())};
  PredictOptions margins;
  margins.kind = PredictKind::kMargin;
  auto values = kauri::Predict(ready, rows, margins).values;
  auto const& parts = *ready.Parts();
  if (!parts.objective->EvaluatesMargins()) {
    parts.objective->TransformMargins(parts.ctx, values, ready.GetModel().NumOutputs());
  }
  return values;
}

/// A line for each metric.
void WriteMetrics(ReadyModel const& ready, NamedData const& set, std::int64_t n_resamples, std::ostream* out) {
  auto const& parts = *ready.Parts();
  auto const& info = set.data->Info();
  ValidateInfo(info);
  auto const values = ValuesForMetrics(ready, *set.data);
  for (auto const& metric : parts.metrics) {
    *out << CsvText(set.name) << ',' << CsvText(metric->Name()) << ','
         << MetricText(metric->Evaluate(parts.ctx, values, info));
    if (n_resamples > 0) {
      auto const interval = BootstrapInterval(parts.ctx, *metric, values, info,
                                              {n_resamples, static_cast<std::uint64_t>(parts.param.seed)});
      *out << ',' << MetricText(interval.low) << ',' << MetricText(interval.high);
    }
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
  if (!options.cli.test_path.empty()) sets.insert(sets.begin(), {"test", options.cli.test_path});
  file.Stream() << (options.cli.n_resamples > 0 ? "data,metric,value,low,high\n" : "data,metric,value\n");
  for (auto const& [name, uri] : sets) {
    auto const key = uri == options.cli.test_path && name == "test" ? std::string("test:data") : "eval[" + name + "]";
    WriteMetrics(*ready, {name, ReadRowsFor(*ready, options, key, uri)}, options.cli.n_resamples, &file.Stream());
  }
  file.Close("metrics of " + Counted(static_cast<std::int64_t>(sets.size()), "set"));
}

}  // namespace kauri::cli
