/// grow_policy=symmetric: trees that make one split in all nodes of a level.
#include <memory>
#include <string>
#include <vector>

#include "cuda/hist/gpu_hist_builder.h"
#include "hist/hist_fixture.h"
#include "hist/shards/shards_fixture.h"

namespace kauri::testing {
namespace {

Params const kSymmetric{{"grow_policy", "symmetric"}};

class HistSymmetric : public HistDeviceTest {
 protected:
  static HistCase Of(char const* name, Params const& params, std::int64_t n_cols = 6) {
    return CaseOf(name, With(kSymmetric, params), n_cols, 3);
  }
};

TEST_F(HistSymmetric, Growth) {
  ExpectSameTrees({Of("by default", {}), Of("one level", {{"max_depth", "1"}}),
                   Of("deep", {{"max_depth", "12"}, {"min_child_weight", "0"}}),
                   Of("without a limit", {{"max_depth", "0"}, {"min_child_weight", "20"}}),
                   Of("few leaves", {{"max_leaves", "9"}, {"max_depth", "0"}}), Of("gamma", {{"gamma", "2"}}),
                   Of("alpha", {{"alpha", "0.5"}}), Of("steps", {{"max_delta_step", "0.4"}}),
                   Of("heavy leaves", {{"min_child_weight", "90"}}), Of("lambda", {{"lambda", "0"}})});
}

TEST_F(HistSymmetric, Storage) {
  std::vector<HistCase> cases;
  for (auto const missing : {Missing::kNone, Missing::kColumn, Missing::kMixed}) {
    for (auto const* max_bin : {"2", "33", "256", "1000"}) {
      cases.push_back(Of("dense", {{"max_bin", max_bin}}, 9));
      cases.back().table.missing = missing;
      cases.push_back(cases.back());
      cases.back().table.sparse = true;
    }
  }
  for (auto const values : {Values::kOneHot, Values::kFlags, Values::kFew}) {
    for (auto const sparse : {false, true}) {
      cases.push_back(Of("bundles and flags", {}, 40));
      cases.back().table.values = values;
      cases.back().table.missing = Missing::kNone;
      cases.back().table.sparse = sparse;
    }
  }
  ExpectSameTrees(cases);
}

/// Minimum rows, smoothed leaves, noise; and all of them together.
TEST_F(HistSymmetric, WhatElseIsAskedOfSplits) {
  std::vector<Params> const asked{{{"min_data_in_leaf", "2"}},
                                  {{"min_data_in_leaf", "60"}},
                                  {{"path_smooth", "3"}},
                                  {{"random_strength", "1"}},
                                  {{"random_strength", "5"}, {"seed", "8"}},
                                  {{"random_strength", "2"}, {"min_data_in_leaf", "25"}, {"path_smooth", "9"}}};
  for (auto const& params : asked) {
    auto one_hot = Of("one-hot", params, 30);
    one_hot.table.values = Values::kOneHot;
    one_hot.table.missing = Missing::kNone;
    ExpectSameTrees({Of("asked", params), Of("deep", With({{"max_depth", "9"}, {"min_child_weight", "0"}}, params)),
                     Of("columns", With({{"colsample_bynode", "0.5"}}, params)), one_hot});
  }
}

TEST_F(HistSymmetric, SamplingAndConstraints) {
  auto some_gradients = Of("rows without gradients", {{"min_child_weight", "0"}});
  some_gradients.gradients = Gradients::kFewRows;
  auto weighted = Of("weights", {});
  weighted.table.weights = true;
  ExpectSameTrees({Of("rows", {{"subsample", "0.5"}}),
                   Of("rows by gradient", {{"subsample", "0.3"}, {"sampling_method", "gradient_based"}}),
                   Of("columns", {{"colsample_bynode", "0.5"}, {"colsample_bytree", "0.7"}}),
                   Of("levels", {{"colsample_bylevel", "0.5"}}),
                   Of("interaction", {{"interaction_constraints", "[[0,1],[2,3]]"}}),
                   Of("monotone", {{"monotone_constraints", "(1,-1,1)"}}),
                   Of("costs", {{"feature_cost", "(0,1e30,2,30,0.01,150)"}}),
                   Of("costs and noise", {{"feature_cost", "(9,0,90,0,3,1e30)"}, {"random_strength", "2"}}),
                   Of("forest", {{"num_parallel_tree", "3"}, {"subsample", "0.7"}}),
                   Of("classes", {{"objective", "multi:softprob"}, {"num_class", "3"}}),
                   Of("dart", {{"booster", "dart"}, {"rate_drop", "0.5"}}), some_gradients, weighted});
}

/// Losses of more nodes than are held at a time; rows that are moved while the host makes children.
TEST_F(HistSymmetric, ManyNodes) {
  std::vector<HistCase> cases;
  for (auto const* strength : {"0", "2"}) {
    cases.push_back(Of("many cuts", {{"max_bin", "4000"}, {"max_depth", "9"}, {"min_child_weight", "0"}}, 10));
    cases.back().table.n_rows = 40000;
    cases.back().rounds = 1;
    cases.back().params.push_back({"random_strength", strength});
    cases.push_back(Of("many nodes", {{"max_bin", "20"}, {"max_depth", "13"}, {"min_child_weight", "0"}}, 20));
    cases.back().table.n_rows = 30000;
    cases.back().rounds = 1;
    cases.back().params.push_back({"random_strength", strength});
  }
  cases.push_back(Of("many columns", {{"max_bin", "8"}}, 300));
  ExpectSameTrees(cases);
}

TEST_F(HistSymmetric, FewRows) {
  for (std::int64_t const n_rows : {1, 2, 3, 31, 33}) {
    for (auto const missing : {Missing::kNone, Missing::kColumn, Missing::kMixed}) {
      auto given = Of("few rows", {{"min_child_weight", "0"}});
      given.table.n_rows = n_rows;
      given.table.missing = missing;
      EXPECT_EQ(ExpectSame(given).error, "");
    }
  }
}

TEST_F(HistSymmetric, RowsOfTheHost) {
  for (auto const* ratio : {"0.5", "1"}) {
    auto given = Of("rows of the host", {{"max_depth", "5"}});
    given.table.n_rows = 5000;
    auto const cpu = TrainOn("cpu", given);
    given.params.push_back({"cache_host_ratio", ratio});
    EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given))) << ratio;
  }
}

TEST_F(HistSymmetric, IsAnotherTree) {
  auto const symmetric = Of("symmetric", {});
  auto depthwise = symmetric;
  depthwise.params.push_back({"grow_policy", "depthwise"});
  EXPECT_NE(TrainOn(kDevice, symmetric).bytes, TrainOn(kDevice, depthwise).bytes);
}

/// A learner whose trees grow differently from round to round: the data that it keeps follow.
TEST_F(HistSymmetric, ChangesFromTreeToTree) {
  auto const given = Of("changes", {});
  auto const train = [&](std::string const& device) {
    auto const data = MakeTable(given.table, KindOf(given));
    auto const learner = MakeLearner(ParamsFor(device, given.params));
    for (auto const* policy : {"symmetric", "depthwise", "symmetric", "lossguide", "symmetric"}) {
      for (auto const* least : {"0", "30"}) {
        learner->SetParam("grow_policy", policy);
        learner->SetParam("min_data_in_leaf", least);
        learner->SetParam("random_strength", least[0] == '3' ? "2" : "0");
        BoostRounds(given, data, learner.get());
      }
    }
    return OutcomeOf(learner.get(), data);
  };
  EXPECT_TRUE(SameOutcome(train("cpu"), train(kDevice)));
}

/// Parameters that the CPU refuses are refused on the device with its message, and the learner continues.
TEST_F(HistSymmetric, Refusals) {
  ExpectParts(ExpectSame(Of("drawn thresholds", {{"extra_trees", "1"}})).error, {"extra_trees=1"});
  auto const vectors = Of("vectors", {{"multi_strategy", "multi_output_tree"}, {"num_target", "2"}});
  ExpectParts(ExpectSame(vectors).error, {"supports vector leaves only with random thresholds"});
  for (auto const* method : {"exact", "approx"}) {
    auto given = Of("another method", {{"tree_method", method}});
    auto const data = MakeTable(given.table, KindOf(given));
    auto const learner = MakeLearner(ParamsFor(kDevice, given.params));
    ExpectParts(MessageOf(ErrorKind::kParameter, [&] { BoostRounds(given, data, learner.get()); }),
                {std::string("tree_method=gpu_") + method + " makes no symmetric trees", "set tree_method=hist"});
    learner->SetParam("tree_method", "hist");
    BoostRounds(given, data, learner.get());
    EXPECT_TRUE(SameOutcome(TrainOn("cpu", Of("hist", {})), OutcomeOf(learner.get(), data))) << method;
  }
}

class SharesOfSymmetric : public ShardsTest {
 protected:
  static CategoricalJob SymmetricJob(std::uint64_t seed) {
    auto job = NumericJob(seed);
    job.param.grow_policy = TreeParam::kSymmetric;
    job.param.extra_trees = false;
    if (seed % 3 == 0) job.param.random_strength = 2.0F;
    return job;
  }
};

/// Every other job has categorical columns.
TEST_F(SharesOfSymmetric, NumbersAndCategories) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto job = SymmetricJob(seed);
    if (seed % 2 == 1) {
      job = RandomJob(seed, 900, 1);
      job.param.grow_policy = TreeParam::kSymmetric;
    }
    auto const host = BuildWith(Method::kHist, job);
    n_splits += host.tree.NumLeaves() - 1;
    for (auto const& devices : ManyDevices()) {
      auto const ctx = On(devices);
      auto const data = DataOf(job);
      cuda::GpuHistBuilder const builder(job.param, kManyShards);
      auto const state = builder.MakeState(ctx, *data);
      ExpectSame(Build(ctx, job, *data, builder, state.get()), host,
                 "seed " + std::to_string(seed) + " on " + Text(devices));
    }
  }
  EXPECT_GT(n_splits, 200);
}

/// Uses one state for trees of both kinds.
TEST_F(SharesOfSymmetric, OneStateForManyTrees) {
  auto job = SymmetricJob(3);
  MatrixSpec const spec{3000, 7, 0.1, 0, false, 9};
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.sparse = false;
  job.types.assign(7, "float");
  auto const ctx = On({0, 0});
  auto const data = DataOf(job);
  auto const state = cuda::GpuHistBuilder(job.param, kManyShards).MakeState(ctx, *data);
  for (std::uint64_t tree = 0; tree < 8; ++tree) {
    job.sampled = tree % 3 == 1 ? SampleRows(Context{}, 0, 0, 0.5F, spec.n_rows) : std::vector<std::uint8_t>();
    job.gradients = MakeGradients(spec.n_rows, tree, job.sampled);
    job.param.grow_policy = tree % 2 == 0 ? TreeParam::kSymmetric : TreeParam::kDepthWise;
    job.param.max_depth = 2 + static_cast<int>(tree);
    job.param.min_data_in_leaf = tree < 4 ? 0 : 15;
    ExpectSame(Build(ctx, job, *data, cuda::GpuHistBuilder(job.param, kManyShards), state.get()),
               BuildWith(Method::kHist, job), "tree " + std::to_string(tree));
  }
}

}  // namespace
}  // namespace kauri::testing
