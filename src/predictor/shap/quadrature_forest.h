/// \file A forest compiled for contributions by quadrature: all constants for a traversal of all nodes of a tree.
///
/// The method is in shap_quadrature.h. Vocabulary: an edge leads from a split to a child. Its zero is the product of
/// the cover ratios of all edges on the same feature from the root to it; its effect is 1 - zero. A split is repeated
/// if an edge above it splits on the same feature; the lowest such edge is the previous one. A tip is a split with two
/// leaves. Memory: about 80 + 4 * points bytes per split.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/predictor.h"
#include "predictor/forest/forest.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri {

/// All constants of a split. Arrays of two: left child, right child.
struct QuadratureSplit {
  std::int32_t key;
  std::uint32_t slot;
  std::uint32_t feature;        ///< number of the slot within the tree
  std::int32_t power;           ///< distinct features on the path to a child that is a leaf, minus one
  std::int32_t previous;        ///< level of the child under the previous edge; 0: not repeated
  std::uint32_t previous_edge;  ///< number of that edge
  std::uint32_t edge[2];        ///< numbers of the edges to splits
  float zero[2];
  float ratio[2];  ///< cover ratio of the edge alone
  /// For a tip: change of the expected value when left or right is followed. Otherwise: the effects of the edges.
  float effect[2];
  float previous_effect;
  float mean;         ///< for a tip: the leaves' values weighted by zero
  float cold_mean;    ///< for a tip: the leaves' values weighted by ratio
  float leaf[2];      ///< values of the children that are leaves
  std::uint8_t side;  ///< side of its parent: 0 left, 1 right
  bool default_left;
  bool is_categorical;
  bool is_half_leaf;  ///< one child is a leaf
};

/// The steps of a traversal, in order: from the root, the left subtree first. kTip and both kinds of opening take the
/// next split; the other steps belong to the split that was opened last and is not closed yet.
enum class QuadratureStep : std::uint8_t {
  kTip,  ///< a whole split with two leaves
  kTipRepeated,
  kOpenLeft,  ///< read the rows' turns, go down to the left child
  kOpenLeftRepeated,
  kOpenRight,  ///< the same for the right child, if the left child is a leaf
  kOpenRightRepeated,
  kTurn,  ///< go down to the right child
  kTurnRepeated,
  kClose,  ///< both children are finished
  kCloseRepeated,
  kFlush  ///< add the float32 sums to float64
};

/// A feature above a split that it interacts with.
struct QuadraturePartner {
  std::uint32_t level;  ///< level of the child under the feature's lowest edge
  std::uint32_t pair;   ///< number of the pair within the tree
};

struct QuadratureTree {
  double mean = 0.0;                    ///< expected leaf value
  std::int32_t order = 0;               ///< order of the rule, from the longest path; 0: a single leaf
  std::int32_t levels = 0;              ///< number of levels of splits
  std::vector<QuadratureSplit> splits;  ///< in pre-order
  std::vector<QuadratureStep> steps;    ///< in the order of the traversal
  std::vector<float> inverses;          ///< [edges to splits, points], 1 / (zero alpha + beta)
  std::vector<std::uint32_t> slots;     ///< slot of each feature of the tree
  // The following members are filled only with pairs:
  std::vector<std::uint32_t> n_partners;  ///< [n_splits]
  std::vector<QuadraturePartner> partners;
  std::vector<std::uint32_t> pairs;  ///< number of each pair of the tree within the output
  std::vector<float> alone;          ///< [n_splits, 2], only for Shapley-Taylor indices: AloneEffects (cover.h)
};

/// Two slots that share a path, first < second.
struct SlotPair {
  std::uint32_t first;
  std::uint32_t second;
  bool operator<(SlotPair const& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
  bool operator==(SlotPair const& other) const { return first == other.first && second == other.second; }
};

/// Immutable.
struct QuadratureForest {
  std::vector<QuadratureTree> trees;
  std::vector<QuadratureRule> rules;         ///< by order
  std::vector<std::vector<SlotPair>> pairs;  ///< per output, sorted
};

/// The values to compute. kTaylorPairs requires pairs and also computes the effects of features alone.
struct QuadratureGoal {
  Semivalue semivalue = Semivalue::kShapley;
  bool with_pairs = false;
};

/// Returns the goal of a kind that is not approximate.
QuadratureGoal GoalOf(PredictKind kind);

/// Compiles a forest. Time and memory are linear in the number of nodes, with pairs times the number of features on a
/// path.
QuadratureForest CompileQuadrature(Context const& ctx, Forest const& forest, QuadratureGoal goal);

}  // namespace kauri
