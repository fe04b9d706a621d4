/// Symmetric trees of categorical columns: a level separates one category from the others.
#include <gtest/gtest.h>

#include <string>

#include "tree/categorical_job.h"
#include "tree/hist/naive_symmetric_tree.h"

namespace kauri {
namespace {

CategoricalJob SymmetricJob(std::uint64_t seed, std::int64_t n_numeric) {
  auto job = RandomJob(seed, 40 + 90 * static_cast<std::int64_t>(seed % 4), n_numeric);
  job.param.grow_policy = TreeParam::kSymmetric;
  job.param.interaction_constraints.clear();
  job.constraints.limits_features = seed % 5 == 0;
  if (job.constraints.limits_features) job.constraints.sets = {{0, 1}, {1}};
  job.constraints.Write(&job.param);
  return job;
}

std::int64_t ExpectTheDefinition(CategoricalJob const& job, std::uint64_t seed) {
  auto const built = BuildWith(Method::kHist, job, 1 + static_cast<int>(seed % 3));
  ExpectSame(built, NaiveSymmetricTree(job, *DataOf(job)).Grow(), "seed " + std::to_string(seed));
  ExpectRowsAndSums(job, built);
  std::int64_t n_splits = 0;
  for (std::int32_t node = 0; node < built.tree.NumNodes(); ++node) {
    n_splits += !built.tree.IsLeaf(node) && built.tree.IsCategorical(node) ? 1 : 0;
  }
  return n_splits;
}

TEST(SymmetricCategories, EqualTheDefinitionOnRandomData) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) n_splits += ExpectTheDefinition(SymmetricJob(seed, seed % 3), seed);
  EXPECT_GT(n_splits, 300);
}

TEST(SymmetricCategories, RowsNoiseAndCostsAsInTheDefinition) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    auto job = SymmetricJob(seed, seed % 2);
    if (seed % 3 != 1) job.param.min_data_in_leaf = 2 + 5 * static_cast<int>(seed % 4);
    if (seed % 3 != 0) job.param.random_strength = 1.0F;
    Random random(seed);
    if (seed % 2 == 0) job.costs = testing::MakeCosts(job.n_cols, &random);
    n_splits += ExpectTheDefinition(job, seed);
  }
  EXPECT_GT(n_splits, 200);
}

/// Tests one column, whose four rows have three categories.
TEST(SymmetricCategories, WorkedExample) {
  CategoricalJob job;
  job.values = {7.0F, 3.0F, 7.0F, 5.0F};
  job.types = {"c"};
  job.param.grow_policy = TreeParam::kSymmetric;
  job.param.max_depth = 2;
  job.param.lambda = 0.0F;
  job.param.eta = 1.0F;
  std::vector<GradientPair> const pairs{{1.0F, 1.0F}, {-6.0F, 1.0F}, {3.0F, 1.0F}, {5.0F, 1.0F}};
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &job.gradients);
  auto const tree = BuildWith(Method::kHist, job).tree;
  // Gains: {3}: 36 + 81 / 3, {5}: 25 + 4 / 3, {7}: 16 / 2 + 1 / 2; each minus 9 / 4.
  ASSERT_GE(tree.NumNodes(), 3);
  EXPECT_EQ(tree.CategoriesOf(0)[0], 3);
  EXPECT_FLOAT_EQ(tree.loss_change[0], 60.75F);
  EXPECT_EQ(tree.default_left[0], 1);
  EXPECT_FLOAT_EQ(tree.split_value[tree.right[0]], 6.0F);
  // {5} and {7} are the same split of the other rows, 33 - 81 / 3; of equal splits the first is used.
  EXPECT_EQ(tree.CategoriesOf(1)[0], 5);
  EXPECT_EQ(tree.NumLeaves(), 3);
}

}  // namespace
}  // namespace kauri
