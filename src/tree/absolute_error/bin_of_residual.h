/// \file Finds the label bins of residuals, many at once.
#pragma once

#include <array>
#include <cstdint>

#include "kauri/span.h"
#include "tree/absolute_error/bin_sides.h"

namespace kauri {

/// Bin edges, ascending, then infinity. At most kLabelBins - 1 edges are used. Bin b holds residuals from edges[b - 1]
/// on.
using LabelEdges = std::array<float, kLabelBins>;

/// Sets each bin to the number of edges, except the last, that do not exceed the residual; 0 for NaN. Costs one
/// comparison per edge and vector, which is less than a binary search, whose steps depend on each other.
void FindBins(Span<float const> residuals, LabelEdges const& edges, std::uint8_t* bins);

}  // namespace kauri
