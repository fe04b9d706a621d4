#include "engine/round_errors.h"

#include "common/threads/parallel_for.h"
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

void RoundErrors::Compute(Context const& ctx, MetaInfo const& info, Span<float const> margins) {
  constexpr std::int64_t kRowsPerBlock = 1 << 14;
  auto const n_outputs = static_cast<std::int64_t>(margins.size()) / info.n_rows;
  auto const n_targets = static_cast<std::int64_t>(info.labels.size()) / info.n_rows;
  residuals_.resize(margins.size());
  weights_.resize(info.weights.empty() ? 0 : static_cast<std::size_t>(info.n_rows));
  ParallelForBlocks(ctx, info.n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        auto const label = info.labels[row * n_targets + (n_targets == 1 ? 0 : output)];
        residuals_[output * info.n_rows + row] = label - margins[row * n_outputs + output];
      }
      if (!weights_.empty()) weights_[row] = info.Weight(row);
    }
  });
}

LineErrors RoundErrors::Of(Context const& ctx, MetaInfo const& info, Span<float const> margins, RoundTree const& tree) {
  if (slopes_.IsEmpty() || info.n_rows == 0) return {};
  if (!is_computed_) Compute(ctx, info, margins);
  is_computed_ = true;
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  Span<float const> const residuals(residuals_);
  return slopes_.ErrorsOf(residuals.subspan(static_cast<std::size_t>(tree.output) * n_rows, n_rows), weights_,
                          tree.output);
}

}  // namespace kauri
