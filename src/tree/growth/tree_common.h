/// \file Functions shared by all tree builders: sums of rows, statistics of nodes, leaf values, pruning, routing.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/categories/category_split.h"
#include "tree/growth/split_rules.h"
#include "tree/split_gain.h"

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

}  // namespace kauri
