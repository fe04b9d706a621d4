#include "engine/line_slopes.h"

#include "kauri/tree_param.h"
#include "objective/formula.h"

namespace kauri {

LineSlopes::LineSlopes(Objective const& objective) {
  auto const formula = objective.Formula();
  is_absolute_ = std::holds_alternative<AbsoluteLoss>(formula.value);
  if (is_absolute_) alphas_.push_back(0.5);
  if (auto const* quantiles = std::get_if<std::vector<QuantileLoss>>(&formula.value)) {
    for (auto const& loss : *quantiles) alphas_.push_back(static_cast<double>(loss.alpha));
  }
}

LineErrors LineSlopes::ErrorsOf(Span<float const> residuals, Span<float const> weights, std::int64_t output) const {
  auto const alpha = alphas_.size() == 1 ? alphas_[0] : alphas_[static_cast<std::size_t>(output)];
  auto const scale = is_absolute_ ? 2.0 : 1.0;
  return {residuals, weights, scale * alpha, scale * (1.0 - alpha)};
}

bool ReducesErrors(RoundTree const& tree) {
  return tree.param != nullptr && tree.param->split_criterion == TreeParam::kAbsoluteError;
}

}  // namespace kauri
