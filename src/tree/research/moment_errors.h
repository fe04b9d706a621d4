/// \file Research: the errors of the best constant, estimated from moments (thesis, sections 3 and 7.2).
#pragma once

#include "data/sketch/power_sums.h"
#include "kauri/tree_builder.h"

namespace kauri {

constexpr int kErrorMoments = 5;  ///< of a sketch: the closed form gains nothing from more (README of the benchmarks)

/// In the units of the loss, of values with these sums. Their distribution is the Legendre series of their mapped
/// moments, at the ends of 64 cells of their range and linear between; the constant is where it first reaches the
/// quantile; the errors are the areas below it on the left and above it on the right. 0 without weight or range. Costs
/// some microseconds.
double EstimateErrors(PowerSums const& sums, LineErrors const& errors);

}  // namespace kauri
