/// \file Solves systems of a few linear equations.
#pragma once

#include <vector>

#include "kauri/span.h"

namespace kauri {

/// Returns x of A x = b for a symmetric, positive semidefinite A, by Cholesky factors in float64. lower: the lower
/// triangle of A row by row, [n * (n + 1) / 2]; b: [n]. A variable that previous variables determine to ten digits, as
/// with equal or constant columns, gets 0 and is left out.
std::vector<double> SolveSemidefinite(std::vector<double> lower, Span<double const> b);

}  // namespace kauri
