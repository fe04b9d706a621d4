/// \file Steps in which a matrix of bins (data/bins/bin_matrix.h) is made.
///
/// Sparse entries are sorted by column.
///
/// A scan of all rows finds the properties of rows that must be known before the first of them gets its codes, found by
/// a scan of all rows.
///
/// Features are bundled of a matrix of bins (data/bins/feature_bundles.h), where they pay off.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Fills the column_* members from the rows by a counting sort; each thread sorts a part of the rows. The sort is
/// stable, so any number of parts gives the same order.
void SortByColumn(Context const& ctx, std::int64_t n_cols, std::vector<std::uint32_t> const& feature_begin,
                  BinEntries* out);

/// Returns the feature of each cell: [n_cells].
std::vector<std::uint32_t> FeaturesOfCells(std::vector<std::uint32_t> const& feature_begin);

/// Returns the shape of a matrix that stores values. In a group all ranks call it; has_missing and is_dense are then
/// the same as for one process with the rows of all ranks.
BinShape ShapeOf(Context const& ctx, DataMatrix const& data);

/// Returns the bundles of dense data with byte codes whose cells are placed. The result is empty unless bundling
/// removes at least a quarter of the columns.
BundledCodes BundleDense(Context const& ctx, BinMatrix const& bins);

/// Returns bundles without codes. The result is empty unless at least half of the bundles' codes belong to entries.
/// Moves the features' first cells, [n_cols + 1], to make room for a spare cell before each bundle. A feature with 256
/// cells leaves no room for it; it has a bundle of its own, and there are no bundles unless all rows have its entries.
BundledCodes FindSparseBundles(Context const& ctx, CsrStorage const& csr, std::vector<std::uint32_t>* feature_begin);
/// Computes the codes of the bundles from the cells of the entries.
void EncodeBundles(Context const& ctx, CsrStorage const& csr, std::vector<std::uint32_t> const& cells,
                   BundledCodes* bundled);

}  // namespace kauri
