/// \file feature_cost: a model pays for a column once, when it first splits at it (the feature costs of Peter, Diego,
/// Hamprecht & Nadler 2017, "Cost efficient gradient boosting", as far as they are paid once for all rows).
///
/// Vocabulary. A column is used when the model has a split at it; the cost of one that is not used is open.
/// 1. The loss change of a split at a column with an open cost is less by that cost. All that is asked of loss changes
///    is asked of what remains, which is what the tree records: to be positive, to reach gamma, to be the largest.
/// 2. The trees of a round are built one after the other. A tree knows what the model's trees and those before it in
///    its round use, whatever output they are of.
/// 3. While it grows, a node knows the splits that are made before its own is looked for: in trees grown by levels
///    those of the levels above, in lossguide all those made before its parent's, and that one. Nodes that are looked
///    at together pay each for itself.
/// 4. A split with less than gamma, which pruning may take back (exact), leaves the cost open.
/// All nodes of a level of a symmetric tree make one split, and pay once: it is the level's sum of loss changes that is
/// less by the cost, while the nodes record theirs.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/model.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_param.h"

namespace kauri {

/// "(0,2.5,0)" or "[0,2.5,0]", one number for each feature; "()", "[]" and nothing: none.
/// \throws Error(kParameter): no numbers, or negative ones.
std::vector<float> ParseFeatureCost(TreeParam const& param);

/// What columns cost the next tree of a model.
class OpenCosts {
 public:
  /// costs: of ParseFeatureCost, or empty. It takes a look at every node of the model until all is paid.
  /// \throws Error(kParameter) when there is not one cost for each of `n_cols` columns.
  OpenCosts(std::vector<float> costs, Model const& model, std::int64_t n_cols);

  /// A tree that comes to the model.
  void Pay(Tree const& tree);
  /// [n_cols], 0 for columns in use; empty when nothing costs anything (any more).
  Span<float const> Get() const { return costs_; }

 private:
  std::vector<float> costs_;
  std::int64_t n_open_ = 0;
};

}  // namespace kauri
