/// \file Functions shared by all tree builders: sums of rows, statistics of nodes, leaf values, pruning, routing,
/// the size of noise, smoothing.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/categories/category_split.h"
#include "tree/gain_noise.h"
#include "tree/split_gain.h"
#include "tree/split_rules.h"

namespace kauri {

/// Returns the parameters of gains. monotone: whether monotone constraints are given.
GainParam MakeGainParam(TreeParam const& param, GradientUnit unit, bool monotone = false);

/// Converts cat_smooth and min_data_per_group from rows to hessian. root_hessian: hessian of all n_rows rows. With
/// n_rows 0 there are no limits for categories.
CategoryGain MakeCategoryGain(TreeParam const& param, double root_hessian, std::int64_t n_rows);

inline CategoryRules CategoryRulesOf(TreeParam const& param) {
  return {param.max_cat_to_onehot, param.max_cat_threshold};
}

/// Returns the sum over the sampled rows of the task, of all ranks.
FixedSum SumGradients(Context const& ctx, TreeTask const& task);

/// Checks the task. \throws Error(kInternal) if task and data disagree on the number of rows.
void CheckTask(TreeTask const& task, DataMatrix const& data, Span<std::int32_t const> leaf_of_row);

/// Rounds the weight to float32 and sets base_weight, sum_hessian and, as for a leaf, split_value = weight * (eta *
/// leaf_scale), all float32. Call it for the root and, after ExpandNode, for both children, with the bounds of the
/// parent.
void SetNode(FixedSum sum, GainParam const& gain, float leaf_rate, std::int32_t node, Tree* tree,
             WeightBounds const& bounds = {});

/// Returns the factor from a weight to a leaf value: eta * leaf_scale in float32.
inline float LeafRate(TreeParam const& param, TreePlace const& place) { return param.eta * place.leaf_scale; }

/// Sets the base weight of every leaf except the root to its value after the learning rate. XGBoost's hist and approx
/// write such weights, while exact writes the weights before the learning rate.
void SetLeafWeights(Tree* tree);

/// Prunes a tree (XGBoost's `prune`): from the bottom up, a split with two leaves and loss_change < gamma, or with
/// leaves below max_depth (0: no limit), becomes a leaf of its base weight. The other nodes keep their order. Returns
/// for each old node its new id, or its pruned ancestor's id, [old n_nodes].
std::vector<std::int32_t> PruneTree(float gamma, float leaf_rate, Tree* tree, std::int32_t max_depth = 0);

/// Returns the leaf of a row of `data`, by following the splits.
std::int32_t FindLeaf(Tree const& tree, DataMatrix const& data, std::int64_t row);

// Computes the size of the noise of random_strength (gain_noise.h), modelled on CatBoost's parameter of that
// name.
//
// Its standard deviation is random_strength times the chance gain times a decay.
// 1. The chance gain is (sum of g^2) / (sum of h) over the training rows. Consider a child of n rows whose gradients
//    are unrelated to the split. Its sum of gradients has variance n mean(g^2), so its gain G^2 / H equals that
//    quotient on average, for any n. The noise is thus as large as the gain of meaningless splits, near the root and
//    far from it. Scaling the loss scales gains and noise alike. For vector leaves it is the sum over the outputs,
//    like their gain.
// 2. The decay is n / (n + exp(eta * rounds)), where n is the number of all rows. It starts at 1, reaches 1/2 when the
//    number of rounds so far times the learning rate is ln(n), and vanishes soon after: a well-trained model does not
//    benefit from noise.
// CatBoost's deviation has the same decay, but the square root of mean(g^2), because its scores are on the scale of
// roots.

/// Returns for each output of a task the sum of g^2 over the rows of all ranks, in squares of the gradients' unit. The
/// result does not depend on threads or ranks. Costs one pass over the rows.
std::vector<double> SumSquares(Context const& ctx, TreeTask const& task);
/// Does the same, given the sums of this rank's rows, of_outputs [n_outputs].
std::vector<double> SumSquares(Context const& ctx, std::vector<SquareSum> of_outputs);

/// Returns the standard deviation of the noise. chance_gain: as above. place: only `n_rows` and `iteration` are used.
double NoiseDeviation(TreeParam const& param, TreePlace const& place, double chance_gain);

// path_smooth: pulls weights of nodes with few rows towards their parents' weights, by LightGBM's formula.
//
// With m = n / path_smooth for a node of n rows,
//   weight = own weight * m / (m + 1) + parent's weight / (m + 1)
// from the root, which keeps its weight, downwards. Rows are counted as for min_data_in_leaf (split_rules.h). Splits
// are chosen without smoothing, whereas LightGBM's gains use smoothed weights.

/// Smooths a finished tree whose base weights do not include the learning rate; leaf values are updated accordingly.
/// leaf_rate: factor from weights to values. sampled: [n_rows], or empty. leaf_of_row: [n_rows], rows of this rank.
/// Cost: a pass over the rows.
void SmoothPaths(Context const& ctx, float path_smooth, float leaf_rate, Span<std::uint8_t const> sampled,
                 Span<std::int32_t const> leaf_of_row, Tree* tree);

/// Does the same from known row counts. n_rows: [n_nodes], rows of the leaves; 0 for splits.
void SmoothPaths(float path_smooth, float leaf_rate, std::vector<std::int64_t> n_rows, Tree* tree);

}  // namespace kauri
