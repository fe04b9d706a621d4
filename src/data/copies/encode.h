/// \file A matrix whose categories became numbers (categorical_encoding=ordered).
#pragma once

#include <memory>
#include <vector>

#include "data/categories/ordered_statistics.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// A copy of `matrix` with the numbers of one of the permutations in its encoded columns, whose type is 'float' then;
/// all else that is known of it stays. Columns that only the model has come after the others. Rows of sparse storage
/// become dense.
std::unique_ptr<DataMatrix> EncodeInOrder(Context const& ctx, DataMatrix const& matrix, OrderedEncoding const& encoding,
                                          OrderedRows const& rows, std::int64_t permutation);

/// The same with what the model's table says of the categories, as rows have it that are predicted.
std::unique_ptr<DataMatrix> EncodeByTable(Context const& ctx, DataMatrix const& matrix, Model const& model);

}  // namespace kauri
