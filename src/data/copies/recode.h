/// \file A matrix with its categories numbered anew.
#pragma once

#include <memory>

#include "kauri/categories.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// A copy of `matrix` whose categories have the numbers of their names in `names`, [n_cols]: of every column all its
/// names and perhaps more, or none where it has none. Bins in memory become the same bins of other numbers. \throws
/// Error(kData) for a category without a name in a column where others have one, and for data in external memory.
std::unique_ptr<DataMatrix> RecodeCategories(Context const& ctx, DataMatrix const& matrix, CategoryNameTable names);

}  // namespace kauri
