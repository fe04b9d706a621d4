/// \file Monotone and interaction constraints: what they leave to each node of a growing tree. XGBoost's rules.
///
/// Monotone. Every node has bounds on its weight, the root none. A split at a feature with sign 1 gives the left child
/// the middle of both children's weights as upper bound and the right child as lower bound; sign -1 the other way
/// round, sign 0 passes the node's bounds on. So whatever grows below stays on its side of the middle. Weights and
/// gains under bounds: split_gain.h.
///
/// Interaction. The root may use every feature. A node below may use the features on its path, and those of every set
/// that contains all of them; a feature of no set is alone below its first use.
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
  std::vector<std::int8_t> signs;  ///< of the first features, the others' are 0; empty: no monotone constraints
  bool limits_features = false;    ///< there are interaction constraints
  std::vector<std::vector<std::uint32_t>> feature_sets;  ///< ascending each, without repetition

  bool HasMonotone() const { return !signs.empty(); }
};

/// monotone_constraints: "(1,-1,0)" or "[1,-1,0]"; "()", "[]" and nothing: none.
/// interaction_constraints: "[[0,1],[2,3]]"; nothing: none; "[]": no two features together. Sets may overlap.
/// \throws Error(kParameter).
ConstraintRules ParseConstraints(TreeParam const& param);

/// \throws Error(kParameter) when a categorical feature has a monotone constraint: categories have no order.
void RefuseMonotoneCategories(ConstraintRules const& rules, MetaInfo const& info);

/// For tree methods without them. \throws Error(kParameter) when there are any.
void RefuseConstraints(TreeParam const& param, std::string const& tree_method);

/// What the constraints leave to the nodes of one tree. Nodes are named by their ids in the growing tree.
class TreeConstraints {
 public:
  /// \throws Error(kParameter) when there are more signs than features, or sets name others.
  TreeConstraints(ConstraintRules const& rules, std::int64_t n_features);

  /// [n_features], -1, 0 or 1 each; empty without monotone constraints.
  Span<std::int8_t const> Signs() const { return signs_; }
  int SignOf(std::uint32_t feature) const { return signs_.empty() ? 0 : signs_[feature]; }
  WeightBounds BoundsOf(std::int32_t node) const;

  bool LimitsFeatures() const { return rules_.limits_features; }
  /// Of an ascending list of features, those that the node may use.
  std::vector<std::uint32_t> AllowedOf(std::int32_t node, std::vector<std::uint32_t> const& features) const;

  /// To be told of every split, parents first, once both children have their weights (SetNode). Bounds of vectors are
  /// the builder's own affair (vector_gain.h).
  void AddSplit(Tree const& tree, std::int32_t node);

 private:
  /// Nodes with the same features on their paths share one.
  struct Path {
    std::vector<std::uint32_t> used;     // ascending
    std::vector<std::uint32_t> allowed;  // ascending
    std::vector<std::size_t> sets;       // that contain all of `used`
  };

  void PassBounds(Tree const& tree, std::int32_t node);
  std::size_t LongerPath(std::size_t path, std::uint32_t feature);

  ConstraintRules rules_;
  std::vector<std::int8_t> signs_;
  std::vector<WeightBounds> bounds_;       // by node
  std::vector<Path> paths_;                // the first is the root's: its lists are not used
  std::vector<std::size_t> path_of_node_;  // by node
  std::map<std::vector<std::uint32_t>, std::size_t> path_by_used_;
};

}  // namespace kauri
