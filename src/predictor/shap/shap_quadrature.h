/// \file Exact Shapley values and interactions of trees by Gauss-Legendre quadrature, and what the same walk gives by
/// other rules: Banzhaf values and Shapley-Taylor indices.
///
/// A leaf of value v is reached on a path with k distinct features. Feature j has zero z (the chance of following the
/// path when j is unknown: a product of cover ratios) and one o (1 if the row follows all its splits on j, else 0). Its
/// Shapley value is Owen's integral of the multilinear extension (Owen 1972, Multilinear extensions of games),
///     phi_i  = v (o_i - z_i)              Int_0^1 prod_{j != i}    u_j(t) dt,   u_j(t) = z_j (1 - t) + o_j t
///     phi_ij = v (o_i - z_i)(o_j - z_j)/2 Int_0^1 prod_{l != i, j} u_l(t) dt,   phi_ii = phi_i - sum_{j != i} phi_ij.
/// The integrand is a polynomial of degree below k, so ceil(k / 2) nodes give the integral itself, and all factors are
/// positive: nothing cancels, where UNWIND (shap_recursive.h) loses all digits from 40 features on.
///
///   1. Per node of the rule, walk the tree with all rows in lanes: every row visits every split, so control flow is
///      uniform and the turns of the rows are masks.
///   2. Down: G(root) = weight, G(child) = G(split) u. A feature met again has its earlier factor u' taken out: G u /
///   u'
///      with 1 / u' a constant where o' = 1; where o' = 0 the ratio u / u' is the edge's cover ratio.
///   3. Up: S(leaf) = v, S(split) = sum over the children of u S(child), divided by u' likewise. So G S at an edge sums
///      the integrands of all leaves below it.
///   4. phi_f of a split on f += sum over the children of (o - z) <G, S(child)> with <,> the sum over the nodes; at a
///      repeated split less what the edge above has already given: (1 - z') <G, S(split)> where o' = 1, and nothing at
///      all where o' = 0.
///   5. Interactions: the terms of 4, kept apart by node, times (o_j - z_j) / u_j of each feature j above the split.
/// Other rules (quadrature_rule.h has them with their sources), the same walk:
///   Banzhaf        phi_i  = v (o_i - z_i) prod_{j != i} (z_j + o_j) / 2                       one point
///   Shapley-Taylor I_ij/2 = v (o_i - z_i)(o_j - z_j) Int_0^1 (1 - t) prod_{l != i, j} u_l(t) dt   weights 2 w (1 - t)
///                  I_ii   = v (o_i - z_i) prod_{j != i} z_j, which needs no point: AloneEffects (cover.h), added up
///                           where the walk adds <G, S>; a cover of 0 would have it divide by 0.
/// Every u is scaled for float32 (quadrature_rule.h); sums leave float32 after at most 256 splits.
///
/// Error, relative to the row's largest value: below 1e-6 at up to 16 distinct features on a path; at 64 below 1e-6 for
/// contributions (2e-6 when all covers are alike, so that their roundings add up) and 2e-6 for interactions (6e-6).
/// quadrature_test.cc has the table. Zero covers are those of shap_recursive.h.
///
/// One to four rows take quadrature_levels.h instead of step 1: the same operations with splits in the lanes.
/// Whole-tree tables of the contributions by pattern of turns were considered and left out: a split with two leaves
/// costs three operations per node here, less than one gather, and trees of depth 3 are bound by reading the rows.
#pragma once

#include "predictor/forest/forest_task.h"
#include "predictor/shap/lazy_quadrature.h"

namespace kauri {

/// The values of a semivalue, as `goal` says, the same bits for any batch, place in it and number of threads.
/// Without pairs: as TreeShapContributions. A row of Banzhaf values does not add up to its margin; the bias is the
/// expected margin (the empty coalition's) plus the start whatever the semivalue.
/// With pairs: as TreeShapInteractions, symmetric. Of Shapley values rows sum to contributions. Of Shapley-Taylor
/// indices a whole matrix adds up to the margin: the diagonal is f({i}) - f({}), a cell beside it half of the pair's
/// index.
void QuadratureValues(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy, QuadratureGoal goal,
                      Span<float> out);

}  // namespace kauri
