/// \file Construction of a tree's edges from the root downwards, for host and device (tree_paths.h).
#pragma once

#include <cstdint>

#include "kauri/host_device.h"
#include "predictor/forest/cover.h"
#include "predictor/paths/path_steps.h"

namespace kauri {

/// Arrays by edge. An edge is named by the node that it leads to; the root's entries mean that no edge is above. Not
/// owning.
struct EdgesView {
  std::uint32_t* parent;
  std::uint32_t* earlier;  ///< edge above that was merged into this one, kNoEdge: none
  PathFeature* feature;
  double* zero_fraction;
  std::int32_t* n_features;  ///< distinct features on the path from the root

  KAURI_HD EdgesView From(std::int64_t first) const {
    return {parent + first, earlier + first, feature + first, zero_fraction + first, n_features + first};
  }
};

/// Adds the edges to both children of a split; the edges above must exist already. cover: by node. merge(above,
/// goes_right) returns the feature `above` narrowed by the split.
template <typename Merge>
KAURI_HD void AddChildEdges(EdgesView const& edges, float const* cover, SplitNode const& split, std::uint32_t node,
                            Merge&& merge) {
  std::uint32_t const earlier = FindEarlier(edges.parent, edges.feature, node, split.slot);
  bool const is_new = earlier == kNoEdge;
  PathFeature const above = is_new ? WholeFeature(split.slot) : edges.feature[earlier];
  for (std::uint32_t side = 0; side < 2; ++side) {
    std::uint32_t const child = split.left + side;
    double const ratio = CoverRatio(cover[node], cover[child]);
    double const share = is_new ? ratio : ratio * edges.zero_fraction[earlier];
    PathFeature feature = merge(above, side == 1);
    feature.zero_fraction = static_cast<float>(share);
    edges.parent[child] = node;
    edges.earlier[child] = earlier;
    edges.zero_fraction[child] = share;
    edges.n_features[child] = edges.n_features[node] + (is_new ? 1 : 0);
    edges.feature[child] = feature;
  }
}

}  // namespace kauri
