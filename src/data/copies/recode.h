/// \file Matrices with the categories of another matrix renumbered, or replaced by numbers.
///
/// Numbers replace categories by numbers (categorical_encoding=ordered).
#pragma once

#include <memory>
#include <vector>

#include "data/categories/ordered_statistics.h"
#include "kauri/categories.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// Returns a copy of `matrix` whose categories are numbered as in `names`, [n_cols]. For every column, `names` must
/// hold all its names and may hold more, or none if the column has none. Bins in memory become the same bins in another
/// order. \throws Error(kData) for a category without a name in a column where other categories have names, and for
/// data in external memory.
std::unique_ptr<DataMatrix> RecodeCategories(Context const& ctx, DataMatrix const& matrix, CategoryNameTable names);

/// Returns a copy of `matrix` whose encoded columns hold the numbers of one permutation and have the type 'float'. All
/// other metadata stays. Columns that only the model has come after the others. Sparse rows become dense.
std::unique_ptr<DataMatrix> EncodeInOrder(Context const& ctx, DataMatrix const& matrix, OrderedEncoding const& encoding,
                                          OrderedRows const& rows, std::int64_t permutation);

/// Returns the same with the numbers of the model's table, as in rows to predict.
std::unique_ptr<DataMatrix> EncodeByTable(Context const& ctx, DataMatrix const& matrix, Model const& model);

}  // namespace kauri
