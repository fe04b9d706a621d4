#include "kauri/objective.h"

#include <algorithm>

#include "kauri/error.h"
#include "objective/formula.h"

namespace kauri {

std::vector<float> Objective::StartMargins(std::vector<float> const& base_scores) const {
  std::vector<float> margins;
  for (auto const score : base_scores) margins.push_back(BaseScoreToMargin(score));
  return margins;
}

void Objective::PickValues(Context const&, Span<float const> transformed, std::int64_t, Span<float> out) const {
  if (transformed.size() != out.size()) {
    Fail(ErrorKind::kInternal, "PickValues got an output array of size ", out.size(), "; expected ", transformed.size(),
         ", one element per value");
  }
  std::copy(transformed.begin(), transformed.end(), out.begin());
}

ObjectiveFormula Objective::Formula() const { return {}; }

}  // namespace kauri
