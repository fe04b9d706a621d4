/// Trees of few rows, whose splits the device finds in one launch: the conditions for it, and sizes within its limits.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

using FewRows = HistDeviceTest;

HistCase Few(std::int64_t n_rows, std::int64_t n_cols, Params const& params = {}) {
  return CaseOf("few rows", n_rows, n_cols, params, 3);
}

TEST_F(FewRows, AnyNumberOfRows) {
  for (std::int64_t const n_rows : {1, 2, 3, 31, 33, 1023, 1024, 1025, 5000}) ExpectSame(Few(n_rows, 4));
}

/// Fewer and more columns than a cluster has blocks; blocks with a feature more than others; sums that take several
/// turns.
TEST_F(FewRows, AnyNumberOfColumns) {
  for (std::int64_t const n_cols : {1, 2, 15, 16, 17, 28, 33, 100, 300}) {
    ExpectSame(Few(700, n_cols, {{"max_depth", "8"}, {"min_child_weight", "0"}}));
  }
}

TEST_F(FewRows, ManyColumnsOfFewBins) {
  for (std::int64_t const n_cols : {900, 9000}) {
    auto given = Few(50, n_cols, {{"max_bin", "2"}, {"max_depth", "4"}, {"min_child_weight", "0"}});
    given.table.values = Values::kFew;
    ExpectSame(given);
  }
}

TEST_F(FewRows, AnyDepth) {
  for (auto const* depth : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
    ExpectSame(Few(2500, 20, {{"max_depth", depth}, {"min_child_weight", "0"}, {"gamma", "0.01"}}));
  }
}

TEST_F(FewRows, AnyNumberOfBins) {
  for (auto const* bins : {"2", "3", "17", "255", "256", "257", "1000"}) {
    for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kColumn, Missing::kMixed}) {
      for (bool const sparse : {false, true}) {
        auto given = Few(3000, 5, {{"max_bin", bins}});
        given.table.missing = missing;
        given.table.sparse = sparse;
        ExpectSame(given);
      }
    }
  }
}

TEST_F(FewRows, ColumnsOfAnyKind) {
  for (auto const values : {Values::kFew, Values::kOnes, Values::kFlags, Values::kOneHot}) {
    for (auto const missing : {Missing::kNone, Missing::kSome}) {
      for (bool const sparse : {false, true}) {
        auto given = Few(2000, 30);
        given.table.values = values;
        given.table.missing = missing;
        given.table.sparse = sparse;
        ExpectSame(given);
      }
    }
  }
}

/// The host's decisions on the splits found: which are made, in which order, and the values of their leaves.
TEST_F(FewRows, TheHostChoosesAmongThem) {
  for (auto const* policy : {"depthwise", "lossguide"}) {
    for (Params const& params : {Params{{"max_leaves", "9"}}, Params{{"gamma", "5"}}, Params{{"path_smooth", "3"}},
                                 Params{{"alpha", "1"}, {"lambda", "0"}}, Params{{"max_delta_step", "0.2"}},
                                 Params{{"min_child_weight", "20"}}, Params{{"subsample", "0.4"}},
                                 Params{{"colsample_bytree", "0.5"}}, Params{{"num_parallel_tree", "3"}}}) {
      ExpectSame(Few(1500, 12, With({{"grow_policy", policy}}, params)));
    }
  }
}

TEST_F(FewRows, SeveralOutputsAndObjectives) {
  ExpectSame(Few(1200, 9, {{"objective", "multi:softprob"}, {"num_class", "5"}}));
  ExpectSame(Few(1200, 9, {{"objective", "binary:logistic"}, {"scale_pos_weight", "3"}}));
  ExpectSame(Few(1200, 9, {{"objective", "reg:absoluteerror"}}));
  ExpectSame(Few(1200, 9, {{"tree_method", "approx"}}));
}

/// Gradients from the caller, also with hessians of both signs.
TEST_F(FewRows, AnyPairs) {
  for (auto const kind : {Gradients::kZero, Gradients::kFewRows, Gradients::kNormal, Gradients::kHalfNegative,
                          Gradients::kConstant, Gradients::kCoarse}) {
    auto given = Few(900, 8, {{"min_child_weight", "0"}, {"max_depth", "8"}});
    given.gradients = kind;
    ExpectSame(given);
  }
}

/// One booster whose trees are found in one launch and otherwise, in turns.
TEST_F(FewRows, TreesOfBothWaysOneAfterTheOther) {
  auto const given = Few(1100, 7);
  auto const train = [&](std::string const& device) {
    auto const data = MakeTable(given.table, KindOf(given));
    auto const learner = MakeLearner(ParamsFor(device, given.params));
    for (auto const* depth : {"6", "9", "3", "0", "8", "6"}) {
      learner->SetParam("max_leaves", *depth == '0' ? "50" : "0");
      learner->SetParam("max_depth", depth);
      BoostRounds(given, data, learner.get());
    }
    return OutcomeOf(learner.get(), data);
  };
  EXPECT_TRUE(SameOutcome(train("cpu"), train(kDevice)));
}

}  // namespace
}  // namespace kauri::testing
