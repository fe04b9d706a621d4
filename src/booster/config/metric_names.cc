#include "booster/config/metric_names.h"

#include <algorithm>

#include "booster/names/other_names.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

using MetricEntry = Registry<MetricFactory>::Entry;

/// Returns whether a metric takes an argument. Found by trial: a registered metric does not declare it.
bool TakesArgument(MetricEntry const& entry, ParamMap const& params) {
  try {
    return !entry.make("1", params)->Argument().empty();
  } catch (Error const&) {  // it takes an argument, but not "1"
    return true;
  }
}

[[noreturn]] void RefuseArgument(std::string const& name, MetricEntry const& entry, ParamMap const& params) {
  auto const takes = TakesArgument(entry, params);
  Fail(ErrorKind::kParameter, "metric ", Quoted(name), ": ",
       takes ? "a value is missing after '@'" : entry.name + " takes no value", "; write ", entry.name,
       takes ? ", or the value as well. " : ". ", entry.name, ": ", entry.description);
}

}  // namespace

std::unique_ptr<Metric> MakeMetric(std::string const& name, ParamMap const& params) {
  auto const at = name.find('@');
  auto const known_as = name.substr(0, at);
  auto const& metrics = GetRegistries().metrics;
  if (metrics.TryFind(known_as) == nullptr) RefuseOtherName(NameKind::kMetric, known_as);
  auto const& entry = metrics.Find(known_as);
  if (at == std::string::npos) return entry.make("", params);
  auto const argument = name.substr(at + 1);
  if (argument.empty()) RefuseArgument(name, entry, params);
  auto metric = entry.make(argument, params);
  if (metric->Argument().empty()) RefuseArgument(name, entry, params);
  return metric;
}

MetricDirection DirectionOf(Components const& parts, std::string const& metric) {
  auto const direction = [](Metric const& known) {
    return known.HigherIsBetter() ? MetricDirection::kHigher : MetricDirection::kLower;
  };
  for (auto const& known : parts.metrics) {
    if (known->Name() == metric) return direction(*known);
  }
  auto const* const entry = GetRegistries().metrics.TryFind(metric.substr(0, metric.find('@')));
  if (entry == nullptr) return MetricDirection::kUnknown;
  try {
    return direction(*entry->make("", parts.effective));
  } catch (Error const&) {  // a loss that cannot be made without its argument
    return MetricDirection::kLower;
  }
}

void RequireQueries(Components const& parts, MetaInfo const& info) {
  if (!info.group_ptr.empty()) return;
  for (auto const& metric : parts.metrics) {
    auto const name = metric->Name();
    auto const of_queries = {"ndcg", "map", "pre"};
    if (std::find(of_queries.begin(), of_queries.end(), name.substr(0, name.find('@'))) == of_queries.end()) continue;
    Fail(ErrorKind::kData, name,
         " ranks the rows of each query, but the data have no queries; give the query of each row ",
         "(qid), or the number of rows of each query (group; for a single query, the number of all rows).");
  }
}

}  // namespace kauri
