/// \file The estimators that need no orders, behind ShapleyEstimator.
#pragma once

#include <cstdint>

#include "shapley/estimate.h"

namespace kauri {

/// Computes the values from all coalitions. All estimators write `values` and `errors`, which are allocated and 0.
void EstimateExactly(Evaluations* game, ShapleyEstimate* estimate);
/// Estimates by Owen's integral. n: samples, of d + 1 coalitions each. halved: with complements.
void EstimateByOwen(std::int64_t n, bool halved, std::uint64_t seed, Evaluations* game, ShapleyEstimate* estimate);
/// Estimates by stratified sampling. n: marginals, of two coalitions each. \throws Error(kParameter) below 2 d^2.
void EstimateByStrata(std::int64_t n, std::uint64_t seed, Evaluations* game, ShapleyEstimate* estimate);

}  // namespace kauri
