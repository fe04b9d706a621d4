/// \file updater=prune: turns splits that gain less than gamma, or are too deep, into leaves (PruneTree).
#pragma once

#include "kauri/tree_param.h"
#include "kauri/tree_updater.h"

namespace kauri {

class PruneUpdater : public TreeUpdater {
 public:
  explicit PruneUpdater(TreeParam const& param) : param_(param) {}
  void Update(Context const& ctx, TreeTask const& task, Span<std::int32_t> leaf_of_row, Tree* tree) const override;

 private:
  TreeParam param_;
};

}  // namespace kauri
