/// \file Rows of any DataView as keys of the slots of a forest, a tile of rows at a time.
///
/// Keys are interleaved: [n_rows / lanes, n_slots, lanes], so that the rows that are worked on together lie side by
/// side.
#pragma once

#include <cstdint>

#include "kauri/data_matrix.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Keys of rows [begin, end); the lanes of the last group that have no row are left as they are.
void ReadKeys(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end, std::int64_t lanes,
              std::int32_t* keys);

}  // namespace kauri
