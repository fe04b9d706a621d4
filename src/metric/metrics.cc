#include "metric/metrics.h"

#include <memory>
#include <type_traits>

#include "metric/element_metric.h"
#include "metric/metric_table.h"

namespace kauri {
namespace {

/// Constructs a loss from the text after '@', from parameters, or from nothing, whichever it accepts.
template <typename Loss>
Loss MakeLoss([[maybe_unused]] std::string const& argument, [[maybe_unused]] ParamMap const& params) {
  if constexpr (std::is_constructible_v<Loss, std::string const&>) {
    return Loss(argument);
  } else if constexpr (std::is_void_v<typename Loss::Param>) {
    return Loss();
  } else {
    return Loss(ParseParameters<typename Loss::Param>(params));
  }
}

template <typename Loss>
void RegisterElement(Registry<MetricFactory>* registry) {
  Registry<MetricFactory>::Entry entry{Loss::kName, Loss::kDescription,
                                       [](std::string const& argument, ParamMap const& params) {
                                         return std::make_unique<ElementMetric<Loss>>(MakeLoss<Loss>(argument, params));
                                       }};
  if constexpr (!std::is_void_v<typename Loss::Param>) entry.parameters = DescribeParameters<typename Loss::Param>;
  registry->Add(entry);
}

}  // namespace

MetricFormula Metric::Formula() const { return {}; }

void RegisterMetrics(Registry<MetricFactory>* registry) {
#define KAURI_ADD_ELEMENT(Loss) RegisterElement<Loss>(registry);
#define KAURI_ADD_OTHER(Name) Register##Name(registry);
  KAURI_METRICS(KAURI_ADD_ELEMENT, KAURI_ADD_OTHER)
#undef KAURI_ADD_ELEMENT
#undef KAURI_ADD_OTHER
}

}  // namespace kauri
