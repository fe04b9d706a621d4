/// \file A background in the form that kernels read, for their tests.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/interventional/background_tree.h"
#include "predictor/predictor_fixtures.h"

namespace kauri::testing {

/// Returns the keys of all rows, row-minor.
inline std::vector<std::int32_t> KeysOf(Forest const& forest, DataView const& background) {
  auto const n_rows = background.NumRows();
  KeyTiles const tiles({}, forest, background, 0, n_rows, kPatternRows);
  std::vector<std::int32_t> keys(forest.NumSlots() * n_rows);
  for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
    for (std::int64_t row = 0; row < n_rows; ++row) {
      keys[slot * n_rows + row] = tiles.Tile(row / kPatternRows)[slot * kPatternRows + row % kPatternRows];
    }
  }
  return keys;
}

}  // namespace kauri::testing
