/// \file Batches whose categories are renumbered to match the names of other data.
#pragma once

#include <memory>

#include "data/row_source.h"
#include "kauri/categories.h"

namespace kauri {

/// Returns `source` with its categories in the numbering of `known`, [n_cols]; names that `known` lacks follow its
/// names. Returns null if `known` is empty. Both arguments must outlive the result. Next \throws Error(kData) for a
/// column named by texts in one and by integers in the other.
std::unique_ptr<RowSource> InCategoriesOf(CategoryNameTable const& known, RowSource* source);

}  // namespace kauri
