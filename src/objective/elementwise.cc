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
  auto const n = static_cast<std::int64_t>(info.labels.size());
  auto const sums = SumBlocks<TargetSums>(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
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
  });
  std::vector<float> margins(info.n_targets, 0.0F);
  if (n == 0) return margins;
  for (std::int64_t target = 0; target < info.n_targets; ++target) margins[target] = sums.NewtonStep(target);
  return margins;
}

}  // namespace kauri
