/// \file A new matrix from chosen rows of another.
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

/// Copies the rows with all their metadata: labels, weights, margins, bounds, and the names and types of the features.
/// Leaves out the global row numbers of a group's ranks: the chosen rows form a table of their own. A row may be chosen
/// more than once. With `allow_groups`, neighbouring chosen rows of one query form a query of the result, which keeps
/// the query's weight. \throws Error(kData) for a row out of range, or for queries without `allow_groups`.
std::unique_ptr<DataMatrix> Slice(Context const& ctx, DataMatrix const& matrix, Span<std::int32_t const> rows,
                                  bool allow_groups);

}  // namespace kauri
