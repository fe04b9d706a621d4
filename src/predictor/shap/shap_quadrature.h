/// \file Exact Shapley values and interactions of trees by Gauss-Legendre quadrature. The same traversal gives Banzhaf
/// values and Shapley-Taylor indices by other rules.
///
/// A leaf of value v is reached on a path with k distinct features. Feature j has zero z (the probability of following
/// the path when j is unknown: a product of cover ratios) and one o (1 if the row follows all its splits on j, else 0).
/// Its Shapley value is Owen's integral of the multilinear extension (Owen 1972, Multilinear extensions of games),
///     phi_i  = v (o_i - z_i)              Int_0^1 prod_{j != i}    u_j(t) dt,   u_j(t) = z_j (1 - t) + o_j t
///     phi_ij = v (o_i - z_i)(o_j - z_j)/2 Int_0^1 prod_{l != i, j} u_l(t) dt,   phi_ii = phi_i - sum_{j != i} phi_ij.
/// The integrand is a polynomial of degree below k, so ceil(k / 2) nodes give the integral itself. All factors are
/// positive, so nothing cancels, whereas UNWIND (shap_recursive.h) loses all digits from 40 features on.
///
///   1. For each node of the rule, traverse the tree with all rows in lanes. Every row visits every split, so control
///      flow is uniform and the turns of the rows are masks.
///   2. Down: G(root) = weight, G(child) = G(split) u. The earlier factor u' of a repeated feature is removed: G u /
///      u', with 1 / u' a constant if o' = 1; if o' = 0 the ratio u / u' is the edge's cover ratio.
///   3. Up: S(leaf) = v, S(split) = sum over the children of u S(child), divided by u' likewise. So G S at an edge sums
///      the integrands of all leaves below it.
///   4. A split on f adds to phi_f the sum over the children of (o - z) <G, S(child)>, where <,> is the sum over the
///      nodes. A repeated split subtracts what the edge above has added: (1 - z') <G, S(split)> if o' = 1. It adds
///      nothing if o' = 0.
///   5. Interactions: the terms of step 4, kept separate by node, times (o_j - z_j) / u_j for each feature j above the
///      split.
/// Other rules (quadrature_rule.h has them with their sources), the same traversal:
///   Banzhaf        phi_i  = v (o_i - z_i) prod_{j != i} (z_j + o_j) / 2                       one point
///   Shapley-Taylor I_ij/2 = v (o_i - z_i)(o_j - z_j) Int_0^1 (1 - t) prod_{l != i, j} u_l(t) dt   weights 2 w (1 - t)
///                  I_ii   = v (o_i - z_i) prod_{j != i} z_j, which needs no point: AloneEffects (cover.h) is added
///                  because <G, S> would divide by 0 at a cover of 0.
/// Every u is scaled for float32 (quadrature_rule.h); sums move to float64 after at most 256 splits.
///
/// Error, relative to the row's largest value: below 1e-6 at up to 16 distinct features on a path; at 64 below 1e-6 for
/// contributions (2e-6 if all covers are equal, so that their rounding errors add up) and 2e-6 for interactions (6e-6).
/// quadrature_test.cc has the table. Zero covers are treated as in shap_recursive.h.
///
/// One to four rows use quadrature_levels.h instead of step 1: the same operations with splits in the lanes. Tables of
/// a whole tree's contributions by pattern of turns were considered and rejected: a split with two leaves costs three
/// operations per node here, less than one gather, and trees of depth 3 are bound by reading the rows.
///
/// QuadratureSums are the sums of the trees of one output over a block of rows, computed by quadrature_kernel.h and
/// quadrature_levels.h. Sums are float64, in groups of rows whose sums are adjacent.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "predictor/forest/forest.h"
#include "predictor/shap/quadrature_kernel.h"
#include "predictor/shap/quadrature_levels.h"

namespace kauri {

/// The forest compiled for the methods that a call needs.
struct CompiledQuadrature {
  std::shared_ptr<QuadratureForest const> forest;
  std::shared_ptr<QuadratureLevels const> levels;  ///< nullptr: only traversals
};

/// Compiles the forest on first use. Few rows use the levels unless pairs are requested.
CompiledQuadrature PrepareQuadrature(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy,
                                     QuadratureGoal goal);

/// Returns the rows of a block: enough that constants and sums stay in cache while the block passes over a tree, but
/// few if there are few rows, so that all threads have work.
std::int64_t QuadratureBlockRows(ForestTask const& task, QuadratureForest const& compiled, bool with_pairs);

/// Returns the expected sum of the trees of each output.
std::vector<double> ExpectedSums(ForestTask const& task, QuadratureForest const& compiled);

/// Sums over one block of rows. Each thread needs its own. The results of a row do not depend on the other rows.
class QuadratureSums {
 public:
  static constexpr std::int64_t kLanes = kQuadratureRows;

  /// Reads rows [begin, end). Nothing is owned.
  QuadratureSums(ForestTask const& task, CompiledQuadrature const& compiled, std::int64_t begin, std::int64_t end);

  /// Sums the trees of an output; discards the previous output.
  void AddTrees(std::int64_t output, bool with_pairs);
  /// Subtracts from each feature its pairs: the rest of its value is the diagonal of the interactions.
  void SubtractPairs(std::int64_t output);

  std::int64_t NumRows() const { return n_rows_; }
  std::int64_t NumGroups() const { return n_groups_; }
  std::int64_t RowsOf(std::int64_t group) const;
  double const* Phi(std::int64_t group) const;    ///< [n_slots, kLanes]
  double const* Pairs(std::int64_t group) const;  ///< [pairs of the output, kLanes]

 private:
  void ComputeAllTerms();
  void AddTerms(std::int64_t tree);

  ForestTask const& task_;
  QuadratureForest const& compiled_;
  QuadratureLevels const* levels_;
  std::int64_t n_rows_;
  std::int64_t n_groups_;
  std::vector<std::int32_t> keys_;  ///< [n_groups, n_slots, kLanes]
  std::vector<double> phi_;         ///< [n_groups, n_slots, kLanes]
  std::vector<double> pairs_;       ///< [n_groups, pairs of the output, kLanes]
  std::int64_t n_pairs_ = 0;
  std::vector<float> terms_;  ///< [n_rows, n_lanes of the levels]
  std::vector<float> sums_;   ///< sums of a tree's features
  QuadratureScratch scratch_;
};

/// Computes the values of a semivalue, as specified by `goal`. The bits do not depend on the batch, the place in it or
/// the number of threads.
/// Without pairs: the layout of TreeShapContributions. A row of Banzhaf values does not add up to its margin. For every
/// semivalue the bias is the expected margin (of the empty coalition) plus the start.
/// With pairs: the layout of TreeShapInteractions, symmetric. Rows of Shapley and Banzhaf interactions sum to the
/// values of their features. A whole matrix of Shapley-Taylor indices adds up to the margin: the diagonal is f({i}) -
/// f({}), each other cell is half of the pair's index.
void QuadratureValues(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy, QuadratureGoal goal,
                      Span<float> out);

}  // namespace kauri
