/// random_strength: noise on the gains by which columns of a node compete, in trees of bins.
#include <memory>
#include <string>
#include <vector>

#include "cuda/hist/gpu_hist_builder.h"
#include "cuda/hist_vector/device_table.h"
#include "cuda/tree/cut_rows.h"
#include "cuda/tree/row_sums.h"
#include "hist/hist_fixture.h"
#include "hist/shards/shards_fixture.h"
#include "kauri/table_stride.h"

namespace kauri::testing {
namespace {

std::vector<Params> const kNoises{{{"random_strength", "0.3"}},
                                  {{"random_strength", "4"}, {"seed", "5"}},
                                  {{"random_strength", "2"}, {"min_data_in_leaf", "20"}},
                                  {{"random_strength", "2"}, {"extra_trees", "1"}}};

class HistNoise : public HistDeviceTest {
 protected:
  static HistCase Of(char const* name, Params const& params, std::int64_t n_cols = 6) {
    return CaseOf(name, params, n_cols, 3);
  }
  /// Runs each case with each of the noises.
  static void ExpectSameWithNoise(std::vector<HistCase> const& cases) {
    for (auto const& given : cases) {
      for (auto const& noise : kNoises) {
        auto noisy = given;
        noisy.params = With(given.params, noise);
        ExpectSameTrees({noisy});
      }
    }
  }
};

TEST_F(HistNoise, Growth) {
  ExpectSameWithNoise({Of("by levels", {}), Of("deep", {{"max_depth", "12"}, {"min_child_weight", "0"}}),
                       Of("by gain", {{"grow_policy", "lossguide"}, {"max_leaves", "30"}, {"max_depth", "0"}}),
                       Of("few leaves", {{"max_leaves", "9"}}), Of("gamma", {{"gamma", "2"}}),
                       Of("alpha and steps", {{"alpha", "0.5"}, {"max_delta_step", "0.4"}})});
}

/// Bundles; more bins than are staged; more blocks of features than a launch has.
TEST_F(HistNoise, StorageAndManyColumns) {
  std::vector<HistCase> cases;
  for (auto const sparse : {false, true}) {
    cases.push_back(Of("many bins", {{"max_bin", "1000"}}, 9));
    cases.back().table.missing = Missing::kMixed;
    cases.back().table.sparse = sparse;
    cases.push_back(Of("bundles", {}, 40));
    cases.back().table.values = Values::kOneHot;
    cases.back().table.missing = Missing::kNone;
    cases.back().table.sparse = sparse;
  }
  cases.push_back(Of("many columns", {{"max_depth", "7"}, {"max_bin", "8"}, {"min_child_weight", "0"}}, 300));
  cases.push_back(Of("many rows", {{"max_depth", "9"}}, 5));
  cases.back().table.n_rows = 40000;
  ExpectSameWithNoise(cases);
}

TEST_F(HistNoise, Categories) {
  std::vector<HistCase> cases;
  for (auto const* method : {"hist", "approx"}) {
    for (auto const* to_onehot : {"1", "1000"}) {
      cases.push_back(Of("categories", {{"tree_method", method}, {"max_cat_to_onehot", to_onehot}}));
      cases.back().table.levels = {3, 40, 300};
      cases.push_back(cases.back());
      cases.back().params.push_back({"grow_policy", "lossguide"});
    }
  }
  ExpectSameWithNoise(cases);
}

TEST_F(HistNoise, SamplingAndConstraints) {
  auto some_gradients = Of("rows without gradients", {{"min_child_weight", "0"}});
  some_gradients.gradients = Gradients::kFewRows;
  auto weighted = Of("weights", {});
  weighted.table.weights = true;
  ExpectSameWithNoise({Of("rows", {{"subsample", "0.5"}}),
                       Of("rows by gradient", {{"subsample", "0.3"}, {"sampling_method", "gradient_based"}}),
                       Of("columns", {{"colsample_bynode", "0.5"}, {"colsample_bytree", "0.7"}}),
                       Of("levels", {{"colsample_bylevel", "0.5"}}),
                       Of("interaction", {{"interaction_constraints", "[[0,1],[2,3]]"}}),
                       Of("monotone", {{"monotone_constraints", "(1,-1,1)"}}),
                       Of("costs", {{"feature_cost", "(0,1e30,2,30,0.01,150)"}}),
                       Of("forest", {{"num_parallel_tree", "3"}, {"subsample", "0.7"}}),
                       Of("classes", {{"objective", "multi:softprob"}, {"num_class", "3"}}),
                       Of("dart", {{"booster", "dart"}, {"rate_drop", "0.5"}}),
                       Of("approx", {{"tree_method", "approx"}}), some_gradients, weighted});
}

TEST_F(HistNoise, VectorLeaves) {
  Params const vectors{{"multi_strategy", "multi_output_tree"}, {"max_depth", "5"}};
  auto const with = [&](Params const& params) { return Of("vectors", With(vectors, params)); };
  auto categories = with({{"num_target", "3"}, {"max_cat_to_onehot", "9"}});
  categories.table.levels = {3, 40};
  auto one_hot = with({{"num_target", "3"}});
  one_hot.table.values = Values::kOneHot;
  one_hot.table.n_cols = 20;
  auto many_rows = with({{"num_target", "5"}, {"max_depth", "8"}});
  many_rows.table.n_rows = 30000;
  many_rows.rounds = 1;
  ExpectSameWithNoise({with({{"num_target", "2"}}), with({{"num_target", "17"}, {"gamma", "3"}}),
                       with({{"objective", "multi:softprob"}, {"num_class", "20"}}),
                       with({{"num_target", "3"}, {"subsample", "0.5"}, {"grow_policy", "lossguide"}}),
                       with({{"num_target", "3"}, {"colsample_bynode", "0.5"}, {"monotone_constraints", "(1,-1)"}}),
                       categories, one_hot, many_rows});
}

/// Sums of zero give no noise, and no tree.
TEST_F(HistNoise, NoGradients) {
  auto given = Of("zeros", {{"random_strength", "2"}});
  given.gradients = Gradients::kZero;
  EXPECT_EQ(ExpectSame(given).error, "");
}

TEST_F(HistNoise, ChangesTrees) {
  for (auto const* method : {"hist", "approx"}) {
    auto const plain = Of("plain", {{"tree_method", method}});
    auto noisy = plain;
    noisy.params.push_back({"random_strength", "4"});
    EXPECT_NE(TrainOn(kDevice, plain).bytes, TrainOn(kDevice, noisy).bytes);
  }
}

/// A learner with noise, without, and with more: the data that it keeps follow.
TEST_F(HistNoise, ChangesFromTreeToTree) {
  Params const vectors{{"multi_strategy", "multi_output_tree"}, {"num_target", "3"}};
  for (auto const& params : {Params{}, Params{{"grow_policy", "lossguide"}}, vectors}) {
    auto const given = Of("changes", params);
    auto const train = [&](std::string const& device) {
      auto const data = MakeTable(given.table, KindOf(given));
      auto const learner = MakeLearner(ParamsFor(device, given.params));
      for (auto const* strength : {"0", "1", "0", "8", "8", "0"}) {
        learner->SetParam("random_strength", strength);
        learner->SetParam("min_data_in_leaf", strength[0] == '8' ? "15" : "0");
        BoostRounds(given, data, learner.get());
      }
      return OutcomeOf(learner.get(), data);
    };
    EXPECT_TRUE(SameOutcome(train("cpu"), train(kDevice))) << Text(given);
  }
}

/// Parameters that devices do not support are refused with a message, and the learner continues without them.
TEST_F(HistNoise, IsRefusedWithExact) {
  auto const given = Of("refused", {{"tree_method", "exact"}});
  auto const data = MakeTable(given.table, KindOf(given));
  auto const learner = MakeLearner(ParamsFor(kDevice, With(given.params, {{"random_strength", "1.5"}})));
  auto const message = MessageOf(ErrorKind::kParameter, [&] { BoostRounds(given, data, learner.get()); });
  ExpectParts(message, {"random_strength=1.5", "tree_method=exact has no noise", "device=cpu", "random_strength=0"});
  learner->SetParam("random_strength", "0");
  BoostRounds(given, data, learner.get());
  EXPECT_TRUE(SameOutcome(TrainOn("cpu", given), OutcomeOf(learner.get(), data)));
}

/// Squares of no rows, some, and more than a pass of the largest grid; squares near the largest.
TEST_F(HistNoise, SquaresOfRows) {
  for (std::int64_t const n_rows : {0, 1, 31, 257, 5000, 700000}) {
    std::vector<FixedPair> pairs;
    Random random(static_cast<std::uint64_t>(n_rows) + 1);
    for (std::int64_t row = 0; row < n_rows; ++row) {
      auto const size = static_cast<std::int32_t>(random.Below(1U << 30U));
      pairs.push_back({row % 3 == 0 ? -size : size, 1});
    }
    SquareSum expected;
    for (auto const& pair : pairs) expected.Add(pair.gradient);
    auto const on_device = cuda::ToDevice(Cuda(), pairs);
    auto const sum = cuda::SquareRows(Cuda(), on_device.span());
    EXPECT_EQ(sum.high, expected.high) << n_rows;
    EXPECT_EQ(sum.low, expected.low) << n_rows;
  }
}

/// The same for every sum of a table's rows.
TEST_F(HistNoise, SquaresOfTables) {
  for (std::int64_t const n_rows : {0, 1, 33, 70000}) {
    for (std::uint32_t const n_sums : {1U, 5U, 400U}) {
      auto const stride = static_cast<std::uint32_t>(TableStride(n_sums));
      std::vector<std::int32_t> values(ToSize(n_rows) * stride, 0);
      std::vector<SquareSum> expected(n_sums);
      Random random(n_sums);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % stride >= n_sums) continue;
        values[i] = static_cast<std::int32_t>(random.Below(1U << 30U)) * (i % 3 == 0 ? -1 : 1);
        expected[i % stride].Add(values[i]);
      }
      auto const on_device = cuda::ToDevice(Cuda(), values);
      auto const sums = cuda::SquareTableRows(Cuda(), {on_device.data(), stride, n_sums}, n_rows);
      ASSERT_EQ(sums.size(), n_sums);
      for (std::uint32_t place = 0; place < n_sums; ++place) {
        EXPECT_EQ(sums[place].high, expected[place].high) << n_rows << " rows, place " << place << " of " << n_sums;
        EXPECT_EQ(sums[place].low, expected[place].low) << n_rows << " rows, place " << place << " of " << n_sums;
      }
    }
  }
}

/// Several devices share the rows, and each has the gradients of its own rows.
class SharesOfNoise : public ShardsTest {
 protected:
  /// The data of a job on one of several devices.
  struct Part {
    cuda::Buffer<FixedPair> pairs;
    cuda::Buffer<std::uint8_t> sampled;
    cuda::Buffer<std::int32_t> leaves;
  };

  Part PartOf(CategoricalJob const& job, cuda::ShardRange const& rows) const {
    auto const& pairs = job.gradients.pairs;
    auto const first = static_cast<std::ptrdiff_t>(rows.first);
    auto const end = static_cast<std::ptrdiff_t>(rows.End());
    Part part;
    part.pairs = cuda::ToDevice(Cuda(), std::vector<FixedPair>(pairs.begin() + first, pairs.begin() + end));
    if (!job.sampled.empty()) {
      part.sampled =
          cuda::ToDevice(Cuda(), std::vector<std::uint8_t>(job.sampled.begin() + first, job.sampled.begin() + end));
    }
    part.leaves = cuda::Buffer<std::int32_t>(Cuda(), ToSize(rows.count));
    Cuda().Synchronize();  // for the copies, whose sources are freed
    return part;
  }

  Built BuildApart(Devices const& devices, CategoricalJob const& job) const {
    auto const ctx = On(devices);
    auto const data = DataOf(job);
    cuda::GpuHistBuilder const builder(job.param, kManyShards);
    auto const state = builder.MakeState(ctx, *data);
    std::vector<Part> parts;
    for (auto const& rows : cuda::CutRows(static_cast<std::int64_t>(job.NumRows()), devices.size(), 1)) {
      parts.push_back(PartOf(job, rows));
    }
    cuda::Event const ready(Cuda().device);
    ready.Record(Cuda());
    std::vector<cuda::ShardInput> inputs;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      inputs.push_back({parts[i].pairs.span(), parts[i].sampled.span(), parts[i].leaves.span(), &ready, Cuda()});
    }
    cuda::DeviceTreeTask task;
    task.pairs = parts[0].pairs.span();
    task.totals = cuda::TreeTotals(TotalsOf(job.gradients));
    task.sampled_rows = parts[0].sampled.span();
    task.place = job.Task().place;
    task.shards = inputs;
    Built built;
    built.tree = builder.BuildOnDevice(Cuda(), ctx, *data, task, state.get(), parts[0].leaves.span());
    for (auto const& part : parts) {
      auto const leaves = Fetch(Cuda(), part.leaves);
      built.leaf_of_row.insert(built.leaf_of_row.end(), leaves.begin(), leaves.end());
    }
    return built;
  }
};

TEST_F(SharesOfNoise, GradientsWhereTheRowsAre) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto job = NumericJob(seed);
    job.param.random_strength = seed % 2 == 0 ? 1.0F : 5.0F;
    auto const host = BuildWith(Method::kHist, job);
    ExpectSame(BuildApart({0, 0, 0}, job), host, "seed " + std::to_string(seed));
    n_splits += host.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 100);
}

TEST_F(SharesOfNoise, GradientsOfTheMainDevice) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto numbers = NumericJob(seed);
    auto categories = RandomJob(seed, 300, static_cast<std::int64_t>(seed % 3));
    for (auto* job : {&numbers, &categories}) {
      job->param.random_strength = 3.0F;
      auto const host = BuildWith(Method::kHist, *job);
      for (auto const& devices : ManyDevices()) {
        auto const ctx = On(devices);
        auto const data = DataOf(*job);
        cuda::GpuHistBuilder const builder(job->param, kManyShards);
        auto const state = builder.MakeState(ctx, *data);
        ExpectSame(Build(ctx, *job, *data, builder, state.get()), host,
                   "seed " + std::to_string(seed) + " on " + Text(devices));
      }
    }
  }
}

/// Uses one state for trees with noise and without.
TEST_F(SharesOfNoise, OneStateForManyTrees) {
  auto job = NumericJob(3);
  MatrixSpec const spec{3000, 7, 0.1, 0, false, 9};
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.sparse = false;
  job.types.assign(7, "float");
  auto const ctx = On({0, 0});
  auto const data = DataOf(job);
  auto const state = cuda::GpuHistBuilder(job.param, kManyShards).MakeState(ctx, *data);
  for (std::uint64_t tree = 0; tree < 6; ++tree) {
    job.sampled = tree % 3 == 1 ? SampleRows(Context{}, 0, 0, 0.5F, spec.n_rows) : std::vector<std::uint8_t>();
    job.gradients = MakeGradients(spec.n_rows, tree, job.sampled);
    job.param.random_strength = tree % 2 == 0 ? 0.0F : 4.0F;
    job.param.min_data_in_leaf = tree < 3 ? 0 : 15;
    ExpectSame(Build(ctx, job, *data, cuda::GpuHistBuilder(job.param, kManyShards), state.get()),
               BuildWith(Method::kHist, job), "tree " + std::to_string(tree));
  }
}

}  // namespace
}  // namespace kauri::testing
