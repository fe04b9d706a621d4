/// \file What must be known of rows before the first of them gets its codes, found by a look at all of them.
#pragma once

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Of a matrix whose values are kept. In a group, all of whose ranks call it, has_missing and is_dense are those of one
/// process with the rows of all.
BinShape ShapeOf(Context const& ctx, DataMatrix const& data);

}  // namespace kauri
