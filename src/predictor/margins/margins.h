/// \file Margins and leaves: what needs only the leaf that a row reaches in each tree.
#pragma once

#include "predictor/forest/forest_task.h"
#include "predictor/margins/crown.h"

namespace kauri {

/// How margins are computed; the result is the same, bit for bit.
enum class MarginPath {
  kAuto,   ///< the one that is expected to be fastest
  kRows,   ///< a row at a time, walking several trees at once: few rows
  kTiles,  ///< a tile of rows through one tree after another, several rows at once
  kCrown   ///< as kTiles, with the upper levels of all trees answered by crowns; the crown must not be empty
};

/// crown: of the task's forest. out: [n_rows, n_outputs]; start.of_row may be the same memory.
void PredictMargins(Context const& ctx, ForestTask const& task, Crown const& crown, MarginPath path, Span<float> out);

/// out: [n_rows, number of the model's trees], the node ids of the model as floats.
void PredictLeaves(Context const& ctx, ForestTask const& task, Span<float> out);

}  // namespace kauri
