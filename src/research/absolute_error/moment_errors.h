/// \file Research: estimates the errors of the best constant from moments (thesis, sections 3 and 7.2).
#pragma once

#include "data/sketch/power_sums.h"
#include "kauri/tree_builder.h"

namespace kauri {

constexpr int kErrorMoments = 5;  ///< per sketch; the closed form gains nothing from more (README of the benchmarks)

/// Returns the estimate in units of the loss for values with these sums; 0 without weight or range. The distribution of
/// the values is the Legendre series of their mapped moments, evaluated at the ends of 64 cells of their range and
/// linear between them. The constant is where it first reaches the quantile. The errors are the areas below the
/// distribution on the left and above it on the right. Costs some microseconds.
double EstimateErrors(PowerSums const& sums, LineErrors const& errors);

}  // namespace kauri
