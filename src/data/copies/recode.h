/// \file A matrix with renumbered categories.
#pragma once

#include <memory>

#include "kauri/categories.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Returns a copy of `matrix` whose categories are numbered as in `names`, [n_cols]. For every column, `names` must
/// hold all its names and may hold more, or none if the column has none. Bins in memory become the same bins in another
/// order. \throws Error(kData) for a category without a name in a column where other categories have names, and for
/// data in external memory.
std::unique_ptr<DataMatrix> RecodeCategories(Context const& ctx, DataMatrix const& matrix, CategoryNameTable names);

}  // namespace kauri
