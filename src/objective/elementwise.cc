#include "objective/elementwise.h"

#include <array>

#include "common/block_sum.h"
#include "common/loss/element_weights.h"
#include "common/parallel_for.h"
#include "objective/gradient_sizes.h"
#include "objective/target_sums.h"

namespace kauri {
void ElementwiseObjective::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info,
                                            std::int64_t, Span<GradientPair> out) const {
  CheckGradientSizes(info.labels.size(), margins, out);
  ParallelForBlocks(
      ctx, static_cast<std::int64_t>(info.labels.size()), kRowBlock,
      [&](std::int64_t begin, std::int64_t end, std::int64_t) {
        ElementBuffer buffer;
        auto const* weights = ElementWeights(info, begin, end, &buffer);
        Gradients({margins.data() + begin, info.labels.data() + begin, weights, out.data() + begin, end - begin});
      });
}

std::vector<float> ElementwiseObjective::NewtonStep(Context const& ctx, MetaInfo const& info) const {
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    ElementBuffer buffer;
    ElementBuffer margins{};
    std::array<GradientPair, kRowBlock> pairs;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    Gradients({margins.data(), info.labels.data() + begin, weights, pairs.data(), end - begin});
    TargetSums block(info.n_targets);
    for (auto element = begin; element < end; ++element) {
      auto const pair = pairs[element - begin];
      block.Add(element % info.n_targets, static_cast<double>(pair.gradient), static_cast<double>(pair.hessian));
    }
    return block;
  };
  auto const term_of = [&](std::int64_t element) {
    float const margin = 0.0F;
    float const weight = info.Weight(element / info.n_targets);
    GradientPair pair;
    Gradients({&margin, info.labels.data() + element, &weight, &pair, 1});
    return TargetTerm{static_cast<double>(pair.gradient), static_cast<double>(pair.hessian)};
  };
  auto const sums = SumTargets(ctx, info, {info.n_targets}, sum_of, term_of);
  if (sums.numerator.empty()) return std::vector<float>(ToSize(info.n_targets), 0.0F);
  std::vector<float> margins;
  for (std::size_t target = 0; target < sums.numerator.size(); ++target) {
    margins.push_back(sums.NewtonStep(static_cast<std::int64_t>(target)));
  }
  return margins;
}

}  // namespace kauri
