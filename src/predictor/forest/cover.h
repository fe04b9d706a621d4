/// \file Expected values of a row with only some known features; the branches of a split are weighted by their covers.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Returns the child's fraction of its parent's cover, in [0, 1]: the probability of the branch when the split's
/// feature is unknown. If the parent has no cover, both branches are equally likely; a branch without cover is never
/// taken.
KAURI_HD double CoverRatio(float parent, float child) {
  if (!(parent > 0.0F)) return 0.5;
  if (!(child > 0.0F)) return 0.0;
  double const ratio = static_cast<double>(child) / static_cast<double>(parent);
  return ratio < 1.0 ? ratio : 1.0;
}

/// Returns the expected leaf value below each node of a tree (numbered within the forest), weighted by covers: [nodes
/// of the tree].
std::vector<double> NodeMeans(Forest const& forest, std::int64_t tree);

/// Returns the largest sum of the leaves' weights in an expected value of a tree, whatever features are known: 1,
/// unless the covers of children exceed their parent's.
double SumOfLeafWeights(Forest const& forest, std::int64_t tree);

/// Returns the effect of each split's feature when no other feature is known, for rows that follow the earlier edges on
/// that feature: the probability of reaching the split times the change of the expected value at the left and at the
/// right child. The sum over the splits of a feature is f({feature}) - f({}). The time is the sum of the splits'
/// depths. [nodes of the tree, 2]; 0 for leaves.
std::vector<double> AloneEffects(Forest const& forest, std::int64_t tree);

/// Returns the expected sum of the trees per output: [n_outputs]. This is the bias of contributions, before the start
/// of the margin.
std::vector<double> ExpectedMargins(Forest const& forest, TreeRange trees);

}  // namespace kauri
