#include "objective/elementwise.h"

#include <algorithm>
#include <array>
#include <string>

#include "collective/reduce.h"
#include "common/block_sum.h"
#include "common/loss/element_weights.h"
#include "common/loss/missing_labels.h"
#include "common/threads/parallel_for.h"
#include "objective/gradient_sizes.h"
#include "objective/target_sums.h"

namespace kauri {

void RequireAboveZero(Context const& ctx, MetaInfo const& info, std::vector<float> const& means,
                      std::string const& objective) {
  auto const zero = std::find(means.begin(), means.end(), 0.0F);
  if (zero == means.end()) return;
  auto const starts_there = info.n_rows > 0 && info.base_margin.empty();
  if (MaxOverRanks(ctx, starts_there ? 1 : 0) == 0) return;
  auto const of_target = means.size() == 1 ? std::string() : " of target " + std::to_string(zero - means.begin());
  Fail(ErrorKind::kData, objective, ": every label", of_target, " is 0, and so is the mean, whose logarithm boosting ",
       "starts from. Check the labels, or set base_score to a mean above 0 that you expect.");
}

void ElementwiseObjective::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info,
                                            std::int64_t, Span<GradientPair> out) const {
  CheckGradientSizes(info.labels.size(), margins, out);
  ParallelForBlocks(ctx, static_cast<std::int64_t>(info.labels.size()), kRowBlock,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      ElementBuffer buffer;
                      auto const* weights = ElementWeights(info, begin, end, &buffer);
                      auto const* labels = info.labels.data() + begin;
                      Gradients({margins.data() + begin, labels, weights, out.data() + begin, end - begin});
                      if (MayMissLabels(info)) ClearMissingPairs(labels, end - begin, out.data() + begin);
                    });
}

std::vector<float> ElementwiseObjective::NewtonStep(Context const& ctx, MetaInfo const& info) const {
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    ElementBuffer buffer;
    ElementBuffer margins{};
    std::array<GradientPair, kRowBlock> pairs;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    auto const* labels = info.labels.data() + begin;
    Gradients({margins.data(), labels, weights, pairs.data(), end - begin});
    if (MayMissLabels(info)) ClearMissingPairs(labels, end - begin, pairs.data());
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
    if (MayMissLabels(info)) ClearMissingPairs(info.labels.data() + element, 1, &pair);
    return TargetTerm{static_cast<double>(pair.gradient), static_cast<double>(pair.hessian)};
  };
  auto const sums = SumTargets(ctx, info, {info.n_targets}, sum_of, term_of);
  if (sums.numerator.empty()) return std::vector<float>(ToSize(info.n_targets), 0.0F);
  std::vector<float> margins;
  for (std::int64_t target = 0; target < sums.NumTargets(); ++target) {
    if (sums.denominator[target] == 0.0) RequireKnownTarget(ctx, info, target, Name());
    margins.push_back(sums.NewtonStep(target));
  }
  return margins;
}

}  // namespace kauri
