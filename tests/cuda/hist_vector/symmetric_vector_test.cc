/// Symmetric trees with vector leaves grown on the device: they equal the trees of the method in host memory, bit for
/// bit.
#include "hist_vector/vector_fixture.h"

namespace kauri::testing {
namespace {

class SymmetricVectorsOnDevice : public VectorDeviceTest {
 protected:
  static VectorJob Symmetric(VectorJob job) {
    job.job.param.grow_policy = TreeParam::kSymmetric;
    job.job.param.extra_trees = true;
    return job;
  }
  static VectorJob DrawJob(std::uint64_t seed) { return Symmetric(seed % 5 == 4 ? BundledJob(seed) : RandomJob(seed)); }

  /// Returns the number of splits.
  std::int64_t ExpectTheHosts(VectorJob const& job, std::string const& what) const {
    auto const built = BuildOnDevice(job);
    ExpectSameVectors(built, BuildVectorTree(job), what);
    return built.tree.NumLeaves() - 1;
  }
};

TEST_F(SymmetricVectorsOnDevice, EqualTheHostsOnRandomData) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) n_splits += ExpectTheHosts(DrawJob(seed), std::to_string(seed));
  EXPECT_GT(n_splits, 150);
}

TEST_F(SymmetricVectorsOnDevice, FreeOutputs) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    n_splits += ExpectTheHosts(Symmetric(FreeOutputsJob(seed)), std::to_string(seed));
  }
  EXPECT_GT(n_splits, 40);
}

TEST_F(SymmetricVectorsOnDevice, Categories) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto job = Symmetric(RandomCategoryJob(seed, 200, 1 + static_cast<std::int64_t>(seed % 4)));
    job.job.param.max_depth = 4;
    n_splits += ExpectTheHosts(job, std::to_string(seed));
  }
  EXPECT_GT(n_splits, 50);
}

TEST_F(SymmetricVectorsOnDevice, WhatElseIsAskedOfSplits) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto job = DrawJob(seed);
    Random random(seed + 1000);
    if (seed % 4 == 0) job.job.param.min_child_weight = 0.0F;
    if (seed % 4 == 0) job.job.param.min_data_in_leaf = 2 + static_cast<int>(seed);
    if (seed % 4 == 1) job.job.param.random_strength = 1.5F;
    if (seed % 4 == 2) job.job.costs = testing::MakeCosts(job.job.n_cols, &random);
    ExpectTheHosts(job, std::to_string(seed));
  }
}

TEST_F(SymmetricVectorsOnDevice, LargeJobs) {
  for (auto const& job : LargeJobs()) {
    EXPECT_GT(ExpectTheHosts(Symmetric(job), std::to_string(job.job.n_cols) + " columns"), 3);
  }
}

/// More nodes and columns than are held at a time.
TEST_F(SymmetricVectorsOnDevice, LevelsInChunks) {
  auto const job = Symmetric(WideJob());
  EXPECT_GT(ExpectTheHosts(job, "chunks"), 40);
}

/// Uses one state for trees of either kind and tables of either size in turn.
TEST_F(SymmetricVectorsOnDevice, OneStateForTreesInTurn) {
  auto const ctx = OnDevice();
  auto plain = LargeJobs()[2];
  auto const data = MakeMatrix(plain.job.values, plain.job.n_cols, plain.job.sparse);
  auto const state = cuda::GpuHistBuilder(plain.job.param, {}).MakeState(ctx, *data);
  for (std::uint64_t turn = 0; turn < 6; ++turn) {
    plain.n_outputs = turn < 3 ? 3 : 5;
    plain.pairs = MakePairs(plain.NumRows(), plain.n_outputs, turn % 2 == 0, turn);
    auto const job = turn % 2 == 0 ? plain : Symmetric(plain);
    auto const built = Build(ctx, *data, cuda::GpuHistBuilder(job.job.param, {}), job, state.get());
    ExpectSameVectors(built, BuildVectorTree(job), "turn " + std::to_string(turn));
  }
}

}  // namespace
}  // namespace kauri::testing
