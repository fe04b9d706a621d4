/// Trees with vector leaves: equal to their definition, the same for any number of threads, and worked examples checked
/// with XGBoost 3.4.
#include <gtest/gtest.h>

#include <string>

#include "tree/hist_vector/random_vector_job.h"

namespace kauri {
namespace {

TEST(HistVectorTree, EqualsTheDefinitionOnRandomData) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    auto const job = RandomJob(seed);
    auto const built = BuildVectorTree(job);
    ExpectSameVectors(built, NaiveVectorTree(job).Grow(), "seed " + std::to_string(seed));
    ExpectRawValuesReachTheSameLeaves(job.job, built);
    EXPECT_NO_THROW(built.tree.Validate(job.job.n_cols));
    n_splits += built.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 200);
}

TEST(HistVectorTree, FreeOutputsAsInTheDefinition) {
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto job = FreeOutputsJob(seed);
    auto const built = BuildVectorTree(job, 1 + static_cast<int>(seed % 3));
    ExpectSameVectors(built, NaiveVectorTree(job).Grow(), "seed " + std::to_string(seed));
    job.job.free_outputs.clear();
    n_changed += built.tree.leaf_vector == BuildVectorTree(job).tree.leaf_vector ? 0 : 1;
  }
  EXPECT_GT(n_changed, 40);
}

TEST(HistVectorTree, LimitedRowsAsInTheDefinition) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto job = seed % 10 == 9 ? BundledJob(seed) : RandomJob(seed);
    job.job.param.min_child_weight = 0.0F;
    job.job.param.min_data_in_leaf = 2 + 5 * static_cast<int>(seed % 4);
    auto const built = BuildVectorTree(job, 1 + static_cast<int>(seed % 3));
    ExpectSameVectors(built, NaiveVectorTree(job).Grow(), "seed " + std::to_string(seed));
    n_splits += built.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 100);
}

TEST(HistVectorTree, NoiseAsInTheDefinition) {
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto job = seed % 10 == 9 ? BundledJob(seed) : RandomJob(seed);
    auto const quiet = BuildVectorTree(job);
    job.job.param.random_strength = 0.5F + static_cast<float>(seed % 4);
    auto const built = BuildVectorTree(job, 1 + static_cast<int>(seed % 3));
    ExpectSameVectors(built, NaiveVectorTree(job).Grow(), "seed " + std::to_string(seed));
    n_changed += built.leaf_of_row == quiet.leaf_of_row ? 0 : 1;
  }
  EXPECT_GT(n_changed, 20);
}

TEST(HistVectorTree, CostsAsInTheDefinition) {
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto job = seed % 10 == 9 ? BundledJob(seed) : RandomJob(seed);
    auto const free = BuildVectorTree(job);
    Random random(seed + 1000);
    job.job.costs = testing::MakeCosts(job.job.n_cols, &random);
    auto const built = BuildVectorTree(job, 1 + static_cast<int>(seed % 3));
    ExpectSameVectors(built, NaiveVectorTree(job).Grow(), "seed " + std::to_string(seed));
    n_changed += built.leaf_of_row == free.leaf_of_row ? 0 : 1;
  }
  EXPECT_GT(n_changed, 20);
}

/// Tests nodes with histograms and, further down, small nodes without.
TEST(HistVectorTree, EqualsTheDefinitionWithAndWithoutHistograms) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    MatrixSpec spec;
    spec.n_rows = 1500;
    spec.n_cols = 4;
    spec.missing = seed % 2 == 0 ? 0.0 : 0.2;
    spec.seed = seed;
    VectorJob job;
    job.job.values = MakeValues(spec);
    job.job.n_cols = spec.n_cols;
    job.job.param.max_bin = 64;
    job.job.param.max_depth = 6;
    job.n_outputs = 3;
    job.pairs = MakePairs(spec.n_rows, job.n_outputs, seed < 3, seed);
    ExpectSameVectors(BuildVectorTree(job), NaiveVectorTree(job).Grow(), "seed " + std::to_string(seed));
  }
}

/// Trees with two identical outputs get the random thresholds of a scalar tree.
TEST(HistVectorTree, DrawsTheThresholdsOfOtherTrees) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    MatrixSpec spec;
    spec.n_rows = seed < 10 ? 300 : 3000;
    spec.missing = seed % 2 == 0 ? 0.0 : 0.2;
    spec.seed = seed;
    VectorJob job;
    job.job.values = MakeValues(spec);
    job.job.n_cols = spec.n_cols;
    job.job.param.extra_trees = true;
    job.job.param.min_data_in_leaf = seed % 3 == 0 ? 9 : 0;
    job.job.param.max_depth = 4;
    auto const alone = MakePairs(spec.n_rows, 1, true, seed);
    for (auto const& pair : alone) job.pairs.insert(job.pairs.end(), 2, pair);
    auto scalar = job.job;
    QuantiseGradients(Context{}, alone, 1, 0, {}, &scalar.gradients);
    auto const one = BuildTree(scalar).tree;
    auto const two = BuildVectorTree(job).tree;
    EXPECT_EQ(two.split_feature, one.split_feature) << seed;
    EXPECT_EQ(two.default_left, one.default_left) << seed;
    for (std::int32_t node = 0; node < one.NumNodes(); ++node) {
      if (one.IsLeaf(node)) continue;
      EXPECT_EQ(two.split_value[node], one.split_value[node]) << seed;
    }
    n_splits += one.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 60);
}

TEST(HistVectorTree, BundledFeaturesAreTakenApart) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto const job = BundledJob(seed);
    auto const data = MakeMatrix(job.job.values, job.job.n_cols, job.job.sparse);
    EXPECT_TRUE(BinMatrix({}, *data, MakeQuantileCuts({}, *data, 256)).HasBundles());
    auto const built = BuildVectorTree(job);
    EXPECT_GT(built.tree.NumLeaves(), 5);
    ExpectSameVectors(built, NaiveVectorTree(job).Grow(), "seed " + std::to_string(seed));
  }
}

TEST(HistVectorTree, ThreadsDoNotMatter) {
  for (auto const& job : LargeJobs()) {
    auto const expected = BuildVectorTree(job, 1);
    EXPECT_GT(expected.tree.NumLeaves(), 15);
    ExpectRawValuesReachTheSameLeaves(job.job, expected);
    for (int const threads : {2, 3, 8}) {
      ExpectSameVectors(BuildVectorTree(job, threads), expected, std::to_string(threads) + " threads");
    }
  }
}

/// If one of two outputs has no gradients, the tree is the tree of the other output alone, whose hessians the mean over
/// both outputs halves.
TEST(HistVectorTree, AnOutputWithoutGradientsLeavesTheOther) {
  MatrixSpec spec;
  spec.n_rows = 500;
  VectorJob job;
  job.job.values = MakeValues(spec);
  job.job.n_cols = spec.n_cols;
  job.job.param.min_child_weight = 1.0F;
  auto const alone = MakePairs(spec.n_rows, 1, true, 3);
  for (auto const& pair : alone) {
    job.pairs.push_back({0.0F, 0.0F});
    job.pairs.push_back(pair);
  }
  auto const built = BuildVectorTree(job).tree;
  auto scalar = job.job;
  QuantiseGradients(Context{}, alone, 1, 0, {}, &scalar.gradients);
  scalar.param.min_child_weight = 2.0F;
  auto const expected = BuildTree(scalar).tree;
  ASSERT_GT(expected.NumLeaves(), 10);
  EXPECT_EQ(built.left, expected.left);
  EXPECT_EQ(built.loss_change, expected.loss_change);
  for (std::int32_t node = 0; node < built.NumNodes(); ++node) {
    if (!built.IsLeaf(node)) continue;
    EXPECT_EQ(built.LeafValues(node)[0], 0.0F);
    EXPECT_EQ(built.LeafValues(node)[1], expected.LeafValues(node)[0]);
  }
}

/// Ten rows 0 .. 9; the first five and the last five have opposite gradients, 1 and 2 by output.
class TwoHalves : public ::testing::Test {
 protected:
  TwoHalves() {
    for (int row = 0; row < 10; ++row) {
      job_.job.values.push_back(static_cast<float>(row));
      auto const sign = row < 5 ? -1.0F : 1.0F;
      job_.pairs.push_back({sign, 1.0F});
      job_.pairs.push_back({2.0F * sign, 3.0F});
    }
    job_.job.param.max_depth = 1;
    job_.job.param.lambda = 0.0F;
    job_.job.param.eta = 1.0F;
  }
  Tree Build() const { return BuildVectorTree(job_).tree; }

  VectorJob job_;
};

TEST_F(TwoHalves, MinChildWeightIsOfTheMeanHessian) {
  for (float const weight : {0.0F, 9.9F, 10.0F, 10.1F, 15.0F}) {  // the halves have hessians 5 and 15
    job_.job.param.min_child_weight = weight;
    EXPECT_EQ(Build().NumLeaves(), weight <= 10.0F ? 2 : 1) << weight;
  }
  EXPECT_EQ(Build().sum_hessian[0], 40.0F);
}

TEST_F(TwoHalves, GainsAndWeights) {
  auto const tree = Build();
  EXPECT_EQ(tree.split_value[0], 5.0F);
  EXPECT_FLOAT_EQ(tree.loss_change[0], 23.333334F);
  EXPECT_EQ(tree.sum_hessian, (std::vector<float>{40.0F, 20.0F, 20.0F}));
  EXPECT_EQ(tree.LeafValues(1)[0], 1.0F);
  EXPECT_FLOAT_EQ(tree.LeafValues(1)[1], 0.6666667F);
  EXPECT_EQ(tree.split_value[1], 0.0F);
}

TEST_F(TwoHalves, RegularisationOfEveryOutput) {
  for (std::size_t i = 1; i < job_.pairs.size(); i += 2) job_.pairs[i].hessian = 1.0F;
  job_.job.param.alpha = 0.7F;
  EXPECT_FLOAT_EQ(Build().loss_change[0], 41.992F);
  job_.job.param.max_delta_step = 0.5F;
  EXPECT_FLOAT_EQ(Build().loss_change[0], 22.2F);
  job_.job.param.max_delta_step = 50.0F;
  EXPECT_FLOAT_EQ(Build().loss_change[0], 41.992F);
}

/// The outputs fall with the feature. With sign 1 no split gains; if one output rises, only its leaf values differ.
TEST_F(TwoHalves, MonotoneOutputsInTheWrongOrderStayTogether) {
  job_.job.param.monotone_constraints = "(1)";
  EXPECT_EQ(Build().NumLeaves(), 1);
  for (std::size_t i = 1; i < job_.pairs.size(); i += 2) job_.pairs[i] = {-job_.pairs[i].gradient, 1.0F};
  auto const tree = Build();
  ASSERT_EQ(tree.NumLeaves(), 2);
  EXPECT_FLOAT_EQ(tree.loss_change[0], 40.0F);
  EXPECT_EQ(tree.LeafValues(1)[0], 0.0F);
  EXPECT_EQ(tree.LeafValues(1)[1], -2.0F);
  EXPECT_EQ(tree.LeafValues(2)[1], 2.0F);
}

/// Both outputs fall with the feature, and sign 1 binds one of them: its leaves are equal, the other's as without sign.
TEST_F(TwoHalves, FreeOutputsNeedNoOrder) {
  auto const unbound = Build();
  job_.job.param.monotone_constraints = "(1)";
  job_.job.free_outputs = {0, 1};
  auto const tree = Build();
  ASSERT_EQ(tree.NumLeaves(), 2);
  EXPECT_EQ(tree.LeafValues(1)[0], 0.0F);
  EXPECT_EQ(tree.LeafValues(2)[0], 0.0F);
  EXPECT_EQ(tree.LeafValues(1)[1], unbound.LeafValues(1)[1]);
  EXPECT_EQ(tree.LeafValues(2)[1], unbound.LeafValues(2)[1]);
  job_.job.free_outputs = {1, 1};
  EXPECT_EQ(Build().leaf_vector, unbound.leaf_vector);
}

TEST_F(TwoHalves, NothingToLearnIsOneLeaf) {
  for (auto& pair : job_.pairs) pair = {0.0F, 0.0F};
  auto const tree = Build();
  EXPECT_EQ(tree.NumLeaves(), 1);
  EXPECT_EQ(tree.leaf_vector, (std::vector<float>{0.0F, 0.0F}));
}

}  // namespace
}  // namespace kauri
