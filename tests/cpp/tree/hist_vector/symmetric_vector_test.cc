/// Symmetric trees with vector leaves: equal to their definition, and the same for any number of threads.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "tree/hist_vector/naive_symmetric_vector_tree.h"
#include "tree/hist_vector/random_vector_job.h"

namespace kauri {
namespace {

VectorJob Symmetric(VectorJob job) {
  job.job.param.grow_policy = TreeParam::kSymmetric;
  job.job.param.extra_trees = true;
  return job;
}

/// Returns a job with one of all layouts of codes: bytes, words, sparse, and bundles of dense and sparse data.
VectorJob DrawJob(std::uint64_t seed) { return Symmetric(seed % 5 == 4 ? BundledJob(seed) : RandomJob(seed)); }

/// Returns the number of splits.
std::int64_t ExpectTheDefinition(VectorJob const& job, std::uint64_t seed) {
  auto const built = BuildVectorTree(job, 1 + static_cast<int>(seed % 3));
  ExpectSameVectors(built, NaiveSymmetricVectorTree(job).Grow(), "seed " + std::to_string(seed));
  EXPECT_NO_THROW(built.tree.Validate(job.job.n_cols));
  return built.tree.NumLeaves() - 1;
}

TEST(SymmetricVectorTree, EqualsTheDefinitionOnRandomData) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) n_splits += ExpectTheDefinition(DrawJob(seed), seed);
  EXPECT_GT(n_splits, 400);
}

TEST(SymmetricVectorTree, FreeOutputsAsInTheDefinition) {
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto job = Symmetric(FreeOutputsJob(seed));
    ExpectTheDefinition(job, seed);
    auto const built = BuildVectorTree(job);
    job.job.free_outputs.clear();
    n_changed += built.tree.leaf_vector == BuildVectorTree(job).tree.leaf_vector ? 0 : 1;
  }
  EXPECT_GT(n_changed, 40);
}

TEST(SymmetricVectorTree, CategoriesAsInTheDefinition) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    auto job = Symmetric(RandomCategoryJob(seed, 60 + 40 * static_cast<std::int64_t>(seed % 4), 1 + seed % 4));
    job.job.param.max_depth = 4;
    n_splits += ExpectTheDefinition(job, seed);
  }
  EXPECT_GT(n_splits, 150);
}

TEST(SymmetricVectorTree, LimitedRowsAsInTheDefinition) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto job = DrawJob(seed);
    job.job.param.min_child_weight = 0.0F;
    job.job.param.min_data_in_leaf = 2 + 5 * static_cast<int>(seed % 4);
    n_splits += ExpectTheDefinition(job, seed);
  }
  EXPECT_GT(n_splits, 100);
}

TEST(SymmetricVectorTree, NoiseAndCostsAsInTheDefinition) {
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto job = DrawJob(seed);
    auto const quiet = BuildVectorTree(job);
    Random random(seed + 1000);
    if (seed % 3 != 1) job.job.param.random_strength = 0.5F + static_cast<float>(seed % 4);
    if (seed % 3 != 0) job.job.costs = testing::MakeCosts(job.job.n_cols, &random);
    ExpectTheDefinition(job, seed);
    n_changed += BuildVectorTree(job).leaf_of_row == quiet.leaf_of_row ? 0 : 1;
  }
  EXPECT_GT(n_changed, 20);
}

TEST(SymmetricVectorTree, ThreadsAndRunsDoNotMatter) {
  for (auto const& large : LargeJobs()) {
    auto const job = Symmetric(large);
    auto const expected = BuildVectorTree(job, 1);
    EXPECT_GT(expected.tree.NumLeaves(), 3);
    for (int const threads : {1, 2, 3, 8}) {
      ExpectSameVectors(BuildVectorTree(job, threads), expected, std::to_string(threads));
    }
  }
}

/// More nodes and columns than are held at once: levels are processed in chunks.
TEST(SymmetricVectorTree, LevelsInChunksAsInTheDefinition) {
  auto const job = Symmetric(WideJob());
  auto const one = BuildVectorTree(job, 1);
  EXPECT_GT(one.tree.NumLeaves(), 40);
  ExpectSameVectors(BuildVectorTree(job, 3), one, "threads");
  ExpectSameVectors(one, NaiveSymmetricVectorTree(job).Grow(), "definition");
}

TEST(SymmetricVectorTree, HasOneConditionALevel) {
  auto const tree = BuildVectorTree(Symmetric(LargeJobs()[0])).tree;
  std::set<std::tuple<std::uint32_t, float, bool>> conditions;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) continue;
    conditions.emplace(tree.split_feature[node], tree.split_value[node], tree.default_left[node] != 0);
  }
  EXPECT_GT(tree.NumLeaves(), 16);
  EXPECT_EQ(conditions.size(), 5U);
}

/// Trees of both kinds alternate on one state: state left by one must not affect the other.
TEST(SymmetricVectorTree, SharesItsStateWithOtherTrees) {
  auto const plain = LargeJobs()[2];
  auto const symmetric = Symmetric(plain);
  auto const data = MakeMatrix(plain.job.values, plain.job.n_cols, plain.job.sparse);
  auto const state = HistBuilder(plain.job.param).MakeState(Context{}, *data);
  PackedGradients const packed(plain);
  for (int turn = 0; turn < 2; ++turn) {
    for (VectorJob const* of : {&symmetric, &plain}) {
      auto task = of->job.Task();
      task.table = packed.View();
      Built built;
      built.leaf_of_row.assign(of->job.NumRows(), -1);
      built.tree = HistBuilder(of->job.param).Build(Context{}, *data, task, state.get(), built.leaf_of_row);
      ExpectSameVectors(built, BuildVectorTree(*of), std::to_string(turn));
    }
  }
}

}  // namespace
}  // namespace kauri
