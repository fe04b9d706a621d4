/// \file Margins and leaves: predictions that need only the leaf that a row reaches in each tree.
///
/// PredictLinearMargins computes margins of models with linear leaves (kauri/linear_leaves.h).
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/linear_leaves.h"
#include "kauri/model.h"
#include "predictor/forest/forest.h"
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

/// The linear leaves of trees, which a Forest does not hold.
struct LinearTrees {
  struct OfTree {
    LinearLeaves leaves;
    std::vector<float> constant;  ///< [n_nodes]
    float weight = 1.0F;
  };
  std::vector<OfTree> trees;  ///< trees of the forest, in the model's numbering; empty: no leaf of the model is linear
  std::int64_t n_cols = 0;    ///< one more than the largest feature in a linear leaf

  bool IsEmpty() const { return trees.empty(); }
};

LinearTrees CompileLinear(Model const& model, TreeRange trees);

/// Computes margins like PredictMargins: every sum is the start, then one tree after another, in float32.
void PredictLinearMargins(Context const& ctx, ForestTask const& task, LinearTrees const& linear, Span<float> out);

}  // namespace kauri
