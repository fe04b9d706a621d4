/// \file The properties of rows that must be known before the first of them gets its codes, found by a scan of all
/// rows.
#pragma once

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Returns the shape of a matrix that stores values. In a group all ranks call it; has_missing and is_dense are then
/// the same as for one process with the rows of all ranks.
BinShape ShapeOf(Context const& ctx, DataMatrix const& data);

}  // namespace kauri
