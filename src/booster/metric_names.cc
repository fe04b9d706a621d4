#include "booster/metric_names.h"

#include "common/quoted.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

using MetricEntry = Registry<MetricFactory>::Entry;

/// The registered metric with the longest name that `name` begins with; nullptr: none.
MetricEntry const* LongestPrefix(std::string const& name) {
  MetricEntry const* longest = nullptr;
  for (auto const& registered : GetRegistries().metrics.Names()) {
    if (name.compare(0, registered.size(), registered) != 0) continue;
    if (longest == nullptr || registered.size() > longest->name.size()) {
      longest = GetRegistries().metrics.TryFind(registered);
    }
  }
  return longest;
}

/// Tried: no other part of a registered metric says it.
bool TakesArgument(MetricEntry const& entry, ParamMap const& params) {
  try {
    return !entry.make("1", params)->Argument().empty();
  } catch (Error const&) {  // it takes one, though not this
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
  auto const& entry = GetRegistries().metrics.Find(name.substr(0, at));
  if (at == std::string::npos) return entry.make("", params);
  auto const argument = name.substr(at + 1);
  if (argument.empty()) RefuseArgument(name, entry, params);
  auto metric = entry.make(argument, params);
  if (metric->Argument().empty()) RefuseArgument(name, entry, params);
  return metric;
}

bool HigherIsBetter(Components const& parts, std::string const& metric) {
  for (auto const& known : parts.metrics) {
    if (known->Name() == metric) return known->HigherIsBetter();
  }
  auto const* const entry = LongestPrefix(metric);
  if (entry == nullptr) return false;
  try {
    return entry->make("", parts.effective)->HigherIsBetter();
  } catch (Error const&) {  // a loss that cannot be made without its argument
    return false;
  }
}

}  // namespace kauri
