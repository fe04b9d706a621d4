/// tree_method=approx on several devices: the trees are the same as in host memory, bit for bit, and every row is in
/// its leaf, though every tree may have other bins.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/hist/gpu_approx_builder.h"
#include "hist/hist_fixture.h"
#include "hist/shards/shards_fixture.h"

namespace kauri::testing {
namespace {

class ApproxShards : public ShardsTest {
 protected:
  using ShardsTest::Build;

  Built Build(Context const& ctx, CategoricalJob const& job, DataMatrix const& data, BuildState* state) const {
    return Build(ctx, job, data, cuda::GpuApproxBuilder(job.param, kManyShards), state);
  }
  static std::unique_ptr<BuildState> MakeState(Context const& ctx, CategoricalJob const& job, DataMatrix const& data) {
    return cuda::GpuApproxBuilder(job.param, kManyShards).MakeState(ctx, data);
  }

  /// Builds a first tree, and a tree with other hessians in the same state.
  void ExpectHostsTrees(CategoricalJob job, std::string const& name) const {
    std::vector<CategoricalJob> jobs{job};
    job.gradients = MakeGradients(static_cast<std::int64_t>(job.NumRows()), 4711, job.sampled);
    jobs.push_back(job);
    std::vector<Built> expected;
    for (auto const& one : jobs) expected.push_back(BuildWith(Method::kApprox, one));
    for (auto const& devices : ManyDevices()) {
      auto const ctx = On(devices);
      auto const data = DataOf(job);
      auto const state = MakeState(ctx, job, *data);
      for (std::size_t tree = 0; tree < jobs.size(); ++tree) {
        ExpectSame(Build(ctx, jobs[tree], *data, state.get()), expected[tree],
                   name + ", tree " + std::to_string(tree) + " on " + Text(devices));
      }
    }
  }
};

TEST_F(ApproxShards, Numbers) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    auto const job = NumericJob(seed);
    ExpectHostsTrees(job, "seed " + std::to_string(seed));
    n_splits += BuildWith(Method::kApprox, job).tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 250);
}

TEST_F(ApproxShards, Categories) {
  std::int64_t n_categorical = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto const job = RandomJob(seed, 300, static_cast<std::int64_t>(seed % 3));
    ExpectHostsTrees(job, "seed " + std::to_string(seed));
    n_categorical += BuildWith(Method::kApprox, job).tree.HasCategorical() ? 1 : 0;
  }
  EXPECT_GT(n_categorical, 10);
}

/// One-hot columns, also sparse ones; more nodes than a block plans for itself; more rows than a flush.
TEST_F(ApproxShards, LargeJobs) {
  Table table;
  table.n_rows = 150000;
  for (auto const values : {Values::kOneHot, Values::kNormal}) {
    table.values = values;
    table.n_cols = values == Values::kOneHot ? 40 : 5;
    table.sparse = values == Values::kOneHot;
    CategoricalJob job;
    job.values = MakeTableValues(table);
    job.n_cols = table.n_cols;
    job.sparse = table.sparse;
    job.types.assign(ToSize(table.n_cols), "float");
    job.param.max_depth = values == Values::kNormal ? 10 : 5;
    job.gradients = MakeGradients(table.n_rows, 5, {});
    ExpectHostsTrees(job, values == Values::kNormal ? "numbers" : "one-hot");
  }
}

/// Returns a job whose columns may be numbers or categories.
CategoricalJob IntegerJob(std::int64_t n_rows, std::uint64_t seed) {
  MatrixSpec const spec{n_rows, 6, 0.1, 40, false, seed};
  CategoricalJob job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.types.assign(6, "float");
  return job;
}

/// Sets the job for tree `tree`: new hessians or the previous tree's, sampled or counted rows, another order of growth,
/// no split at all and, near the end, other types of columns, whose bins the host makes.
void SetTree(std::uint64_t tree, CategoricalJob* job) {
  auto const n_rows = static_cast<std::int64_t>(job->NumRows());
  job->sampled = tree % 3 == 1 ? SampleRows(Context{}, 0, 0, 0.5F, n_rows) : std::vector<std::uint8_t>();
  auto const keeps_gradients = tree == 3;  // of tree 2, which had all rows as well
  if (!keeps_gradients) job->gradients = MakeGradients(n_rows, tree, job->sampled);
  job->param.min_data_in_leaf = tree % 2 == 0 ? 0 : 15;
  job->param.grow_policy = tree % 4 < 2 ? TreeParam::kDepthWise : TreeParam::kLossGuide;
  job->param.max_leaves = tree % 4 < 2 ? 0 : 20;
  job->param.gamma = tree == 5 ? 1e9F : 0.0F;
  if (tree == 6) job->types = {"float", "c", "float", "c", "float", "float"};
  if (tree == 8) job->types.assign(6, "float");
}

/// Two states of different data take turns, each with the same number of shards. The data that a state keeps fit its
/// next tree.
TEST_F(ApproxShards, OneStateForManyTrees) {
  for (auto const& devices : ManyDevices()) {
    auto const ctx = On(devices);
    std::vector<CategoricalJob> jobs{IntegerJob(3000, 9), IntegerJob(1700, 10)};
    std::vector<std::unique_ptr<DataMatrix>> data;
    std::vector<std::unique_ptr<BuildState>> states;
    for (auto const& job : jobs) {
      data.push_back(DataOf(job));
      states.push_back(MakeState(ctx, job, *data.back()));
    }
    for (std::uint64_t tree = 0; tree < 10; ++tree) {
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        SetTree(tree, &jobs[i]);
        data[i]->MutableInfo()->feature_types = jobs[i].types;
        ExpectSame(Build(ctx, jobs[i], *data[i], states[i].get()), BuildWith(Method::kApprox, jobs[i]),
                   "tree " + std::to_string(tree) + " of data " + std::to_string(i) + " on " + Text(devices));
      }
    }
  }
}

/// One of the devices does not exist. The next tree, on existing devices, finds the shards that were made and makes the
/// others.
TEST_F(ApproxShards, ADeviceThatIsNotThere) {
  auto job = IntegerJob(900, 3);
  job.gradients = MakeGradients(900, 1, {});
  auto const data = DataOf(job);
  auto const state = MakeState(On({0, 0, 0}), job, *data);
  EXPECT_THROW(Build(On({0, 0, 1000}), job, *data, state.get()), Error);
  ExpectSame(Build(On({0, 0, 0}), job, *data, state.get()), BuildWith(Method::kApprox, job), "the same gradients");
  job.gradients = MakeGradients(900, 2, {});
  ExpectSame(Build(On({0, 0, 0}), job, *data, state.get()), BuildWith(Method::kApprox, job), "others");
}

/// Learners on the CPU and on two devices, with rows enough for both.
class ApproxOnTwoDevices : public ApproxShards {
 protected:
  void SetUp() override {
    ApproxShards::SetUp();
    if (!IsSkipped()) KAURI_SKIP_UNLESS(NumDevices() >= 2, "one CUDA device");
  }
  static HistCase Of(Params const& params, std::int64_t n_more_rows) {
    HistCase given;
    given.table.n_rows = 2 * cuda::kFewestRowsOfShard + n_more_rows;
    given.table.n_cols = 4;
    given.table.missing = Missing::kSome;
    given.table.weights = true;
    given.params = With({{"tree_method", "approx"}, {"max_depth", "4"}, {"max_bin", "64"}}, params);
    given.rounds = 1;
    return given;
  }
};

/// Rounds of different kinds in sequence: labels change, gradients come from the caller, rows are sampled by key and by
/// gradients.
TEST_F(ApproxOnTwoDevices, RoundsOfManyKinds) {
  std::vector<Params> const kinds{
      {{"objective", "binary:logistic"}, {"subsample", "0.7"}},
      {{"objective", "multi:softprob"}, {"num_class", "3"}, {"min_data_in_leaf", "1000"}},
      {{"objective", "count:poisson"}, {"path_smooth", "5"}, {"grow_policy", "lossguide"}, {"max_leaves", "12"}}};
  for (auto const& params : kinds) {
    auto const given = Of(params, 77);
    auto const of_cpu = MakeTable(given.table, KindOf(given));
    auto const data = MakeTable(given.table, KindOf(given));
    auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
    auto const learner = MakeLearner(ParamsFor("cuda:0,1", given.params));
    for (int turn = 0; turn < 4; ++turn) {
      auto again = given;
      if (turn == 1) again.gradients = Gradients::kNormal;
      for (auto const& side : {std::make_pair(cpu.get(), of_cpu), std::make_pair(learner.get(), data)}) {
        side.first->SetParam("sampling_method", turn == 2 ? "gradient_based" : "uniform");
        if (turn == 3) std::swap(side.second->MutableInfo()->labels[5], side.second->MutableInfo()->labels[9]);
        BoostRounds(again, side.second, side.first);
      }
    }
    EXPECT_TRUE(SameOutcome(OutcomeOf(cpu.get(), of_cpu), OutcomeOf(learner.get(), data))) << Text(given);
  }
}

/// Changes from this method to hist, whose gradients are computed where the rows are, and back, and to other devices.
TEST_F(ApproxOnTwoDevices, MethodsAndDevicesChange) {
  auto const given = Of({{"objective", "binary:logistic"}}, 1000);
  auto const of_cpu = MakeTable(given.table, KindOf(given));
  auto const data = MakeTable(given.table, KindOf(given));
  auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
  auto const learner = MakeLearner(ParamsFor("cuda:0,1", given.params));
  std::vector<std::pair<std::string, std::string>> const turns{
      {"cuda:0,1", "approx"}, {"cuda:0,1", "hist"}, {"cuda:0,1", "hist"},   {"cuda:0,1", "approx"},
      {"cuda:1,0", "approx"}, {"cuda:0", "approx"}, {"cuda:0,1", "approx"}, {"cuda:all", "hist"}};
  for (auto const& [device, method] : turns) {
    learner->SetParam("device", device);
    for (auto* one : {cpu.get(), learner.get()}) one->SetParam("tree_method", method);
    BoostRounds(given, of_cpu, cpu.get());
    BoostRounds(given, data, learner.get());
    auto const expected = OutcomeOf(cpu.get(), of_cpu);
    auto const found = OutcomeOf(learner.get(), data);
    EXPECT_EQ(FirstDifference(expected.model, found.model), "no number of a node") << device << " " << method;
    EXPECT_TRUE(SameFloats(expected.margins, found.margins)) << device << " " << method;
  }
}

}  // namespace
}  // namespace kauri::testing
