/// \file Tree updaters: updater=refresh and updater=prune.
///
/// updater=refresh keeps the splits of a tree and recomputes its statistics from other data.
/// 1. The gradient pairs of the rows are added up leaf by leaf, in integers.
/// 2. The sum of a split is the sum of its children, from the leaves up.
/// 3. Weights, covers and, with refresh_leaf, leaf values follow from the sums (split_gain.h). The loss changes of the
///    splits follow, too, by XGBoost's formula for this updater.
/// 4. With refresh_decay, a leaf's value is the weighted mean of old and new, where refresh_decay is the weight of the
///    old value (LightGBM's refit).
/// Monotone constraints are ignored, as in XGBoost.
#pragma once

#include "kauri/parameter.h"
#include "kauri/tree_param.h"
#include "kauri/tree_updater.h"

namespace kauri {

struct RefreshParam : public dmlc::Parameter<RefreshParam> {
  bool refresh_leaf;
  float refresh_decay;

  DMLC_DECLARE_PARAMETER(RefreshParam) {
    DMLC_DECLARE_FIELD(refresh_leaf)
        .set_default(true)
        .describe("Whether updater=refresh changes the values of leaves, or the statistics of nodes alone.");
    DMLC_DECLARE_FIELD(refresh_decay)
        .set_default(0.0F)
        .set_range(0.0F, 1.0F)
        .describe("Share of its old value that updater=refresh leaves to a leaf: 0 is the new value, 1 the old one.");
  }
  void Validate() const {}
};

class RefreshUpdater : public TreeUpdater {
 public:
  RefreshUpdater(TreeParam const& tree, RefreshParam const& refresh) : tree_(tree), refresh_(refresh) {}
  void Update(Context const& ctx, TreeTask const& task, Span<std::int32_t> leaf_of_row, Tree* tree) const override;

 private:
  float LeafValue(float old, float fresh) const;

  TreeParam tree_;
  RefreshParam refresh_;
};

// updater=prune: turns splits that gain less than gamma, or are too deep, into leaves (PruneTree).

class PruneUpdater : public TreeUpdater {
 public:
  explicit PruneUpdater(TreeParam const& param) : param_(param) {}
  void Update(Context const& ctx, TreeTask const& task, Span<std::int32_t> leaf_of_row, Tree* tree) const override;

 private:
  TreeParam param_;
};

}  // namespace kauri
