/// \file Checks that the results of a round are finite. Each tree is checked once, before the model takes it: a model
/// with other values could be saved but never be loaded.
#pragma once

#include <cstdint>

#include "kauri/engine.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

/// Checks the leaves of a tree. \throws Error(kData) for a leaf that is not finite, naming the round and the value.
/// Cost: one pass over the nodes.
void RequireFiniteLeaves(Tree const& tree, RoundTree const& round);

/// Checks the weights of a linear model, [n_features + 1, n_outputs], in the same way.
void RequireFiniteWeights(Span<float const> weights, std::int64_t iteration);

/// Checks an estimated intercept, [n_outputs], in the same way.
void RequireFiniteIntercept(Span<float const> base_score);

}  // namespace kauri
