/// \file A matrix whose categories are replaced by numbers (categorical_encoding=ordered).
#pragma once

#include <memory>
#include <vector>

#include "data/categories/ordered_statistics.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// Returns a copy of `matrix` whose encoded columns hold the numbers of one permutation and have the type 'float'. All
/// other metadata stays. Columns that only the model has come after the others. Sparse rows become dense.
std::unique_ptr<DataMatrix> EncodeInOrder(Context const& ctx, DataMatrix const& matrix, OrderedEncoding const& encoding,
                                          OrderedRows const& rows, std::int64_t permutation);

/// Returns the same with the numbers of the model's table, as in rows to predict.
std::unique_ptr<DataMatrix> EncodeByTable(Context const& ctx, DataMatrix const& matrix, Model const& model);

}  // namespace kauri
