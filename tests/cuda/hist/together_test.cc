/// The trees of a round that grow together, one for each output. They have the bytes of trees grown one by one, for any
/// rows, columns and outputs, in any sequence of rounds that may and may not grow together, and after failures.
#include <limits>
#include <utility>

#include "cuda/hist/gpu_hist_builder.h"
#include "hist/hist_fixture.h"
#include "support/totals_of.h"

namespace kauri::testing {
namespace {

using HistTogether = HistDeviceTest;

HistCase Classes(std::int64_t n_rows, std::int64_t n_cols, int n_classes, Params const& params = {}) {
  return CaseOf("classes", n_rows, n_cols,
                With({{"objective", "multi:softprob"}, {"num_class", std::to_string(n_classes)}}, params));
}

TEST_F(HistTogether, AnyNumberOfRowsAndClasses) {
  for (std::int64_t const n_rows : {64, 65, 511, 900, 6000, 70001}) ExpectSame(Classes(n_rows, 5, 3));
  for (int const n_classes : {2, 4, 7, 40}) ExpectSame(Classes(3000, 6, n_classes));
}

TEST_F(HistTogether, AnyDepth) {
  for (auto const* depth : {"1", "2", "5", "8", "10", "12"}) {
    ExpectSame(Classes(20000, 9, 3, {{"max_depth", depth}, {"min_child_weight", "0"}}));
  }
}

/// Narrow rows, one-hot columns that one thread each searches, bundles, several groups of columns, words and cells.
TEST_F(HistTogether, AnyColumns) {
  for (std::int64_t const n_cols : {1, 8, 33, 300}) {
    for (auto const* bins : {"2", "256", "700"}) {
      for (bool const sparse : {false, true}) {
        auto given = Classes(2500, n_cols, 4, {{"max_bin", bins}});
        given.table.sparse = sparse;
        given.table.values = n_cols == 300 ? Values::kOneHot : Values::kNormal;
        ExpectSame(given);
      }
    }
  }
}

TEST_F(HistTogether, WhatIsAskedOfTrees) {
  for (Params const& params :
       {Params{{"gamma", "3"}}, Params{{"min_child_weight", "30"}}, Params{{"alpha", "1"}, {"lambda", "0"}},
        Params{{"max_delta_step", "0.2"}}, Params{{"num_parallel_tree", "2"}}, Params{{"booster", "dart"}},
        Params{{"path_smooth", "3"}}, Params{{"subsample", "0.5"}}, Params{{"colsample_bytree", "0.5"}},
        Params{{"colsample_bylevel", "0.5"}}, Params{{"max_leaves", "9"}}, Params{{"tree_method", "approx"}},
        Params{{"bagging_temperature", "1"}}, Params{{"monotone_constraints", "(1,-1)"}}}) {
    ExpectSame(Classes(3000, 6, 3, params));
  }
  ExpectSame(CaseOf("targets", 3000, 6, {{"num_target", "5"}}));
  ExpectSame(CaseOf("quantiles", 3000, 6, {{"objective", "reg:quantileerror"}, {"quantile_alpha", "[0.1, 0.5, 0.9]"}}));
}

/// More trees than fit into memory at the same time: the histograms of each take 37 MiB.
TEST_F(HistTogether, SomeAtATime) { ExpectSame(Classes(4000, 300, 10, {{"max_depth", "8"}, {"max_bin", "64"}})); }

/// Outputs with nothing to learn, or with only one row to learn from.
TEST_F(HistTogether, PairsOfACaller) {
  for (auto const kind : {Gradients::kNormal, Gradients::kZero, Gradients::kFewRows, Gradients::kHalfNegative,
                          Gradients::kConstant, Gradients::kCoarse}) {
    auto given = Classes(1500, 8, 3);
    given.gradients = kind;
    ExpectSame(given);
  }
}

/// Rounds whose trees grow together and rounds whose trees do not, of several depths, in one training, with failures of
/// one output's pairs between them.
TEST_F(HistTogether, RoundsOfAllWaysOneAfterTheOther) {
  auto const given = Classes(4000, 12, 3);
  auto const train = [&](std::string const& device) {
    auto const data = MakeTable(given.table, KindOf(given));
    auto const learner = MakeLearner(ParamsFor(device, given.params));
    auto const fail = [&] {
      auto pairs = MakePairs(Gradients::kNormal, 3 * data->NumRows(), 5);
      pairs[3 * 77 + 1].gradient = std::numeric_limits<float>::quiet_NaN();
      auto const before = Bytes(learner.get());
      EXPECT_THROW(learner->BoostRound(data, learner->NumIterations(), Span<GradientPair const>(pairs)), Error);
      EXPECT_EQ(Bytes(learner.get()), before) << device;
    };
    for (auto const* depth : {"6", "3", "9", "2", "6"}) {
      learner->SetParam("max_depth", depth);
      for (auto const& [name, value] : Params{{"subsample", "0.5"},
                                              {"subsample", "1"},
                                              {"colsample_bytree", "0.6"},
                                              {"colsample_bytree", "1"},
                                              {"max_leaves", "7"},
                                              {"max_leaves", "0"}}) {
        learner->SetParam(name, value);
        BoostRounds(given, data, learner.get());
        fail();
      }
    }
    return OutcomeOf(learner.get(), data);
  };
  EXPECT_TRUE(SameOutcome(train("cpu"), train(kDevice)));
}

/// A state that failed in mid-flight grows the same trees as a state that did not.
TEST_F(HistTogether, TreesAfterAFailure) {
  auto const given = Classes(3000, 6, 3);
  auto const data = MakeTable(given.table, KindOf(given));
  auto const ctx = OnDevice();
  auto const n_rows = ToSize(data->NumRows());
  cuda::GpuHistBuilder const builder(ParseParameters<TreeParam>({{"max_depth", "7"}}), {});
  auto const gradients = MakePairs(Gradients::kNormal, 3 * data->NumRows(), 8);
  std::vector<FixedPair> pairs;
  std::vector<cuda::PairTotals> totals;
  for (std::int64_t output = 0; output < 3; ++output) {
    FixedGradients fixed;
    QuantiseGradients(ctx, gradients, 3, output, {}, &fixed);
    pairs.insert(pairs.end(), fixed.pairs.begin(), fixed.pairs.end());
    totals.push_back(TotalsOf(fixed));
  }
  auto const pairs_there = cuda::ToDevice(Cuda(), pairs);
  auto const totals_there = cuda::ToDevice(Cuda(), totals);
  cuda::Buffer<std::int32_t> leaves(Cuda(), 3 * n_rows);
  std::size_t failing = 3;
  std::vector<cuda::DeviceTreeTask> tasks(3);
  for (std::size_t i = 0; i < 3; ++i) {
    tasks[i].pairs = {pairs_there.data() + i * n_rows, n_rows};
    tasks[i].place.n_outputs = 3;
  }
  auto const grow = [&](BuildState* state) {
    for (std::size_t i = 0; i < 3; ++i) {
      tasks[i].totals = cuda::TreeTotals(totals_there.data() + i, [&, i] {
        if (i == failing) Fail(ErrorKind::kData, "as asked");
        return totals[i];
      });
    }
    std::vector<std::string> bytes;
    for (auto const& tree : builder.BuildTogether(Cuda(), ctx, *data, tasks, state, leaves.span())) {
      for (std::int32_t node = 0; node < tree.NumNodes(); ++node) bytes.push_back(NodeText(tree, node));
    }
    return bytes;
  };
  auto const expected = grow(builder.MakeState(ctx, *data).get());
  auto const leaves_expected = Fetch(Cuda(), leaves);
  auto const state = builder.MakeState(ctx, *data);
  for (std::size_t const which : {0U, 2U, 1U}) {
    failing = which;
    EXPECT_THROW(grow(state.get()), Error);
    failing = 3;
    EXPECT_EQ(grow(state.get()), expected) << "after a failure of tree " << which;
    EXPECT_EQ(Fetch(Cuda(), leaves), leaves_expected);
    auto alone = tasks[which];
    alone.totals =
        cuda::TreeTotals(alone.totals.OnDevice(), []() -> cuda::PairTotals { Fail(ErrorKind::kData, "as asked"); });
    EXPECT_THROW(builder.BuildOnDevice(Cuda(), ctx, *data, alone, state.get(), {leaves.data(), n_rows}), Error);
  }
}

/// The cases of the tests above grow together as intended.
TEST_F(HistTogether, WhoGrowsTogether) {
  auto const given = Classes(3000, 6, 3);
  auto const data = MakeTable(given.table, KindOf(given));
  auto const ctx = OnDevice();
  auto const grows = [&](Params const& params, std::size_t n_trees) {
    cuda::GpuHistBuilder const builder(ParseParameters<TreeParam>(ParamMap(params.begin(), params.end())), {});
    auto const state = builder.MakeState(ctx, *data);
    TreePlace place;
    place.n_outputs = 3;
    return builder.GrowsTogether(Cuda(), ctx, *data, place, n_trees, state.get());
  };
  EXPECT_TRUE(grows({}, 3));
  EXPECT_TRUE(grows({{"max_depth", "10"}}, 7));
  EXPECT_FALSE(grows({}, 5593));  // rows of all trees: more than 2^24
  EXPECT_FALSE(grows({{"max_depth", "12"}}, 3));
  EXPECT_FALSE(grows({{"colsample_bytree", "0.5"}}, 3));
  EXPECT_FALSE(grows({{"path_smooth", "1"}}, 3));
  EXPECT_FALSE(grows({{"max_leaves", "7"}}, 3));
  EXPECT_FALSE(grows({{"grow_policy", "lossguide"}}, 3));
}

}  // namespace
}  // namespace kauri::testing
