/// Which way a metric is to go, by its name.
#include <string>

#include "booster/learner_impl.h"
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

}  // namespace

bool Learner::HigherIsBetter(std::string const& metric) const {
  auto const parts = impl_->Resolve();
  for (auto const& known : parts->metrics) {
    if (known->Name() == metric) return known->HigherIsBetter();
  }
  auto const* const entry = LongestPrefix(metric);
  if (entry == nullptr) return false;
  try {
    return entry->make("", parts->effective)->HigherIsBetter();
  } catch (Error const&) {  // a loss that cannot be made without its argument
    return false;
  }
}

}  // namespace kauri
