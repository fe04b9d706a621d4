/// \file What every tree builder does the same way: sums of rows, statistics of nodes, leaf values, pruning, routing.
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

/// `monotone`: there are monotone constraints.
GainParam MakeGainParam(TreeParam const& param, GradientUnit unit, bool monotone = false);

/// What cat_smooth and min_data_per_group, which count rows, are in hessian: `root_hessian` is that of all n_rows rows.
/// n_rows 0: nothing is asked of categories.
CategoryGain MakeCategoryGain(TreeParam const& param, double root_hessian, std::int64_t n_rows);

inline CategoryRules CategoryRulesOf(TreeParam const& param) {
  return {param.max_cat_to_onehot, param.max_cat_threshold};
}

/// The sum over the sampled rows of the task, of all ranks.
FixedSum SumGradients(Context const& ctx, TreeTask const& task);

/// \throws Error(kInternal) when task and data disagree on the number of rows.
void CheckTask(TreeTask const& task, DataMatrix const& data, Span<std::int32_t const> leaf_of_row);

/// Rounds the weight to float32 and fills base_weight, sum_hessian and, as for a leaf, split_value = weight * (eta *
/// leaf_scale), all float32. Call it for the root and, after ExpandNode, for both children, with the bounds of the
/// parent.
void SetNode(FixedSum sum, GainParam const& gain, float leaf_rate, std::int32_t node, Tree* tree,
             WeightBounds const& bounds = {});

/// The factor from a weight to a leaf value: eta * leaf_scale in float32.
inline float LeafRate(TreeParam const& param, TreePlace const& place) { return param.eta * place.leaf_scale; }

/// Every leaf but the root gets its values, after the learning rate, for base weights: so XGBoost's hist and approx
/// write them, while exact leaves them as they are before it.
void SetLeafWeights(Tree* tree);

/// Post-pruning (XGBoost's `prune`): from the bottom up, a split with two leaves and loss_change < gamma, or with
/// leaves below max_depth (0: no limit), becomes a leaf of its base weight. The other nodes keep their order. Returns
/// [old n_nodes]: the new id of each node, or of its pruned ancestor.
std::vector<std::int32_t> PruneTree(float gamma, float leaf_rate, Tree* tree, std::int32_t max_depth = 0);

/// The leaf of a row of `data`, by following the splits.
std::int32_t FindLeaf(Tree const& tree, DataMatrix const& data, std::int64_t row);

}  // namespace kauri
