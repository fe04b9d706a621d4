/// Weights smoothed towards the parent's: the formula node by node, for any grower.
#include <gtest/gtest.h>

#include <string>

#include "tree/exact/exact_builder.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/naive_hist_tree.h"

namespace kauri {
namespace {

Job MakeJob(std::uint64_t seed) {
  MatrixSpec spec;
  spec.n_rows = 700;
  spec.n_cols = 4;
  spec.missing = 0.2;
  spec.seed = seed;
  Job job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  if (seed % 2 == 1) job.sampled = SampleRows(Context{}, 0, 0, 0.6F, spec.n_rows);
  job.gradients = MakeGradients(spec.n_rows, seed + 1, job.sampled);
  return job;
}

Built BuildExactly(Job const& job) {
  auto const data = MakeMatrix(job.values, job.n_cols, job.sparse);
  ExactBuilder const builder(job.param);
  auto const state = builder.MakeState(Context{}, *data);
  Built built;
  built.leaf_of_row.assign(job.NumRows(), -1);
  built.tree = builder.Build(Context{}, *data, job.Task(), state.get(), built.leaf_of_row);
  return built;
}

/// Returns the smoothed weight of a node, from the path in the unsmoothed tree, whose inner nodes have their weights.
double SmoothWeight(Job const& job, Built const& plain, std::int32_t node) {
  auto const& tree = plain.tree;
  auto const at = static_cast<std::size_t>(node);
  auto const own = tree.IsLeaf(node) && node > 0
                       ? static_cast<double>(tree.split_value[at]) / static_cast<double>(job.param.eta)
                       : static_cast<double>(tree.base_weight[at]);
  if (node == 0) return own;
  double n_rows = 0.0;
  for (std::size_t row = 0; row < job.NumRows(); ++row) {
    auto above = plain.leaf_of_row[row];
    while (above != node && above != kNoNode) above = tree.parent[above];
    if (above == node && (job.sampled.empty() || job.sampled[row] != 0)) n_rows += 1.0;
  }
  auto const multiple = n_rows / static_cast<double>(job.param.path_smooth);
  return own * multiple / (multiple + 1.0) + SmoothWeight(job, plain, tree.parent[at]) / (multiple + 1.0);
}

TEST(PathSmooth, IsTheFormulaForEveryMethod) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    auto job = MakeJob(seed);
    job.param.max_depth = 5;
    job.param.gamma = seed % 3 == 0 ? 0.5F : 0.0F;
    if (seed % 3 == 1) job.param.grow_policy = TreeParam::kLossGuide;
    auto const build = seed % 4 < 2 ? BuildExactly : [](Job const& of) { return BuildTree(of); };
    job.param.path_smooth = 0.0F;
    auto const plain = build(job);
    job.param.path_smooth = 30.0F;
    auto const smooth = build(job);
    EXPECT_GT(smooth.tree.NumLeaves(), 8);
    EXPECT_EQ(smooth.tree.left, plain.tree.left);
    EXPECT_EQ(smooth.leaf_of_row, plain.leaf_of_row);
    for (std::int32_t node = 0; node < smooth.tree.NumNodes(); ++node) {
      auto const at = static_cast<std::size_t>(node);
      auto const expected = SmoothWeight(job, plain, node);
      if (!smooth.tree.IsLeaf(node)) {
        EXPECT_EQ(smooth.tree.split_value[at], plain.tree.split_value[at]);
        EXPECT_NEAR(static_cast<double>(smooth.tree.base_weight[at]), expected, 1e-6) << seed;
      } else {
        auto const value = expected * static_cast<double>(job.param.eta);
        EXPECT_NEAR(static_cast<double>(smooth.tree.split_value[at]), value, 1e-6) << seed;
      }
    }
  }
}

/// Tests a root of weight 1 with leaves of weights 3 and -1, of 6 and 2 rows; with path_smooth 2 their own weights have
/// three parts and one part.
TEST(PathSmooth, WorkedExample) {
  Tree tree;
  tree.ExpandNode(0, {0, 0.5F, false, 1.0F});
  tree.SetNodeStatistics(0, 1.0F, 8.0F);
  tree.SetNodeStatistics(1, 3.0F, 6.0F);
  tree.SetNodeStatistics(2, -1.0F, 2.0F);
  std::vector<std::int32_t> const leaf_of_row{1, 1, 1, 2, 1, 1, 2, 1, 2};
  std::vector<std::uint8_t> const sampled{1, 1, 1, 1, 1, 1, 1, 1, 0};
  SmoothPaths(Context{}, 2.0F, 0.5F, sampled, leaf_of_row, &tree);
  EXPECT_EQ(tree.split_value[1], 0.5F * (3.0F * 3.0F + 1.0F) / 4.0F);
  EXPECT_EQ(tree.split_value[2], 0.5F * (-1.0F + 1.0F) / 2.0F);
  EXPECT_EQ(tree.base_weight[0], 1.0F);
}

}  // namespace
}  // namespace kauri
