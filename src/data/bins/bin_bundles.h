/// \file Bundles of the features of a matrix of bins (data/bins/feature_bundles.h), where they pay.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Of dense data in bytes whose features have their cells; empty unless a quarter of the columns goes.
BundledCodes BundleDense(Context const& ctx, BinMatrix const& bins);

/// Bundles without codes; empty unless there are so few that nearly all of their codes say something. Moves the
/// features' first cells, [n_cols + 1], to make room for a spare one before each bundle.
BundledCodes FindSparseBundles(Context const& ctx, CsrStorage const& csr, std::vector<std::uint32_t>* feature_begin);
/// Makes their codes from the cells of the entries.
void EncodeBundles(Context const& ctx, CsrStorage const& csr, std::vector<std::uint32_t> const& cells,
                   BundledCodes* bundled);

}  // namespace kauri
