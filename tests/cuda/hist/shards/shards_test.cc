/// Several devices share the rows of a tree: the trees are the same as in host memory, bit for bit, and every row is in
/// its leaf. One device stands for several here; if there are more, tests use all of them as well.
#include <memory>
#include <string>
#include <vector>

#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/gpu_hist_builder.h"
#include "cuda/hist/shards/hist_shard.h"
#include "cuda/hist/shards/shard_bins.h"
#include "cuda/hist/shards/shard_rows.h"
#include "cuda/tree/cut_rows.h"
#include "hist/hist_fixture.h"
#include "hist/shards/shards_fixture.h"
#include "support/error.h"

namespace kauri::testing {
namespace {

class SharesOnDevice : public ShardsTest {
 protected:
  using ShardsTest::Build;

  Built Build(Context const& ctx, CategoricalJob const& job, DataMatrix const& data, BuildState* state) const {
    return Build(ctx, job, data, cuda::GpuHistBuilder(job.param, kManyShards), state);
  }

  Built Build(Devices const& devices, CategoricalJob const& job) const {
    auto const ctx = On(devices);
    auto const data = DataOf(job);
    auto const state = cuda::GpuHistBuilder(job.param, kManyShards).MakeState(ctx, *data);
    return Build(ctx, job, *data, state.get());
  }

  void ExpectHostsTree(CategoricalJob const& job, std::string const& name) const {
    auto const host = BuildWith(Method::kHist, job);
    for (auto const& devices : ManyDevices()) ExpectSame(Build(devices, job), host, name + " on " + Text(devices));
  }
};

TEST_F(SharesOnDevice, Numbers) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    auto const job = NumericJob(seed);
    ExpectHostsTree(job, "seed " + std::to_string(seed));
    n_splits += BuildWith(Method::kHist, job).tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 400);
}

TEST_F(SharesOnDevice, Categories) {
  std::int64_t n_categorical = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto const job = RandomJob(seed, 300, static_cast<std::int64_t>(seed % 3));
    ExpectHostsTree(job, "seed " + std::to_string(seed));
    n_categorical += BuildWith(Method::kHist, job).tree.HasCategorical() ? 1 : 0;
  }
  EXPECT_GT(n_categorical, 10);
}

/// One-hot columns, which become bundles; more nodes than a block plans for itself; more rows than a flush.
TEST_F(SharesOnDevice, LargeJobs) {
  Table table;
  table.n_rows = 210000;
  table.n_cols = 60;
  for (auto const values : {Values::kOneHot, Values::kNormal}) {
    table.values = values;
    table.sparse = values == Values::kOneHot;
    if (values == Values::kNormal) table.n_cols = 4;
    CategoricalJob job;
    job.values = MakeTableValues(table);
    job.n_cols = table.n_cols;
    job.sparse = table.sparse;
    job.types.assign(ToSize(table.n_cols), "float");
    job.param.max_depth = values == Values::kNormal ? 11 : 6;
    job.gradients = MakeGradients(table.n_rows, 5, {});
    ExpectHostsTree(job, values == Values::kNormal ? "numbers" : "one-hot");
  }
}

/// The data that a state keeps fit the next tree: other rows are used, they are counted, or there are no splits at all.
TEST_F(SharesOnDevice, OneStateForManyTrees) {
  auto job = NumericJob(3);
  MatrixSpec const spec{3000, 7, 0.1, 0, false, 9};
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.sparse = false;
  job.types.assign(7, "float");
  auto const ctx = On({0, 0, 0});
  auto const data = DataOf(job);
  auto const state = cuda::GpuHistBuilder(job.param, kManyShards).MakeState(ctx, *data);
  for (std::uint64_t tree = 0; tree < 8; ++tree) {
    job.sampled = tree % 3 == 1 ? SampleRows(Context{}, 0, 0, 0.5F, spec.n_rows) : std::vector<std::uint8_t>();
    job.gradients = MakeGradients(spec.n_rows, tree, job.sampled);
    job.param.min_data_in_leaf = tree % 2 == 0 ? 0 : 15;
    job.param.grow_policy = tree % 4 < 2 ? TreeParam::kDepthWise : TreeParam::kLossGuide;
    job.param.max_leaves = tree % 4 < 2 ? 0 : 20;
    job.param.gamma = tree == 5 ? 1e9F : 0.0F;
    ExpectSame(Build(ctx, job, *data, state.get()), BuildWith(Method::kHist, job), "tree " + std::to_string(tree));
  }
}

/// One of the devices does not exist. The next tree, on existing devices, finds the shards that were made and makes the
/// others.
TEST_F(SharesOnDevice, ADeviceThatIsNotThere) {
  auto job = NumericJob(3);
  job.values = MakeValues({900, 5, 0.1, 0, false, 4});
  job.n_cols = 5;
  job.sparse = false;
  job.types.assign(5, "float");
  job.sampled.clear();
  job.gradients = MakeGradients(900, 1, {});
  auto const data = DataOf(job);
  auto const state = cuda::GpuHistBuilder(job.param, kManyShards).MakeState(On({0, 0, 0}), *data);
  EXPECT_THROW(Build(On({0, 0, 1000}), job, *data, state.get()), Error);
  ExpectSame(Build(On({0, 0, 0}), job, *data, state.get()), BuildWith(Method::kHist, job), "devices that are there");
}

/// One of several shards has no memory for its codes. The caller gets that error after all shards have stopped, and the
/// others accept codes again.
TEST_F(SharesOnDevice, CodesThatDoNotFit) {
  constexpr std::int64_t kTooMany = std::int64_t{1} << 40;
  auto const data = MakeMatrix({100, 5, 0.0, 0, false, 1});
  auto const bins = std::make_shared<BinMatrix const>(Context{}, *data, MakeQuantileCuts(Context{}, *data, 32));
  auto const on_device = cuda::UploadBins(Cuda(), bins);
  Cuda().Synchronize();  // for the codes
  std::vector<std::unique_ptr<cuda::HistShard>> shards;
  for (auto const& rows : {cuda::ShardRange{10, 20}, cuda::ShardRange{30, kTooMany}, cuda::ShardRange{40, 20}}) {
    shards.push_back(std::make_unique<cuda::HistShard>(0, 0, rows));
  }
  auto const give = [&] {
    for (auto const& shard : shards) shard->TakeBins(*on_device);
    cuda::WaitForShards(shards);
  };
  ExpectParts(MessageOf(ErrorKind::kMemory, give), {"a share of 1099511627776 rows", "codes"});
  shards.erase(shards.begin() + 1);
  EXPECT_NO_THROW(give());
}

/// Some or all rows have their codes in the host's memory.
TEST_F(SharesOnDevice, RowsOfTheHost) {
  for (float const ratio : {0.3F, 1.0F}) {
    auto const build = [&](CategoricalJob const& job) {
      auto const ctx = OnDevice();
      auto const data = DataOf(job);
      cuda::GpuHistBuilder const builder(job.param, {{}, ratio});
      auto const state = builder.MakeState(ctx, *data);
      return Build(ctx, job, *data, builder, state.get());
    };
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      auto const name = "ratio " + std::to_string(ratio) + ", seed " + std::to_string(seed);
      ExpectSame(build(NumericJob(seed)), BuildWith(Method::kHist, NumericJob(seed)), name);
      auto const categories = RandomJob(seed, 300, static_cast<std::int64_t>(seed % 3));
      ExpectSame(build(categories), BuildWith(Method::kHist, categories), name + ", categories");
    }
  }
}

/// Whole trainings that keep rows in the host's memory: bundles, vector leaves, data that keep bins; and a fraction of
/// the rows that changes from round to round.
TEST_F(SharesOnDevice, TrainingsWithRowsOfTheHost) {
  HistCase given;
  given.table.n_rows = 40000;
  given.params = {{"max_depth", "6"}};
  std::vector<std::pair<Values, Params>> const kinds{
      {Values::kNormal, {{"subsample", "0.7"}}},
      {Values::kOneHot, {{"grow_policy", "lossguide"}, {"max_leaves", "40"}}},
      {Values::kNormal, {{"objective", "multi:softprob"}, {"num_class", "3"}, {"multi_strategy", "multi_output_tree"}}},
      {Values::kFew, {{"min_data_in_leaf", "30"}, {"max_bin", "700"}}}};
  for (auto const& [values, params] : kinds) {
    given.table.values = values;
    given.table.sparse = values == Values::kOneHot;
    given.params = With({{"max_depth", "6"}}, params);
    auto const of_cpu = MakeTable(given.table, KindOf(given));
    auto const data = MakeTable(given.table, KindOf(given));
    auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
    auto const learner = MakeLearner(ParamsFor(kDevice, given.params));
    for (std::string const ratio : {"0.5", "1", "-1", "0.25", "0"}) {
      learner->SetParam("cache_host_ratio", ratio);
      BoostRounds(given, of_cpu, cpu.get());
      BoostRounds(given, data, learner.get());
    }
    EXPECT_TRUE(SameOutcome(OutcomeOf(cpu.get(), of_cpu), OutcomeOf(learner.get(), data))) << Text(given);
  }
}

TEST(Shards, RowsThatHaveNoPlace) {
  constexpr std::size_t kMiB = std::size_t{1} << 20U;
  EXPECT_EQ(cuda::NumHostRows({1000, 32000, -1.0F}, 2000 * kMiB), 0);
  EXPECT_EQ(cuda::NumHostRows({1000, 32000, 0.0F}, 0), 0);
  EXPECT_EQ(cuda::NumHostRows({1000, 32000, 0.25F}, 2000 * kMiB), 250);
  EXPECT_EQ(cuda::NumHostRows({1000, 32000, 1.0F}, 2000 * kMiB), 1000);
  EXPECT_EQ(cuda::NumHostRows({1000, 32000, -1.0F}, 10 * kMiB), 1000);
  auto const n_host = cuda::NumHostRows({10000000, 4000 * kMiB, -1.0F}, 4000 * kMiB);
  EXPECT_GT(n_host, 2000000);
  EXPECT_LT(n_host, 6000000);
}

/// A learner whose devices change while it trains has the CPU's models.
TEST_F(SharesOnDevice, DevicesChangeBetweenRounds) {
  KAURI_SKIP_UNLESS(NumDevices() >= 2, "one CUDA device");
  HistCase given;
  given.table.n_rows = 2 * cuda::kFewestRowsOfShard + 1000;
  given.table.missing = Missing::kSome;
  given.params = {{"max_depth", "5"}, {"objective", "binary:logistic"}};
  auto const of_cpu = MakeTable(given.table, KindOf(given));
  auto const data = MakeTable(given.table, KindOf(given));
  auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
  auto const learner = MakeLearner(ParamsFor("cuda:0,1", given.params));
  for (std::string const device : {"cuda:0,1", "cuda:all", "cuda:1,0", "cuda:0", "cpu", "cuda:1,0"}) {
    learner->SetParam("device", device);
    BoostRounds(given, of_cpu, cpu.get());
    BoostRounds(given, data, learner.get());
    cpu->SetParam("device", "cpu");
    auto const expected = OutcomeOf(cpu.get(), of_cpu);
    auto const found = OutcomeOf(learner.get(), data);
    EXPECT_EQ(FirstDifference(expected.model, found.model), "no number of a node") << device;
    EXPECT_TRUE(SameFloats(expected.margins, found.margins)) << device;
  }
}

/// Rounds that are computed where the rows are, and others in between: labels change, gradients come from the caller,
/// rows are sampled by key and by gradients, margins are read.
TEST_F(SharesOnDevice, RoundsOfManyKinds) {
  KAURI_SKIP_UNLESS(NumDevices() >= 2, "one CUDA device");
  std::vector<Params> const kinds{
      {{"objective", "multi:softprob"}, {"num_class", "3"}, {"subsample", "0.7"}},
      {{"objective", "reg:expectileerror"}, {"expectile_alpha", "0.3"}, {"path_smooth", "5"}},
      {{"objective", "reg:absoluteerror"}},
      {{"random_strength", "2"}, {"subsample", "0.6"}},
      {{"objective", "survival:aft"}, {"min_data_in_leaf", "1000"}},
      {{"booster", "dart"}, {"rate_drop", "0.5"}},
      {{"num_parallel_tree", "3"}, {"subsample", "0.5"}}};
  for (auto const& params : kinds) {
    HistCase given;
    given.table.n_rows = 2 * cuda::kFewestRowsOfShard + 77;
    given.table.weights = true;
    given.params = With({{"max_depth", "4"}}, params);
    auto const of_cpu = MakeTable(given.table, KindOf(given));
    auto const data = MakeTable(given.table, KindOf(given));
    auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
    auto const learner = MakeLearner(ParamsFor("cuda:0,1", given.params));
    for (int turn = 0; turn < 4; ++turn) {
      auto again = given;
      again.rounds = 1;
      if (turn == 1) again.gradients = Gradients::kNormal;
      for (auto const& side : {std::make_pair(cpu.get(), of_cpu), std::make_pair(learner.get(), data)}) {
        side.first->SetParam("sampling_method", turn == 2 ? "gradient_based" : "uniform");
        if (turn == 3) side.second->MutableInfo()->labels[5] = side.second->MutableInfo()->labels[9];
        BoostRounds(again, side.second, side.first);
      }
      if (turn % 2 == 0) continue;  // margins are not read
      EXPECT_TRUE(SameOutcome(OutcomeOf(cpu.get(), of_cpu), OutcomeOf(learner.get(), data))) << Text(again);
    }
    EXPECT_TRUE(SameOutcome(OutcomeOf(cpu.get(), of_cpu), OutcomeOf(learner.get(), data))) << Text(given);
  }
}

/// The error names the row that fails a round, on any device, and the next round works.
TEST_F(SharesOnDevice, ARowThatIsNoNumber) {
  KAURI_SKIP_UNLESS(NumDevices() >= 2, "one CUDA device");
  HistCase given;
  given.table.n_rows = 2 * cuda::kFewestRowsOfShard + 77;
  given.params = {{"max_depth", "3"}, {"base_score", "0"}};
  auto const n = given.table.n_rows;
  for (auto const row : {std::int64_t{3}, n - 3}) {
    auto const data = MakeTable(given.table, KindOf(given));
    auto const learner = MakeLearner(ParamsFor("cuda:0,1", given.params));
    BoostRounds(given, data, learner.get());
    auto const before = Bytes(learner.get());
    auto const label = data->Info().labels[ToSize(row)];
    data->MutableInfo()->labels[ToSize(row)] = 3e38F;
    data->MutableInfo()->weights.assign(ToSize(n), 1e30F);
    ExpectParts(MessageOf(ErrorKind::kData, [&] { BoostRounds(given, data, learner.get()); }),
                {"row " + std::to_string(row) + " has gradient"});
    EXPECT_EQ(Bytes(learner.get()), before);
    data->MutableInfo()->labels[ToSize(row)] = label;
    data->MutableInfo()->weights.clear();
    BoostRounds(given, data, learner.get());
    auto const of_cpu = MakeTable(given.table, KindOf(given));
    auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
    BoostRounds(given, of_cpu, cpu.get());
    BoostRounds(given, of_cpu, cpu.get());
    EXPECT_TRUE(SameOutcome(OutcomeOf(cpu.get(), of_cpu), OutcomeOf(learner.get(), data)));
  }
}

TEST(Shards, EveryRowIsInOne) {
  for (std::int64_t n_rows = 0; n_rows < 40; ++n_rows) {
    for (std::size_t n_devices = 1; n_devices < 9; ++n_devices) {
      std::int64_t next = 0;
      for (auto const& rows : cuda::CutRows(n_rows, n_devices, 1)) {
        EXPECT_EQ(rows.first, next);
        EXPECT_LE(rows.count, n_rows / static_cast<std::int64_t>(n_devices) + 1);
        next = rows.End();
      }
      EXPECT_EQ(next, n_rows);
    }
  }
  EXPECT_EQ(cuda::CutRows(999, 4, 1000).size(), 1U);
  EXPECT_EQ(cuda::CutRows(2500, 4, 1000).size(), 2U);
  EXPECT_EQ(cuda::CutRows(9000, 4, 1000).size(), 4U);
}

}  // namespace
}  // namespace kauri::testing
