/// \file The rows of a matrix as bins, for trainings that share them.
#pragma once

#include <memory>

#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// A matrix of the bins that tree_method=hist makes of the rows, types and weights of `matrix`, with all else that is
/// known of them. Slices of it keep its cuts and copy its codes, so nothing is cut and coded again. The bins are those
/// that `matrix` keeps for trainings of its own, where it has some with that max_bin; a matrix of bins shares its own.
/// Costs the making of bins. \throws Error(kParameter) for another max_bin than that of a matrix of bins, Error(kData)
/// for a matrix of bins whose columns have other types now; as MakeQuantileCuts does.
std::unique_ptr<DataMatrix> WithBins(Context const& ctx, DataMatrix const& matrix, int max_bin);

}  // namespace kauri
