/// Several devices share the rows of trees with vector leaves: the trees are the same as in host memory, bit for bit,
/// and every row is in its leaf.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hist_vector/vector_fixture.h"
#include "support/many_devices.h"

namespace kauri::testing {
namespace {

/// Several shards, even of few rows.
cuda::HistMemory const kManyShards{{}, -1.0F, 1};

class VectorShards : public VectorDeviceTest {
 protected:
  static Context On(Devices const& devices) { return Among(OnDevice(), devices); }

  /// \returns the host's tree.
  Built ExpectHostsTree(VectorJob const& job, std::string const& name) const {
    auto host = BuildVectorTree(job);
    for (auto const& devices : ManyDevices()) {
      ExpectSameVectors(BuildOnDevice(job, On(devices), kManyShards), host, name + " on " + Text(devices));
    }
    return host;
  }
};

/// Adds limits of rows, random thresholds, smoothed weights and noise, each in some jobs.
VectorJob WithLimits(VectorJob job, std::uint64_t seed) {
  auto& param = job.job.param;
  if (seed % 3 == 0) param.min_data_in_leaf = 2 + static_cast<int>(seed % 19);
  if (seed % 4 == 1) param.extra_trees = true;
  if (seed % 5 == 2 && job.job.constraints.signs.empty()) param.path_smooth = 3.0F;
  if (seed % 4 > 1) param.random_strength = 3.0F;
  return job;
}

TEST_F(VectorShards, RandomData) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    auto const job = WithLimits(RandomJob(seed), seed);
    n_splits += ExpectHostsTree(job, "seed " + std::to_string(seed)).tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 80);
}

TEST_F(VectorShards, FreeOutputs) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ExpectHostsTree(WithLimits(FreeOutputsJob(seed), seed), "seed " + std::to_string(seed));
  }
}

TEST_F(VectorShards, Categories) {
  std::int64_t n_categorical = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto const job = WithLimits(RandomCategoryJob(seed, 200, 1 + static_cast<std::int64_t>(seed % 4)), seed);
    n_categorical += ExpectHostsTree(job, "seed " + std::to_string(seed)).tree.HasCategorical() ? 1 : 0;
  }
  EXPECT_GT(n_categorical, 10);
}

TEST_F(VectorShards, Bundles) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    ExpectHostsTree(WithLimits(BundledJob(seed), seed), "seed " + std::to_string(seed));
  }
}

/// Bytes, words and cells; one group and several; by level and by gain; an odd number of words, and forty outputs.
TEST_F(VectorShards, LargeJobs) {
  for (auto job : LargeJobs()) {
    auto const name = std::to_string(job.job.n_cols) + " columns";
    EXPECT_GT(ExpectHostsTree(job, name).tree.NumLeaves(), 15);
    job.job.param.min_data_in_leaf = 300;
    EXPECT_GT(ExpectHostsTree(job, name + ", limited").tree.NumLeaves(), 3);
  }
}

/// Returns a job whose columns may be numbers or categories.
VectorJob IntegerJob(std::int64_t n_rows, std::uint64_t seed) {
  MatrixSpec const spec{n_rows, 6, 0.1, 25, false, seed};
  VectorJob job;
  job.job.values = MakeValues(spec);
  job.job.n_cols = spec.n_cols;
  job.types.assign(6, "float");
  return job;
}

/// Sets the job for tree `tree`: tables of other widths, equal or different hessians, sampled or counted rows, noise,
/// another order of growth, no split at all and, near the end, other types of columns.
void SetTree(std::uint64_t tree, VectorJob* job) {
  auto const n_rows = job->NumRows();
  job->n_outputs = tree < 3 ? 3 : 4 + static_cast<std::int64_t>(tree % 3);
  job->pairs = MakePairs(n_rows, job->n_outputs, tree % 4 == 1, tree);
  job->job.sampled = tree % 3 == 1 ? SampleRows(Context{}, 0, 0, 0.5F, n_rows) : std::vector<std::uint8_t>();
  auto& param = job->job.param;
  param.min_data_in_leaf = tree % 2 == 0 ? 0 : 15;
  param.grow_policy = tree % 4 < 2 ? TreeParam::kDepthWise : TreeParam::kLossGuide;
  param.max_leaves = tree % 4 < 2 ? 0 : 20;
  param.gamma = tree == 5 ? 1e9F : 0.0F;
  param.random_strength = tree % 3 == 2 ? 4.0F : 0.0F;
  if (tree == 6) job->types = {"float", "c", "float", "c", "float", "float"};
  if (tree == 8) job->types.assign(6, "float");
}

/// Two states of different data take turns. The data that a state keeps fit its next tree.
TEST_F(VectorShards, OneStateForManyTrees) {
  for (auto const& devices : ManyDevices()) {
    auto const ctx = On(devices);
    std::vector<VectorJob> jobs{IntegerJob(2500, 9), IntegerJob(1300, 10)};
    std::vector<std::unique_ptr<DataMatrix>> data;
    std::vector<std::unique_ptr<BuildState>> states;
    for (auto const& job : jobs) {
      data.push_back(DataOf(job));
      states.push_back(cuda::GpuHistBuilder(job.job.param, kManyShards).MakeState(ctx, *data.back()));
    }
    for (std::uint64_t tree = 0; tree < 10; ++tree) {
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        SetTree(tree, &jobs[i]);
        data[i]->MutableInfo()->feature_types = jobs[i].types;
        cuda::GpuHistBuilder const builder(jobs[i].job.param, kManyShards);
        ExpectSameVectors(Build(ctx, *data[i], builder, jobs[i], states[i].get()), BuildVectorTree(jobs[i]),
                          "tree " + std::to_string(tree) + " of data " + std::to_string(i) + " on " + Text(devices));
      }
    }
  }
}

/// The rows of symmetric trees are all on the first device; for other trees they are sharded again afterwards.
TEST_F(VectorShards, SymmetricTreesInBetween) {
  for (auto const& devices : ManyDevices()) {
    auto job = IntegerJob(2500, 9);
    SetTree(0, &job);
    auto const ctx = On(devices);
    auto const data = DataOf(job);
    auto const state = cuda::GpuHistBuilder(job.job.param, kManyShards).MakeState(ctx, *data);
    for (int turn = 0; turn < 4; ++turn) {
      auto of_turn = job;
      if (turn % 2 == 1) of_turn.job.param.grow_policy = TreeParam::kSymmetric;
      of_turn.job.param.extra_trees = turn % 2 == 1;
      cuda::GpuHistBuilder const builder(of_turn.job.param, kManyShards);
      ExpectSameVectors(Build(ctx, *data, builder, of_turn, state.get()), BuildVectorTree(of_turn),
                        "turn " + std::to_string(turn) + " on " + Text(devices));
    }
  }
}

/// A state in which a tree failed grows the next tree: a device does not exist, or there are too many outputs for the
/// memory.
TEST_F(VectorShards, ATreeAfterOneThatFailed) {
  auto job = IntegerJob(900, 3);
  SetTree(0, &job);
  auto const data = DataOf(job);
  cuda::GpuHistBuilder const builder(job.job.param, kManyShards);
  auto const state = builder.MakeState(On({0, 0, 0}), *data);
  EXPECT_THROW(Build(On({0, 0, 1000}), *data, builder, job, state.get()), Error);
  auto const built = [&] { return Build(On({0, 0, 0}), *data, builder, job, state.get()); };
  ExpectSameVectors(built(), BuildVectorTree(job), "devices that are there");
  auto wide = job;
  wide.n_outputs = 3000;
  wide.pairs = MakePairs(900, wide.n_outputs, false, 1);
  EXPECT_THROW(Build(On({0, 0, 0}), *data, builder, wide, state.get()), Error);
  job.pairs = MakePairs(900, job.n_outputs, false, 2);
  ExpectSameVectors(built(), BuildVectorTree(job), "fewer outputs again");
}

}  // namespace
}  // namespace kauri::testing
