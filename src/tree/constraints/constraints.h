/// \file Monotone and interaction constraints, applied to each node of a growing tree. The rules are XGBoost's.
///
/// Monotone. Every node has bounds on its weight; the root has none. A split at a feature with sign 1 uses the middle
/// of both children's weights as upper bound of the left child and lower bound of the right child. Sign -1 does the
/// opposite, and sign 0 passes the node's bounds on. All descendants thus stay on their side of the middle.
/// split_gain.h computes weights and gains under bounds.
///
/// Interaction. The root may use every feature. A node below may use the features on its path, and the features of
/// every set that contains all of them. A feature in no set stays alone below its first use.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_param.h"
#include "tree/split_gain.h"

namespace kauri {

/// The constraints of all trees, read from their parameters.
struct ConstraintRules {
  /// Signs of the first features; the others are 0. Empty without monotone constraints.
  std::vector<std::int8_t> signs;
  bool limits_features = false;                          ///< interaction constraints are given
  std::vector<std::vector<std::uint32_t>> feature_sets;  ///< each ascending, without repetition

  bool HasMonotone() const { return !signs.empty(); }
};

/// Parses the constraints of the parameters. monotone_constraints: "(1,-1,0)" or "[1,-1,0]"; "()", "[]" and the empty
/// text mean no constraints. interaction_constraints: "[[0,1],[2,3]]"; the empty text means no constraints; "[]"
/// forbids any two features together. Sets may overlap.
/// \throws Error(kParameter).
ConstraintRules ParseConstraints(TreeParam const& param);

/// The constraints on the nodes of one tree. Nodes are identified by their ids in the growing tree.
class TreeConstraints {
 public:
  /// \throws Error(kParameter) if there are more signs than features, or sets name other features.
  TreeConstraints(ConstraintRules const& rules, std::int64_t n_features);

  /// [n_features], -1, 0 or 1 each; empty without monotone constraints.
  Span<std::int8_t const> Signs() const { return signs_; }
  int SignOf(std::uint32_t feature) const { return signs_.empty() ? 0 : signs_[feature]; }
  WeightBounds BoundsOf(std::int32_t node) const;

  bool LimitsFeatures() const { return rules_.limits_features; }
  /// Returns the features of an ascending list that the node may use.
  std::vector<std::uint32_t> AllowedOf(std::int32_t node, std::vector<std::uint32_t> const& features) const;

  /// Records a split. Call it for every split, parents first, once both children have their weights (SetNode). The
  /// builder itself handles bounds of vectors (vector_gain.h).
  void AddSplit(Tree const& tree, std::int32_t node);

 private:
  /// Nodes with the same features on their paths share a path.
  struct Path {
    std::vector<std::uint32_t> used;     // ascending
    std::vector<std::uint32_t> allowed;  // ascending
    std::vector<std::size_t> sets;       // sets that contain all of `used`
  };

  void PassBounds(Tree const& tree, std::int32_t node);
  std::size_t LongerPath(std::size_t path, std::uint32_t feature);

  ConstraintRules rules_;
  std::vector<std::int8_t> signs_;
  std::vector<WeightBounds> bounds_;       // by node
  std::vector<Path> paths_;                // the first is the root's, whose lists are not used
  std::vector<std::size_t> path_of_node_;  // by node
  std::map<std::vector<std::uint32_t>, std::size_t> path_by_used_;
};

}  // namespace kauri
