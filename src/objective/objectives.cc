#include "objective/objectives.h"

#include <memory>

#include "objective/elementwise.h"
#include "objective/objective_table.h"

namespace kauri {
namespace {

template <typename Loss>
void RegisterElement(Registry<ObjectiveFactory>* registry) {
  Registry<ObjectiveFactory>::Entry entry{Loss::kName, Loss::kDescription, [](ParamMap const& params) {
                                            return std::make_unique<LossObjective<Loss>>(params);
                                          }};
  if constexpr (LossObjective<Loss>::kHasParam) entry.parameters = DescribeParameters<typename Loss::Param>;
  registry->Add(entry);
}

}  // namespace

void RegisterObjectives(Registry<ObjectiveFactory>* registry) {
#define KAURI_ADD_ELEMENT(Loss) RegisterElement<Loss>(registry);
#define KAURI_ADD_OTHER(Name) Register##Name(registry);
  KAURI_OBJECTIVES(KAURI_ADD_ELEMENT, KAURI_ADD_OTHER)
#undef KAURI_ADD_ELEMENT
#undef KAURI_ADD_OTHER
}

}  // namespace kauri
