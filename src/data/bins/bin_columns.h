/// \file Sparse entries sorted by column.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"

namespace kauri {

/// Fills the column_* members from the rows by a counting sort; each thread sorts a part of the rows. The sort is
/// stable, so any number of parts gives the same order.
void SortByColumn(Context const& ctx, std::int64_t n_cols, std::vector<std::uint32_t> const& feature_begin,
                  BinEntries* out);

/// Returns the feature of each cell: [n_cells].
std::vector<std::uint32_t> FeaturesOfCells(std::vector<std::uint32_t> const& feature_begin);

}  // namespace kauri
