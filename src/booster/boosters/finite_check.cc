#include "booster/boosters/finite_check.h"

#include <algorithm>
#include <cmath>

#include "kauri/error.h"

namespace kauri {
namespace {

constexpr char const* kCure =
    "Lower eta or raise lambda, scale the labels and weights down, and see that gradients and hessians of an objective "
    "of your own are of moderate size and no hessian is nearly 0.";

/// Returns the index of the first value that is not finite, or size().
std::size_t FindNotFinite(Span<float const> values) {
  auto const* const found =
      std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  return static_cast<std::size_t>(found - values.begin());
}

}  // namespace

void RequireFiniteLeaves(Tree const& tree, RoundTree const& round) {
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    auto const values = tree.LeafValues(node);
    auto const wrong = FindNotFinite(values);
    if (wrong == values.size()) continue;
    Fail(ErrorKind::kData, "round ", round.place.iteration, " ended in a leaf of value ", values[wrong], " (node ",
         node, " of tree ", round.place.tree_in_iteration, " of the round, output ",
         round.output + static_cast<std::int64_t>(wrong), "); the model stays as it was before this round. ", kCure);
  }
}

void RequireFiniteWeights(Span<float const> weights, std::int64_t iteration) {
  auto const wrong = FindNotFinite(weights);
  if (wrong == weights.size()) return;
  Fail(ErrorKind::kData, "round ", iteration, " ended in the weight ", weights[wrong], " (number ", wrong, " of ",
       weights.size(), "); the model stays as it was before this round. ", kCure);
}

void RequireFiniteIntercept(Span<float const> base_score) {
  auto const wrong = FindNotFinite(base_score);
  if (wrong == base_score.size()) return;
  Fail(ErrorKind::kData, "the intercept of output ", wrong, ", estimated from labels and weights, is ",
       base_score[wrong], "; scale the labels or weights down, or set base_score.");
}

}  // namespace kauri
