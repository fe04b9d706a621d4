/// Parameters of trees and of boosters, alone and in combination.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

using HistParameters = HistDeviceTest;

/// Runs each case with growth by levels, and by gain.
void ExpectSameByBothPolicies(std::vector<HistCase> const& cases) {
  std::vector<HistCase> both;
  for (auto const& given : cases) {
    both.push_back(given);
    both.push_back(given);
    both.back().params.push_back({"grow_policy", "lossguide"});
  }
  ExpectSameTrees(both);
}

TEST_F(HistParameters, LimitsOfGrowth) {
  ExpectSameByBothPolicies({
      CaseOf("depth 1", {{"max_depth", "1"}}),
      CaseOf("depth 2", {{"max_depth", "2"}}),
      CaseOf("depth 12", {{"max_depth", "12"}}),
      CaseOf("depth 30", {{"max_depth", "30"}, {"min_child_weight", "0"}}),
      CaseOf("no depth", {{"max_depth", "0"}, {"max_leaves", "40"}}),
      CaseOf("no depth, 2 leaves", {{"max_depth", "0"}, {"max_leaves", "2"}}),
      CaseOf("3 leaves", {{"max_leaves", "3"}}),
      CaseOf("5 leaves of depth 3", {{"max_leaves", "5"}, {"max_depth", "3"}}),
      CaseOf("8 leaves of depth 3", {{"max_leaves", "8"}, {"max_depth", "3"}}),
      CaseOf("255 leaves", {{"max_leaves", "255"}, {"max_depth", "0"}, {"min_child_weight", "0"}}),
  });
}

TEST_F(HistParameters, Regularisation) {
  ExpectSameByBothPolicies({
      CaseOf("gamma", {{"gamma", "3"}}),
      CaseOf("gamma that prunes", {{"gamma", "40"}, {"max_depth", "8"}}),
      CaseOf("lambda 0", {{"lambda", "0"}}),
      CaseOf("lambda 100", {{"lambda", "100"}}),
      CaseOf("alpha", {{"alpha", "2.5"}}),
      CaseOf("step", {{"max_delta_step", "0.3"}}),
      CaseOf("step of both", {{"max_delta_step", "0.1"}, {"alpha", "1"}, {"lambda", "3"}}),
      CaseOf("weight 0", {{"min_child_weight", "0"}, {"max_depth", "9"}}),
      CaseOf("weight 40", {{"min_child_weight", "40"}}),
      CaseOf("eta", {{"eta", "0.01"}}),
      CaseOf("no eta", {{"eta", "0"}}),
  });
}

/// Nothing can be split, or almost nothing.
TEST_F(HistParameters, NothingToGain) {
  for (auto const& params : {Params{{"min_child_weight", "1e9"}}, Params{{"gamma", "1e9"}}, Params{{"alpha", "1e9"}}}) {
    auto const given = CaseOf("nothing", params);
    EXPECT_EQ(ExpectSame(given).error, "");
  }
  for (auto const kind : {Gradients::kZero, Gradients::kFewRows}) {
    auto given = CaseOf("few pairs", {{"min_child_weight", "0"}});
    given.gradients = kind;
    EXPECT_EQ(ExpectSame(given).error, "");
  }
}

TEST_F(HistParameters, GradientsOfACaller) {
  for (auto const kind : {Gradients::kNormal, Gradients::kHalfNegative, Gradients::kConstant, Gradients::kCoarse}) {
    for (auto const* weight : {"0", "1"}) {
      auto given = CaseOf("pairs", {{"max_depth", "7"}, {"min_child_weight", weight}});
      given.gradients = kind;
      ExpectSame(given);
      given.params.push_back({"lambda", "500"});  // more than the sum of hessians of both signs
      given.table.values = Values::kFew;
      ExpectSameTrees({given});
    }
  }
}

TEST_F(HistParameters, RowsAreDrawn) {
  ExpectSameByBothPolicies({
      CaseOf("half", {{"subsample", "0.5"}}),
      CaseOf("few", {{"subsample", "0.05"}, {"min_child_weight", "0"}}),
      CaseOf("another seed", {{"subsample", "0.5"}, {"seed", "7"}}),
      CaseOf("by gradients", {{"subsample", "0.3"}, {"sampling_method", "gradient_based"}}),
      CaseOf("few by gradients", {{"subsample", "0.05"}, {"sampling_method", "gradient_based"}}),
      CaseOf("classes by gradients", {{"subsample", "0.3"},
                                      {"sampling_method", "gradient_based"},
                                      {"objective", "multi:softprob"},
                                      {"num_class", "3"}}),
  });
}

TEST_F(HistParameters, ColumnsAreDrawn) {
  auto weighted =
      CaseOf("all", {{"colsample_bytree", "0.7"}, {"colsample_bylevel", "0.7"}, {"colsample_bynode", "0.7"}}, 20);
  ExpectSameByBothPolicies({
      CaseOf("by tree", {{"colsample_bytree", "0.5"}}, 9),
      CaseOf("by level", {{"colsample_bylevel", "0.5"}}, 9),
      CaseOf("by node", {{"colsample_bynode", "0.5"}}, 9),
      CaseOf("one by tree", {{"colsample_bytree", "0.01"}}, 9),
      CaseOf("one by node", {{"colsample_bynode", "0.01"}}, 40),
      CaseOf("many columns", {{"colsample_bynode", "0.3"}, {"colsample_bytree", "0.3"}}, 100),
      weighted,
  });
}

/// Columns are sampled by their weights, some of which are 0.
TEST_F(HistParameters, ColumnsAreDrawnByWeight) {
  for (auto const* name : {"colsample_bytree", "colsample_bylevel", "colsample_bynode"}) {
    auto const given = CaseOf("weights of columns", {{name, "0.4"}, {"max_depth", "5"}}, 12);
    std::vector<Outcome> outcomes;
    for (auto const* device : {"cpu", kDevice}) {
      auto const data = MakeTable(given.table, KindOf(given));
      for (int column = 0; column < 12; ++column) {
        data->MutableInfo()->feature_weights.push_back(static_cast<float>(column % 4));
      }
      outcomes.push_back(TrainOn(device, given, data));
    }
    EXPECT_EQ(outcomes[0].error, "");
    EXPECT_TRUE(SameOutcome(outcomes[0], outcomes[1])) << name;
  }
}

TEST_F(HistParameters, Constraints) {
  ExpectSameByBothPolicies({
      CaseOf("rising", {{"monotone_constraints", "(1)"}}),
      CaseOf("falling", {{"monotone_constraints", "(-1,0,-1)"}, {"max_depth", "8"}}),
      CaseOf("all", {{"monotone_constraints", "(1,-1,1,-1,1,-1)"}, {"max_delta_step", "0.5"}}),
      CaseOf("two sets", {{"interaction_constraints", "[[0,1],[2,3,4]]"}}),
      CaseOf("sets that share", {{"interaction_constraints", "[[0,1,2],[2,3],[5]]"}, {"max_depth", "8"}}),
      CaseOf("wide sets", {{"interaction_constraints", "[[0,31,32,33],[1,2,63,64,69]]"}}, 70),
      CaseOf("both", {{"monotone_constraints", "(1,0,-1)"}, {"interaction_constraints", "[[0,2],[1,3]]"}}),
      CaseOf("both, drawn", {{"monotone_constraints", "(1,0,-1)"},
                             {"interaction_constraints", "[[0,2,4],[1,3]]"},
                             {"colsample_bynode", "0.7"},
                             {"subsample", "0.7"}}),
  });
}

TEST_F(HistParameters, ForestsAndDropout) {
  auto dart = CaseOf("dart", {{"booster", "dart"}, {"rate_drop", "0.5"}, {"max_depth", "4"}});
  dart.rounds = 5;
  auto classes = CaseOf("dart of classes", With(dart.params, {{"objective", "multi:softprob"}, {"num_class", "3"}}));
  classes.rounds = 4;
  ExpectSameTrees({
      dart,
      classes,
      CaseOf("forest", {{"num_parallel_tree", "4"}, {"subsample", "0.6"}, {"colsample_bynode", "0.6"}, {"eta", "1"}}),
      CaseOf("forest of classes", {{"num_parallel_tree", "3"},
                                   {"subsample", "0.6"},
                                   {"colsample_bytree", "0.5"},
                                   {"objective", "multi:softprob"},
                                   {"num_class", "4"}}),
      CaseOf("forest by gradients",
             {{"num_parallel_tree", "3"}, {"subsample", "0.4"}, {"sampling_method", "gradient_based"}}),
  });
}

TEST_F(HistParameters, OtherSketches) {
  for (auto const* sketch : {"gk", "moments"}) {
    for (auto const* max_bin : {"16", "300"}) {
      ExpectSameTrees({CaseOf("sketch", {{"sketch", sketch}, {"max_bin", max_bin}})});
    }
  }
}

/// All names of this method on a device give its model.
TEST_F(HistParameters, NamesOfTheMethod) {
  auto const given = CaseOf("names", {{"max_depth", "5"}});
  auto const cpu = TrainOn("cpu", given);
  EXPECT_EQ(cpu.error, "");
  std::vector<Params> const names{{{"tree_method", "hist"}},
                                  {{"tree_method", "auto"}},
                                  {{"tree_method", "auto"}, {"updater", "grow_gpu_hist"}},
                                  {{"tree_method", "gpu_hist"}}};
  for (auto const& name : names) {
    auto called = given;
    called.params = With(given.params, name);
    EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, called))) << Text(called.params);
  }
  auto const data = MakeTable(given.table, KindOf(given));
  auto const unnamed = MakeLearner(With({{"device", kDevice}}, given.params));
  BoostRounds(given, data, unnamed.get());
  EXPECT_TRUE(SameOutcome(cpu, OutcomeOf(unnamed.get(), data)));
}

}  // namespace
}  // namespace kauri::testing
