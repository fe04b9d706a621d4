/// \file Margins and leaves: predictions that need only the leaf that a row reaches in each tree.
#pragma once

#include "predictor/forest/forest_task.h"
#include "predictor/margins/tree_tops.h"

namespace kauri {

/// Method of computing margins; the result is the same, bit for bit.
enum class MarginPath {
  kAuto,     ///< the path that is expected to be fastest
  kRows,     ///< one row at a time through several trees at once: for few rows
  kTiles,    ///< a tile of rows through one tree after another, several rows at once
  kTreeTops  ///< like kTiles, but the top levels of all trees are evaluated by tree tops, which must not be empty
};

/// Computes margins. tree_tops: built from the task's forest. out: [n_rows, n_outputs]; start.of_row may be the same
/// memory.
void PredictMargins(Context const& ctx, ForestTask const& task, TreeTops const& tree_tops, MarginPath path,
                    Span<float> out);

/// Finds the leaf of each row and tree. out: [n_rows, number of the model's trees], the node ids of the model as
/// floats.
void PredictLeaves(Context const& ctx, ForestTask const& task, Span<float> out);

}  // namespace kauri
