/// \file Margins of models with linear leaves (kauri/linear_leaves.h).
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/linear_leaves.h"
#include "kauri/model.h"
#include "predictor/forest/forest_task.h"

namespace kauri {

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
