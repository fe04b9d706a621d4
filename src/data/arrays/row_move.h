/// \file Copying the rows of one array to another.
#pragma once

#include "common/shuffle/shuffle_rows.h"
#include "kauri/array_interface.h"

namespace kauri {

/// Returns the move between arrays of equal shape and type with contiguous rows. `from` and `to` are the same array, or
/// do not overlap.
RowMove RowMoveOf(ArrayView const& from, ArrayView const& to);

}  // namespace kauri
