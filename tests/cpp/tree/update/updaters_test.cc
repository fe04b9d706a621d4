/// Refreshing and pruning compared with naive references; gains worked by hand.
#include "tree/update/updaters.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/random_matrix.h"
#include "support/same_tree.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/hist_builder.h"

namespace kauri {
namespace {

using testing::MakeGradients;
using testing::MakeMatrix;

/// A tree grown on other gradients, and the leaves of the rows.
struct Grown {
  std::unique_ptr<DataMatrix> data;
  std::vector<std::int32_t> leaf_of_row;
  Tree tree;
};

Grown Grow(std::int64_t n_rows, int max_depth) {
  testing::MatrixSpec spec;
  spec.n_rows = n_rows;
  spec.missing = 0.2;
  Grown grown{MakeMatrix(spec), std::vector<std::int32_t>(n_rows), {}};
  TreeParam param;
  param.Init(std::map<std::string, std::string>{{"max_depth", std::to_string(max_depth)}, {"min_child_weight", "0"}});
  HistBuilder const builder(param);
  auto const gradients = MakeGradients(n_rows, 1);
  TreeTask task;
  task.gradients = gradients.View();
  auto const state = builder.MakeState(Context{}, *grown.data);
  grown.tree = builder.Build(Context{}, *grown.data, task, state.get(), grown.leaf_of_row);
  return grown;
}

TreeParam MakeParam(std::map<std::string, std::string> const& values) {
  TreeParam param;
  param.Init(values);
  return param;
}

RefreshUpdater MakeRefresh(TreeParam const& param, bool leaves) {
  RefreshParam refresh;
  refresh.refresh_leaf = leaves;
  refresh.refresh_decay = 0.0F;
  return {param, refresh};
}

/// Returns the sum of the rows below a node, row by row.
FixedSum NaiveSum(Grown const& grown, FixedGradients const& gradients, std::int32_t node) {
  FixedSum sum;
  for (std::size_t row = 0; row < grown.leaf_of_row.size(); ++row) {
    for (auto at = grown.leaf_of_row[row]; at != kNoNode; at = grown.tree.parent[at]) {
      if (at == node) sum += gradients.pairs[row];
    }
  }
  return sum;
}

TEST(Refresh, EveryNodeHasTheStatisticsOfItsRows) {
  for (std::int64_t const n_rows : {1, 33, 257, 3000}) {
    auto grown = Grow(n_rows, 5);
    auto const gradients = MakeGradients(n_rows, 2);
    auto const before = grown.tree;
    TreeTask task;
    task.gradients = gradients.View();
    task.place.leaf_scale = 0.5F;
    MakeRefresh(MakeParam({{"lambda", "2"}, {"eta", "0.1"}}), true)
        .Update(Context{}, task, grown.leaf_of_row, &grown.tree);
    EXPECT_EQ(grown.tree.left, before.left);
    for (std::int32_t node = 0; node < before.NumNodes(); ++node) {
      auto const at = static_cast<std::size_t>(node);
      auto const sum = NaiveSum(grown, gradients, node);
      auto const gradient = static_cast<double>(sum.gradient) * gradients.unit.gradient;
      auto const hessian = static_cast<double>(sum.hessian) * gradients.unit.hessian;
      auto const weight = hessian < 1.0 ? 0.0 : -gradient / (hessian + 2.0);
      EXPECT_FLOAT_EQ(grown.tree.sum_hessian[at], static_cast<float>(hessian));
      EXPECT_FLOAT_EQ(grown.tree.base_weight[at], static_cast<float>(weight));
      if (before.IsLeaf(node)) {
        EXPECT_FLOAT_EQ(grown.tree.split_value[at], static_cast<float>(weight) * 0.05F);
      } else {
        EXPECT_EQ(grown.tree.split_value[at], before.split_value[at]);
      }
    }
  }
}

TEST(Refresh, DecayKeepsAShareOfOldLeaves) {
  auto const grown = Grow(3000, 5);
  auto const gradients = MakeGradients(3000, 2);
  TreeTask task;
  task.gradients = gradients.View();
  auto const refreshed = [&](float decay) {
    auto tree = grown.tree;
    auto leaves = grown.leaf_of_row;
    RefreshParam refresh;
    refresh.refresh_leaf = true;
    refresh.refresh_decay = decay;
    RefreshUpdater(MakeParam({}), refresh).Update(Context{}, task, leaves, &tree);
    return tree;
  };
  auto const fresh = refreshed(0.0F);
  for (float const decay : {0.25F, 0.9F, 1.0F}) {
    auto const tree = refreshed(decay);
    EXPECT_EQ(tree.base_weight, fresh.base_weight);
    EXPECT_EQ(tree.loss_change, fresh.loss_change);
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      auto const at = static_cast<std::size_t>(node);
      auto const mean = decay * grown.tree.split_value[at] + (1.0F - decay) * fresh.split_value[at];
      EXPECT_FLOAT_EQ(tree.split_value[at], tree.IsLeaf(node) ? mean : grown.tree.split_value[at]);
    }
  }
}

TEST(Refresh, LossChangesByHand) {
  // Left: G = -4, H = 3; right: G = 2, H = 1; lambda 1: 16 / 4 + 4 / 2 - 4 / 5.
  FixedGradients gradients;
  gradients.pairs = {{-4, 3}, {2, 1}};
  TreeTask task;
  task.gradients = gradients.View();
  std::vector<std::int32_t> leaves{1, 2};
  auto const loss_change = [&](std::map<std::string, std::string> const& params) {
    Tree tree;
    tree.ExpandNode(0, {0, 0.5F, false, 9.0F});
    MakeRefresh(MakeParam(params), false).Update(Context{}, task, leaves, &tree);
    EXPECT_EQ(tree.split_value, (std::vector<float>{0.5F, 0.0F, 0.0F}));  // refresh_leaf is off
    return tree.loss_change[0];
  };
  EXPECT_FLOAT_EQ(loss_change({}), 5.2F);
  EXPECT_FLOAT_EQ(loss_change({{"min_child_weight", "2"}}), 3.2F);  // the right child gains nothing
  // 3^2 / 4 + 1^2 / 2 - 1^2 / 5 after alpha; with steps of 1/2 the left weight is 1/2 instead of 3/4: 2 * 3 w - 4 w^2.
  EXPECT_FLOAT_EQ(loss_change({{"alpha", "1"}}), 2.25F + 0.5F - 0.2F);
  EXPECT_FLOAT_EQ(loss_change({{"alpha", "1"}, {"max_delta_step", "9"}}), 2.25F + 0.5F - 0.2F);
  EXPECT_FLOAT_EQ(loss_change({{"alpha", "1"}, {"max_delta_step", "0.5"}}), 2.0F + 0.5F - 0.2F);
}

TEST(Refresh, ThreadsDoNotMatter) {
  auto const grown = Grow(100000, 7);
  auto const gradients = MakeGradients(100000, 3);
  TreeTask task;
  task.gradients = gradients.View();
  std::vector<Tree> trees;
  for (int const threads : {1, 2, 5}) {
    auto leaves = grown.leaf_of_row;
    trees.push_back(grown.tree);
    Context ctx;
    ctx.threads = threads;
    MakeRefresh(MakeParam({}), true).Update(ctx, task, leaves, &trees.back());
  }
  testing::ExpectSameTree(trees[0], trees[1]);
  testing::ExpectSameTree(trees[0], trees[2]);
}

/// Returns whether a split is kept: it is removed if it is weak or too deep and nothing below it is kept.
bool StaysSplit(Tree const& tree, std::int32_t node, std::int32_t depth, float gamma, std::int32_t max_depth) {
  auto const at = static_cast<std::size_t>(node);
  if (tree.IsLeaf(node)) return false;
  auto const left = StaysSplit(tree, tree.left[at], depth + 1, gamma, max_depth);
  auto const right = StaysSplit(tree, tree.right[at], depth + 1, gamma, max_depth);
  return left || right || !(tree.loss_change[at] < gamma || (max_depth > 0 && depth + 1 > max_depth));
}

void ExpectPruned(Tree const& old, Tree const& pruned, std::int32_t from, std::int32_t to, std::int32_t depth,
                  float gamma, std::int32_t max_depth) {
  auto const at = static_cast<std::size_t>(from);
  auto const now = static_cast<std::size_t>(to);
  ASSERT_EQ(!pruned.IsLeaf(to), StaysSplit(old, from, depth, gamma, max_depth));
  EXPECT_EQ(pruned.base_weight[now], old.base_weight[at]);
  EXPECT_EQ(pruned.sum_hessian[now], old.sum_hessian[at]);
  if (pruned.IsLeaf(to)) {
    EXPECT_EQ(pruned.split_value[now], old.IsLeaf(from) ? old.split_value[at] : old.base_weight[at] * 0.3F);
    return;
  }
  EXPECT_EQ(pruned.split_value[now], old.split_value[at]);
  ExpectPruned(old, pruned, old.left[at], pruned.left[now], depth + 1, gamma, max_depth);
  ExpectPruned(old, pruned, old.right[at], pruned.right[now], depth + 1, gamma, max_depth);
}

TEST(Prune, AsTheRecursiveDefinition) {
  auto const grown = Grow(2000, 7);
  for (auto const gamma : {0.0F, 2.0F, 5.0F, std::numeric_limits<float>::max()}) {
    for (std::int32_t const max_depth : {0, 1, 4, 7}) {
      auto tree = grown.tree;
      auto leaves = grown.leaf_of_row;
      auto param = MakeParam({{"max_depth", std::to_string(max_depth)}});
      param.gamma = gamma;
      PruneUpdater(param).Update(Context{}, {}, leaves, &tree);
      EXPECT_NO_THROW(tree.Validate(4));
      ExpectPruned(grown.tree, tree, 0, 0, 0, gamma, max_depth);
      for (std::int64_t row = 0; row < 2000; row += 7) {
        EXPECT_EQ(leaves[row], FindLeaf(tree, *grown.data, row));
      }
    }
  }
}

TEST(Prune, KeepsCategoriesAndCounts) {
  // 0 -> (1, 2) on categories 1, 4; 1 -> (3, 4) weak, on 2; 2 -> (5, 6) strong, on 0, 3, 5.
  Tree tree;
  tree.ExpandNode(0, {0, 0.0F, false, 9.0F});
  tree.ExpandNode(1, {1, 0.0F, true, 0.5F});
  tree.ExpandNode(2, {2, 0.0F, true, 5.0F});
  tree.is_categorical = {1, 1, 1, 0, 0, 0, 0};
  tree.category_begin = {0, 2, 3, 0, 0, 0, 0};
  tree.category_count = {2, 1, 3, 0, 0, 0, 0};
  tree.categories = {1, 4, 2, 0, 3, 5};
  tree.row_count = {70, 30, 40, 10, 20, 15, 25};
  PruneTree(1.0F, 1.0F, &tree);
  EXPECT_NO_THROW(tree.Validate(3));
  EXPECT_EQ(tree.is_categorical, (std::vector<std::uint8_t>{1, 0, 1, 0, 0}));
  EXPECT_EQ(tree.categories, (std::vector<std::int32_t>{1, 4, 0, 3, 5}));
  EXPECT_EQ(tree.CategoriesOf(2).size(), 3U);
  EXPECT_EQ(tree.row_count, (std::vector<std::int64_t>{70, 30, 40, 15, 25}));
  PruneTree(100.0F, 1.0F, &tree);
  EXPECT_EQ(tree.NumNodes(), 1);
  EXPECT_FALSE(tree.HasCategorical());
}

}  // namespace
}  // namespace kauri
