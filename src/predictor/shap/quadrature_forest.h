/// \file A forest compiled for contributions by quadrature: every constant that a walk over all nodes of a tree needs.
///
/// The method is in shap_quadrature.h. Vocabulary: an edge leads from a split to a child; its zero is the product of
/// the cover ratios of all edges on the same feature from the root to it, its effect 1 - zero. A split is repeated when
/// an edge above it split on the same feature; the lowest such edge is the previous one. A tip is a split with two
/// leaves. Memory: about 80 + 4 * points bytes per split.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "predictor/forest/forest.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri {

/// Everything of a split in one place. Arrays of two: left child, right child.
struct QuadratureSplit {
  std::int32_t key;
  std::uint32_t slot;
  std::uint32_t feature;        ///< number of the slot within the tree
  std::int32_t power;           ///< distinct features above a leaf under it, less one
  std::int32_t previous;        ///< level of the child under the previous edge; 0: not repeated
  std::uint32_t previous_edge;  ///< number of that edge
  std::uint32_t edge[2];        ///< numbers of the edges to splits
  float zero[2];
  float ratio[2];  ///< cover ratio of the edge alone
  /// Of a tip: what following left or right adds to the expected value. Else: the effects.
  float effect[2];
  float previous_effect;
  float mean;         ///< of a tip: the leaves' values weighted by zero
  float cold_mean;    ///< of a tip: weighted by ratio
  float leaf[2];      ///< values of the children that are leaves
  std::uint8_t side;  ///< which child of its parent it is
  bool default_left;
  bool is_categorical;
  bool is_half_leaf;  ///< one child is a leaf
};

/// What a walk does, in order: from the root, the left subtree first. kTip and the two kinds of opening take the next
/// split; the others belong to the split that was opened last and is not closed.
enum class QuadratureStep : std::uint8_t {
  kTip,  ///< a split with two leaves, all of it
  kTipRepeated,
  kOpenLeft,  ///< read the rows' turns, go down to the left child
  kOpenLeftRepeated,
  kOpenRight,  ///< the same to the right, for a left child that is a leaf
  kOpenRightRepeated,
  kTurn,  ///< go down to the right child
  kTurnRepeated,
  kClose,  ///< both children are done
  kCloseRepeated,
  kFlush  ///< move the sums out of float32
};

/// A feature above a split that it interacts with.
struct QuadraturePartner {
  std::uint32_t level;  ///< of the child under the feature's lowest edge
  std::uint32_t pair;   ///< number of the pair within the tree
};

struct QuadratureTree {
  double mean = 0.0;                    ///< expected leaf value
  std::int32_t order = 0;               ///< of its rule, from its longest path; 0: a single leaf
  std::int32_t levels = 0;              ///< of splits
  std::vector<QuadratureSplit> splits;  ///< in pre-order
  std::vector<QuadratureStep> steps;    ///< in the order of a walk
  std::vector<float> inverses;          ///< [edges to splits, points], 1 / (zero alpha + beta)
  std::vector<std::uint32_t> slots;     ///< slot of each feature of the tree
  // Only with pairs:
  std::vector<std::uint32_t> n_partners;  ///< [n_splits]
  std::vector<QuadraturePartner> partners;
  std::vector<std::uint32_t> pairs;  ///< number within the output of each pair of the tree
  std::vector<float> alone;          ///< [n_splits, 2], of Shapley-Taylor indices only: AloneEffects (cover.h)
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

/// What is to be computed: kTaylorPairs comes with pairs and computes what features do alone besides.
struct QuadratureGoal {
  Semivalue semivalue = Semivalue::kShapley;
  bool with_pairs = false;
};

/// Time and memory are linear in the number of nodes, with pairs times the number of features on a path.
QuadratureForest CompileQuadrature(Context const& ctx, Forest const& forest, QuadratureGoal goal);

}  // namespace kauri
