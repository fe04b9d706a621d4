/// \file Margins of models with linear leaves (kauri/linear_leaves.h).
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/linear_leaves.h"
#include "kauri/model.h"
#include "predictor/forest/forest_task.h"

namespace kauri {

/// What a forest lacks of such trees.
struct LinearTrees {
  struct OfTree {
    LinearLeaves leaves;
    std::vector<float> constant;  ///< [n_nodes]
    float weight = 1.0F;
  };
  std::vector<OfTree> trees;  ///< those of a forest, as the model numbers them; empty: no leaf of the model is linear
  std::int64_t n_cols = 0;    ///< one more than the largest feature that leaves read

  bool IsEmpty() const { return trees.empty(); }
};

LinearTrees CompileLinear(Model const& model, TreeRange trees);

/// As PredictMargins; every sum is start, then tree after tree, in float32.
void PredictLinearMargins(Context const& ctx, ForestTask const& task, LinearTrees const& linear, Span<float> out);

}  // namespace kauri
