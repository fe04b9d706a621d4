/// \file The label bins of residuals, many at once.
#pragma once

#include <array>
#include <cstdint>

#include "kauri/span.h"
#include "tree/label_bins/bin_sides.h"

namespace kauri {

/// Ascending, then infinity: one less than kLabelBins are used at most. Bin b holds residuals from edges[b - 1] on.
using LabelEdges = std::array<float, kLabelBins>;

/// How many edges, the last one left out, are not above each residual; 0 for NaN. Costs a comparison an edge and
/// vector: less than a search, whose steps wait for each other.
void FindBins(Span<float const> residuals, LabelEdges const& edges, std::uint8_t* bins);

}  // namespace kauri
