/// \file Trees as straight-line programs for contributions by quadrature, one row per lane.
///
/// Vocabulary. Points t_q and weights w_q make the integral of a path's semivalue exact (quadrature_rule.h). A split
/// has a first child, which needs more of the stack, and a second child. With W the cover ratio of the first child, a
/// split does the following to a row, for each point (shap_lane.h has the steps):
///
///   factor of the first child   r = W + B t, of the second 1 - r       B = 1 - W if the row goes to the first, else -W
///   going down                  G_first = r G, G_second = G - G_first   (G = w_q at the root)
///   coming back                 S = S_second + r (S_first - S_second)   (S = v at a leaf of value v)
///   its feature's contribution  B * sum over q of G (S_first - S_second)
///
/// This takes six operations per split and point. It follows from the table of edges: the factor z (1 - t) + o t of the
/// first child is r, ratios of siblings add up to 1, and the contributions of the two edges share G. If an edge above
/// splits on the same feature, with merged ratio z, let I = 1 / (z + (1 - z) t), which does not depend on the row:
///
///   r = (z W + B t) I, and the contribution is K * sum of G I I (S_first - S_second), with
///   row followed that edge and goes to the first child: B = 1 - z W, K = z (1 - W); to the second: B = K = -z W;
///   row did not follow it: B = W (1 - z), so that r = W, and K = 0.
///
/// If ratios of siblings do not add up to 1 (for example in imported models), the split becomes two. Every row passes
/// the upper one, whose second child is a leaf of value 0 that holds the missing fraction; the lower one has the ratios
/// scaled.
///
/// A program is the list of splits in the order of their visits. A subtree of a few levels is listed in preorder and
/// computed in registers. A higher split appears when its first child is entered (kDown), when its second child is
/// entered (kSecond), and when both are finished (kCombine, kCombineLeaf); its intermediate values lie on a stack.
///
/// Memory: 32 bytes per split, 64 to 96 for a split with a stack, and 16 + 4 points bytes for each edge whose feature
/// is split again below.
///
/// CompileTree makes the program of one tree, before it joins a batch.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "predictor/forest/forest.h"
#include "predictor/lanes/path_pairs.h"
#include "predictor/paths/path_steps.h"
#include "predictor/paths/tree_paths.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri {

/// Levels of splits that are computed in registers. One more level doubles the code. With two, three, four levels 41 %,
/// 28 %, 19 % of the splits of XGBoost's trees of depth 16 on covtype and California housing need the stack.
constexpr std::int32_t kRegisterLevels = 3;

/// Points that are computed at once; a path of more than 16 features takes several passes over the tree.
constexpr std::int32_t kMaxPassPoints = 8;

enum class ProgramStep : std::uint32_t {
  kSubtree = 0,     ///< a split of at most kRegisterLevels levels; the splits below it follow
  kDown = 1,        ///< a higher split: go to its first child
  kSecond = 2,      ///< then go to its second child
  kCombine = 3,     ///< both children are finished
  kCombineLeaf = 4  ///< the first child is finished and the second is a leaf
};

/// A visit of a split, in two loads of 16 bytes. The keys that go to the first child, possibly including the missing
/// key, are an interval of 32-bit numbers that may wrap: key - first_key < first_range, unsigned. The second child's
/// weight is 1 minus the first's.
struct alignas(16) ProgramNode {
  std::uint32_t first_key;  ///< start of the interval; the number of the set for a categorical split
  std::uint32_t first_range;
  std::uint32_t next_slot;  ///< slot of the next node, so that the row's key can be prefetched
  std::uint32_t layout;     ///< place << 9 | flags

  float first_weight;
  float first_value;  ///< value of the first child if it is a leaf
  float second_value;
  std::int32_t earlier;  ///< if kRepeats: number within the batch of the state of the edge above on the same feature

  static constexpr std::uint32_t kStepMask = 7U;
  static constexpr std::uint32_t kFirstIsSplit = 1U << 3U;
  static constexpr std::uint32_t kSecondIsSplit = 1U << 4U;
  static constexpr std::uint32_t kRepeats = 1U << 5U;
  static constexpr std::uint32_t kCategorical = 1U << 6U;
  static constexpr std::uint32_t kDefaultLeft = 1U << 7U;   ///< only for categorical splits
  static constexpr std::uint32_t kFirstIsRight = 1U << 8U;  ///< only for categorical splits
  static constexpr std::uint32_t kPlaceShift = 9U;

  KAURI_HD ProgramStep Step() const { return static_cast<ProgramStep>(layout & kStepMask); }
  KAURI_HD bool Is(std::uint32_t flag) const { return (layout & flag) != 0; }
  /// Returns the slot's number within the batch.
  KAURI_HD std::uint32_t Place() const { return layout >> kPlaceShift; }
};

/// Consecutive trees with the same output and the same points.
struct ProgramBatch {
  std::int32_t output = 0;
  std::int32_t points = 0;  ///< per pass: 2, 4, 6 or 8
  std::int32_t passes = 0;
  std::int32_t n_places = 0;       ///< distinct slots
  std::int64_t place_begin = 0;    ///< index into slot_of_place
  std::int64_t state_begin = 0;    ///< index into states
  std::int64_t inverse_begin = 0;  ///< index into inverses; [n_states, passes * points]
  std::int32_t saved_downs = 0;    ///< maximum number of splits between kDown and their end, which the stack holds
  std::int32_t saved_firsts = 0;   ///< maximum number of splits between kSecond and their end, which the stack holds
};

/// A feature above a split: the state of its lowest edge, numbered within the batch, and the number of the pair.
struct alignas(8) ProgramPartner {
  std::int32_t state;
  std::int32_t pair;
};

/// The nodes of one tree; empty for a single leaf.
struct ProgramTree {
  std::int64_t node_begin = 0;
  std::int64_t node_end = 0;
  std::int64_t batch = 0;
  std::int64_t tree = 0;         ///< number within the forest
  std::uint32_t first_slot = 0;  ///< slot of the first node
};

struct ShapProgram {
  Semivalue semivalue = Semivalue::kShapley;
  std::vector<ProgramNode> nodes;
  std::vector<ProgramTree> trees;  ///< by output, then points, then number: consecutive within a batch
  std::vector<ProgramBatch> batches;
  std::vector<std::uint32_t> slot_of_place;
  std::vector<PathFeature> states;  ///< edges that lower splits refer to, merged as in tree_paths.h
  std::vector<float> inverses;      ///< 1 / (z + (1 - z) t_q) of each state
  PathCategories categories;
  // Only in programs for pairs, otherwise empty: all other features above a node that ends a split. [n_nodes + 1],
  // index into partners.
  std::vector<std::int64_t> partner_begin;
  std::vector<ProgramPartner> partners;
};

/// Compiles the trees. pairs: for interactions, the pairs of at least these trees; then only splits of two leaves are
/// computed in registers. nullptr: for contributions. Time and memory are linear in nodes (with pairs: times the
/// features on a path). Deterministic.
ShapProgram CompileShapProgram(Context const& ctx, Forest const& forest, Semivalue semivalue, PathPairs const* pairs);

/// Points per pass and number of passes over a tree; passes * points suffice for n_features distinct features on the
/// longest path.
struct PassShape {
  std::int32_t points;
  std::int32_t passes;
};
PassShape PassShapeFor(Semivalue semivalue, std::int32_t n_features);

/// Points of all passes in the layout of lanes, [passes * points] each.
struct PassPoints {
  std::vector<float> point;   ///< t_q
  std::vector<float> weight;  ///< w_q
  std::vector<float> cold;    ///< -1 / (1 - t_q)
};

/// Makes the points of all passes. A rule of one point becomes two at the same place, each with half of the weight. No
/// point is 0, because lanes divide by factors of features, which could be 0 there. A point of 0 becomes 1e-12, which
/// changes a value by at most 1e-12 of the tree's largest leaf for each feature on a path.
PassPoints MakePassPoints(Semivalue semivalue, PassShape shape);

/// A compiled tree. Places are not set yet, and states are numbered within the tree.
struct CompiledTree {
  std::vector<ProgramNode> nodes;
  std::vector<std::uint32_t> slots;         ///< slots of the nodes
  std::vector<PathFeature> states;          ///< zero_fraction not set
  std::vector<double> zero_fractions;       ///< zero fractions of the states
  std::vector<std::int64_t> partner_begin;  ///< [n_nodes + 1] with pairs, otherwise empty
  std::vector<ProgramPartner> partners;
  std::int32_t n_features = 0;  ///< distinct features on the longest path
  std::int32_t saved_downs = 0;
  std::int32_t saved_firsts = 0;
};

CompiledTree CompileTree(Forest const& forest, std::int64_t tree, PathPairs const* pairs, PathCategories* categories);

/// Returns the number of distinct features on the longest path of a tree.
std::int32_t LongestPath(Forest const& forest, std::int64_t tree);

}  // namespace kauri
