/// Trees with vector leaves grown on the device: the trees are the same as in host memory and by definition, bit for
/// bit.
#include "hist_vector/vector_fixture.h"

namespace kauri::testing {
namespace {

using VectorBuilderOnDevice = VectorDeviceTest;

TEST_F(VectorBuilderOnDevice, EqualsTheHostOnRandomData) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto const job = RandomJob(seed);
    auto const built = BuildOnDevice(job);
    ExpectSameVectors(built, BuildVectorTree(job), "seed " + std::to_string(seed));
    if (seed % 4 == 0) ExpectSameVectors(built, NaiveVectorTree(job).Grow(), "the definition, " + std::to_string(seed));
    n_splits += built.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 80);
}

/// Constraints leave some outputs free; output 0, from which the device takes its gains, is free in some jobs and bound
/// in others.
TEST_F(VectorBuilderOnDevice, FreeOutputs) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto const job = FreeOutputsJob(seed);
    auto const built = BuildOnDevice(job);
    ExpectSameVectors(built, BuildVectorTree(job), "seed " + std::to_string(seed));
    if (seed % 4 == 0) ExpectSameVectors(built, NaiveVectorTree(job).Grow(), "the definition, " + std::to_string(seed));
    n_splits += built.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 80);
}

TEST_F(VectorBuilderOnDevice, BundledFeaturesAreTakenApart) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    auto const job = BundledJob(seed);
    ExpectSameVectors(BuildOnDevice(job), BuildVectorTree(job), "seed " + std::to_string(seed));
  }
}

TEST_F(VectorBuilderOnDevice, Categories) {
  std::int64_t n_categorical = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto const job = RandomCategoryJob(seed, 200, 1 + static_cast<std::int64_t>(seed % 4));
    auto const built = BuildOnDevice(job);
    ExpectSameVectors(built, BuildVectorTree(job), "seed " + std::to_string(seed));
    n_categorical += built.tree.HasCategorical() ? 1 : 0;
  }
  EXPECT_GT(n_categorical, 10);
}

/// Bytes, words and cells; one group and several; runs of one chunk of bins and of many; forty outputs.
TEST_F(VectorBuilderOnDevice, LargeJobs) {
  for (auto const& job : LargeJobs()) {
    auto const built = BuildOnDevice(job);
    EXPECT_GT(built.tree.NumLeaves(), 15);
    ExpectSameVectors(built, BuildVectorTree(job), std::to_string(job.job.n_cols) + " columns");
  }
}

/// The number of places at a time depends on memory and on the codes, for groups of every width.
TEST_F(VectorBuilderOnDevice, EveryWidthAndNumberOfPlaces) {
  std::uint64_t seed = 0;
  for (std::int64_t const n_cols : {3, 7, 14, 31, 35}) {
    for (int const max_bin : {4, 100, 200, 256}) {
      MatrixSpec const spec{700, n_cols, 0.1, 0, false, ++seed};
      VectorJob job;
      job.job.values = MakeValues(spec);
      job.job.n_cols = n_cols;
      job.job.param.max_bin = max_bin;
      job.job.param.max_depth = 3;
      job.n_outputs = 2 + static_cast<std::int64_t>(seed % 6);
      job.pairs = MakePairs(spec.n_rows, job.n_outputs, seed % 3 == 0, seed);
      ExpectSameVectors(BuildOnDevice(job), BuildVectorTree(job),
                        std::to_string(n_cols) + " columns, " + std::to_string(max_bin) + " bins");
    }
  }
}

/// The data that a state keeps fit the next tree, which has other hessians.
TEST_F(VectorBuilderOnDevice, OneStateForDifferentTables) {
  auto job = LargeJobs()[1];
  auto const ctx = OnDevice();
  auto const data = MakeMatrix(job.job.values, job.job.n_cols, job.job.sparse);
  cuda::GpuHistBuilder const builder(job.job.param, {});
  auto const state = builder.MakeState(ctx, *data);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    job.n_outputs = seed < 2 ? 3 : 5;
    job.pairs = MakePairs(job.NumRows(), job.n_outputs, seed % 2 == 0, seed);
    auto const built = Build(ctx, *data, builder, job, state.get());
    ExpectSameVectors(built, BuildVectorTree(job), "tree " + std::to_string(seed));
  }
}

/// A block's shared memory has room for the sums of a limited number of places.
TEST_F(VectorBuilderOnDevice, TooManyOutputsAreRefused) {
  VectorJob job;
  job.job.values = {1.0F, 2.0F, 3.0F, 4.0F};
  job.n_outputs = 3000;
  job.pairs = MakePairs(4, job.n_outputs, false, 1);
  ExpectParts(MessageOf(ErrorKind::kParameter, [&] { BuildOnDevice(job); }), {"3000 outputs", "6000", "device=cpu"});
}

}  // namespace
}  // namespace kauri::testing
