/// \file Margins and leaves: what needs only the leaf that a row reaches in each tree.
#pragma once

#include <cstdint>

#include "kauri/predictor.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// How margins are computed; the result is the same, bit for bit.
enum class MarginPath {
  kAuto,   ///< the one that is expected to be fastest
  kRows,   ///< a row at a time, walking several trees at once: few rows
  kTiles,  ///< a tile of rows through one tree after another, several rows at once
  kCrown   ///< as kTiles, with the upper levels of all trees answered by crowns; needs a forest with crowns
};

/// trees: numbered within the forest, whole groups. out: [n_rows, n_outputs]; start.of_row may be the same memory.
void PredictMargins(Context const& ctx, Forest const& forest, DataView const& rows, TreeRange trees,
                    MarginStart const& start, MarginPath path, Span<float> out);

/// out: [n_rows, number of the model's trees], the node ids of the model as floats.
void PredictLeaves(Context const& ctx, Forest const& forest, DataView const& rows, TreeRange trees, Span<float> out);

}  // namespace kauri
