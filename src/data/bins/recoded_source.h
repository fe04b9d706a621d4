/// \file Batches whose categories have the numbers that other data give to the same names.
#pragma once

#include <memory>

#include "data/row_source.h"
#include "kauri/categories.h"

namespace kauri {

/// `source` in the numbers of `known`, [n_cols]; names that those data lack come after theirs. Null where `known` is
/// empty. Both must outlive it. Its Next \throws Error(kData) for a column named by texts in one and by integers in the
/// other.
std::unique_ptr<RowSource> InCategoriesOf(CategoryNameTable const& known, RowSource* source);

}  // namespace kauri
