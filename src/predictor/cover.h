/// \file What is expected of a row of which only some features are known: covers weigh the branches of a split.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/forest.h"

namespace kauri {

/// The share of its parent's cover that a child holds, in [0, 1]: the chance of the branch when the split's feature is
/// unknown. Without any cover at the parent both branches are equally likely; a branch without cover is never taken.
inline double CoverRatio(float parent, float child) {
  if (!(parent > 0.0F)) return 0.5;
  if (!(child > 0.0F)) return 0.0;
  auto const ratio = static_cast<double>(child) / static_cast<double>(parent);
  return ratio < 1.0 ? ratio : 1.0;
}

/// The expected leaf value below each node of a tree (numbered within the forest), weighted by covers: [nodes of the
/// tree].
std::vector<double> NodeMeans(Forest const& forest, std::int64_t tree);

/// Expected sum of the trees per output: [n_outputs]. The bias of contributions, before the start of the margin.
std::vector<double> ExpectedMargins(Forest const& forest, TreeRange trees);

}  // namespace kauri
