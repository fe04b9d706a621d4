/// \file The values of a feature that the trees of a forest tell apart.
///
/// Vocabulary. The axis of a feature is the sorted list of the thresholds of all splits on it. Cell c of an axis holds
/// the values with exactly c thresholds at or below them, so that an axis of n thresholds has the cells 0 to n; cell
/// n + 1 holds missing values. All values of a cell take the same side at every split. A categorical split separates
/// the categories of its set from all others; category c is the interval [c, c + 1) of values, so both of its ends are
/// thresholds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "predictor/forest/forest.h"

namespace kauri {

struct Axis {
  std::vector<std::int32_t> thresholds;  ///< keys, ascending, all above the key of -infinity

  std::int32_t NumCells() const { return static_cast<std::int32_t>(thresholds.size()) + 2; }
  std::int32_t MissingCell() const { return NumCells() - 1; }
  /// Returns the cell that begins at a split's threshold, or that holds a value; MissingCell() for kMissingKey.
  std::int32_t CellOf(std::int32_t key) const {
    if (key == kMissingKey) return MissingCell();
    return static_cast<std::int32_t>(std::upper_bound(thresholds.begin(), thresholds.end(), key) - thresholds.begin());
  }
  /// Returns the lowest key of a cell of values.
  std::int32_t LowestKey(std::int32_t cell) const;
};

/// Returns the axes of the forest's slots for the splits of `trees`, [n_slots].
std::vector<Axis> MakeAxes(Forest const& forest, TreeRange trees);

}  // namespace kauri
