/// \file Systems of a few equations.
#pragma once

#include <vector>

#include "kauri/span.h"

namespace kauri {

/// x of A x = b for a symmetric, positive semidefinite A, by Cholesky's factors in float64. lower: the lower triangle
/// of A row by row, [n * (n + 1) / 2]; b: [n]. A variable that those before it determine to ten digits, as of equal or
/// constant columns, gets 0 and is left out.
std::vector<double> SolveSemidefinite(std::vector<double> lower, Span<double const> b);

}  // namespace kauri
