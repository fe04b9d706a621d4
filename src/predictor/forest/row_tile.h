/// \file Rows of any DataView as keys of a forest's slots, one tile of rows at a time.
///
/// Keys are interleaved: [n_rows / lanes, n_slots, lanes], so that rows that are processed together are adjacent.
#pragma once

#include <cstdint>

#include "kauri/data_matrix.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Reads the keys of rows [begin, end). Lanes of the last group without a row are left unchanged.
void ReadKeys(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end, std::int64_t lanes,
              std::int32_t* keys);

}  // namespace kauri
