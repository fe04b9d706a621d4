/// \file The rows of a matrix as bins, for trainings that share them.
#pragma once

#include <memory>

#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Returns a matrix of the bins that tree_method=hist makes of the rows, types and weights of `matrix`, with all other
/// metadata. Slices of it keep its cuts and copy its codes, so no rows are cut and encoded again. Uses the bins that
/// `matrix` has cached for its own training if their max_bin is the same; a matrix of bins shares its own. Costs the
/// making of bins. \throws Error(kParameter) for another max_bin than the max_bin of a matrix of bins; Error(kData) for
/// a matrix of bins whose columns have other types now; as MakeQuantileCuts does.
std::unique_ptr<DataMatrix> WithBins(Context const& ctx, DataMatrix const& matrix, int max_bin);

}  // namespace kauri
