/// \file What a round has learnt is finite: looked at once per tree, before the model takes it, as a model that is not
/// could be saved but never be loaded.
#pragma once

#include <cstdint>

#include "kauri/engine.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

/// \throws Error(kData) for a leaf that is not finite, naming the round and the value. Cost: the nodes of the tree.
void RequireFiniteLeaves(Tree const& tree, RoundTree const& round);

/// The same of the weights of a linear model, [n_features + 1, n_outputs].
void RequireFiniteWeights(Span<float const> weights, std::int64_t iteration);

/// The same of an intercept that was estimated, [n_outputs].
void RequireFiniteIntercept(Span<float const> base_score);

}  // namespace kauri
