/// \file feature_cost: a model pays for a column once, when it first splits at it (the feature costs of Peter, Diego,
/// Hamprecht & Nadler 2017, "Cost efficient gradient boosting", restricted to costs paid once for all rows).
///
/// Vocabulary. A column is used if the model has a split at it; the cost of an unused column is open.
/// 1. The loss change of a split at a column with an open cost is reduced by that cost. All conditions on loss changes
///    apply to the reduced value, which the tree records: it must be positive, reach gamma, and be the largest.
/// 2. The trees of a round are built one after the other. A tree knows the columns used by the model's trees and by the
///    earlier trees of its round, for whatever output.
/// 3. During growth, a node knows the splits made before its own search. In trees grown by levels these are the splits
///    of the levels above; with lossguide they are all splits made before its parent's split, and that split itself.
///    Nodes searched together each pay for themselves.
/// 4. A split below gamma leaves the cost open, because pruning (exact) may take it back.
/// All nodes of a level of a symmetric tree make one split, and pay once: the cost reduces the level's sum of loss
/// changes, while the nodes record their own loss changes.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/model.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_param.h"

namespace kauri {

/// Parses "(0,2.5,0)" or "[0,2.5,0]", one number per feature; "()", "[]" and the empty text mean no costs.
/// \throws Error(kParameter) if the text is not a list of numbers, or one of them is negative.
std::vector<float> ParseFeatureCost(TreeParam const& param);

/// The costs that columns have for the next tree of a model.
class OpenCosts {
 public:
  /// costs: result of ParseFeatureCost, or empty. Visits every node of the model until all costs are paid.
  /// \throws Error(kParameter) when there is not one cost for each of `n_cols` columns.
  OpenCosts(std::vector<float> costs, Model const& model, std::int64_t n_cols);

  /// Pays for the columns that a new tree of the model uses.
  void Pay(Tree const& tree);
  /// Returns the open costs, [n_cols], 0 for columns in use; empty if no column costs anything (any more).
  Span<float const> Get() const { return costs_; }

 private:
  std::vector<float> costs_;
  std::int64_t n_open_ = 0;
};

}  // namespace kauri
