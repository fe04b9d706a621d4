/// \file Interventional values and interactions of trees: features missing from a coalition come from the rows of a
/// background.
///
/// Consider one leaf of value v, on whose path there are k distinct features. x and r are the patterns of the row and
/// of a row of the background: the sets of features whose splits on the path they satisfy. In the multilinear extension
/// of the game (Owen 1972), where each feature comes from x with probability t, the value of the leaf is
///     v prod_j p_j(t),   p_j = 1 if both satisfy j, t if only x does, 1 - t if only r does, 0 if neither,
/// and feature i adds the integral over t in [0, 1] of that product with p_i replaced by +1 (only x satisfies i), -1
/// (only r does) or 0. The integrals are the weights (a-1)! b! / (a+b)! of direct_leaf.h, but a product can be
/// summed over all r at once. With f(r) = v times the fraction of the background with pattern r,
///     Z(x, t) = sum over r with x | r = all of f(r) t^|x - r|
/// is a product of k small matrices times f. Feature j turns the pair (f with r_j = 0, f with r_j = 1) into the pair
/// (x_j = 0: f1, x_j = 1: f1 + t f0): half an addition per pattern and feature. Every r counted in Z(x) satisfies the
/// features that x does not, so the factors 1 - t are (1 - t)^b with b = k - |x|. Taking p_i out of the product,
///     i in x:      phi_i(x) =   Int (Z(x) - Z(x - i)) / t (1 - t)^b     dt
///     i not in x:  phi_i(x) = - Int  Z(x)                 (1 - t)^(b-1) dt,
/// polynomials of degree below k, for which ceil(k / 2) points of Gauss-Legendre are exact. With
///     S(x) = sum over the points of w / t (1 - t)^b Z(x),   S'(x) = the same with (1 - t)^(b-1),
/// both are phi_i(x) = S(x) - S'(x - i).
///
/// A pair's index is the integral of the product with two factors taken out. In the same way, with
///     A(x) = half the sum over the points of w / t^2 (1 - t)^b Z(x),   B and C = the same with b - 1 and b - 2,
/// its cell is phi_ij(x) / 2 = A(x) - B(x - i) - B(x - j) + C(x - i - j), whether x has i and j or not. The diagonal is
/// phi_i without the cells of its row. Banzhaf values and interactions have one point, t = 1/2 (quadrature_rule.h).
/// Shapley-Taylor indices have the weights 2 w (1 - t) for pairs. On their diagonal is the effect of a feature alone,
/// which needs no point: the weight of the patterns that miss only i if x has i, else minus f(all).
///
///   1. Each leaf of up to kMostPartFeatures features gets the histogram f of the background's patterns, Z, S and S',
///      then a table of phi by pattern (interventional_kernel.h). The cost is k 2^k operations, whatever the
///      background's size, and k^2 2^k for a table of pairs.
///   2. Leaves with more features keep the distinct patterns of the background (direct_leaf.h).
///   3. Rows go through the tree in tiles (path_program.h). Each row and leaf adds a row of the table to sums by
///      position in the path, or is paired with the patterns one by one.
/// Values become integers before they are added (interventional_kernel.h), so that devices, which add in another order,
/// compute the same bits. The cost is linear in rows plus background (Woodelf, Nadel and Wettenstein 2026, has this
/// order of cost from tables of 3^k). If the row and the whole background satisfy the same splits of a feature, it gets
/// exactly 0: its terms are equal bit by bit before they are subtracted. So do its pairs.
#pragma once

#include "predictor/forest/forest.h"
#include "predictor/shap/quadrature_forest.h"

namespace kauri {

/// Computes the mean over the background of the values that `goal` specifies; sums are 64-bit integers and rounded
/// once. The bias is the mean of the trees over the background plus the start. The bits do not depend on the batch, the
/// place in it, the number of threads or the CPU. out: the layout of QuadratureValues. \throws Error(kData) if the
/// background has no rows.
void InterventionalValues(Context const& ctx, ForestTask const& task, DataView const& background, QuadratureGoal goal,
                          Span<float> out);

}  // namespace kauri
