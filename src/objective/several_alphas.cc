#include "objective/several_alphas.h"

#include "kauri/error.h"
#include "objective/labels.h"

namespace kauri {

void SeveralAlphas::ValidateInfo(MetaInfo const& info) const {
  if (info.n_targets != 1) {
    Fail(ErrorKind::kData, name_, ": ", info.n_targets, " label columns; give one column");
  }
  CheckLabelsAre<FiniteLabels>(info, name_);
}

}  // namespace kauri
