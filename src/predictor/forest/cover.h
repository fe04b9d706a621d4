/// \file What is expected of a row of which only some features are known: covers weigh the branches of a split.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// The share of its parent's cover that a child holds, in [0, 1]: the chance of the branch when the split's feature is
/// unknown. Without any cover at the parent both branches are equally likely; a branch without cover is never taken.
KAURI_HD double CoverRatio(float parent, float child) {
  if (!(parent > 0.0F)) return 0.5;
  if (!(child > 0.0F)) return 0.0;
  double const ratio = static_cast<double>(child) / static_cast<double>(parent);
  return ratio < 1.0 ? ratio : 1.0;
}

/// The expected leaf value below each node of a tree (numbered within the forest), weighted by covers: [nodes of the
/// tree].
std::vector<double> NodeMeans(Forest const& forest, std::int64_t tree);

/// What a split's feature does there when nothing else is known, for rows that follow the earlier edges on it: the
/// chance of coming to the split times the change of the expected value at the left and at the right child. Summed over
/// the splits of a feature that is f({feature}) - f({}). Costs the depth of each split. [nodes of the tree, 2]; 0 for
/// leaves.
std::vector<double> AloneEffects(Forest const& forest, std::int64_t tree);

/// Expected sum of the trees per output: [n_outputs]. The bias of contributions, before the start of the margin.
std::vector<double> ExpectedMargins(Forest const& forest, TreeRange trees);

}  // namespace kauri
