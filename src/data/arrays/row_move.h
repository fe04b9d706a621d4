/// \file Two arrays as rows that go from one to the other.
#pragma once

#include "common/shuffle_rows.h"
#include "kauri/array_interface.h"

namespace kauri {

/// Of arrays of equal shape and type, whose rows are contiguous: `from` and `to` are one array, or do not overlap.
/// \throws Error(kData) otherwise, and for an array to write to that has rows on top of one another.
RowMove RowMoveOf(ArrayView const& from, ArrayView const& to);

}  // namespace kauri
