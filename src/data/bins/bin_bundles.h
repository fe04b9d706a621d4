/// \file Bundles of the features of a matrix of bins (data/bins/feature_bundles.h), where they pay off.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Returns the bundles of dense data with byte codes whose cells are placed. The result is empty unless bundling
/// removes at least a quarter of the columns.
BundledCodes BundleDense(Context const& ctx, BinMatrix const& bins);

/// Returns bundles without codes. The result is empty unless at least half of the bundles' codes belong to entries.
/// Moves the features' first cells, [n_cols + 1], to make room for a spare cell before each bundle.
BundledCodes FindSparseBundles(Context const& ctx, CsrStorage const& csr, std::vector<std::uint32_t>* feature_begin);
/// Computes the codes of the bundles from the cells of the entries.
void EncodeBundles(Context const& ctx, CsrStorage const& csr, std::vector<std::uint32_t> const& cells,
                   BundledCodes* bundled);

}  // namespace kauri
