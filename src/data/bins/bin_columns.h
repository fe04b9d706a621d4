/// \file Sparse entries column by column.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"

namespace kauri {

/// Fills the column_* members from the rows: a counting sort, each thread on a part of the rows. Stable, so any number
/// of parts gives the same order.
void SortByColumn(Context const& ctx, std::int64_t n_cols, std::vector<std::uint32_t> const& feature_begin,
                  BinEntries* out);

/// The feature of each cell: [n_cells].
std::vector<std::uint32_t> FeaturesOfCells(std::vector<std::uint32_t> const& feature_begin);

}  // namespace kauri
