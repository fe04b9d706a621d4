/// Levels with so many nodes that their rows are moved, or get their leaves, before the host has made the children.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

using HistManyNodes = HistDeviceTest;

HistCase Of(char const* name, Params const& params) {
  HistCase given;
  given.name = name;
  given.table.n_rows = 30000;
  given.table.n_cols = 6;
  given.table.missing = Missing::kSome;
  given.params = With({{"max_depth", "9"}, {"min_child_weight", "0"}}, params);
  return given;
}

TEST_F(HistManyNodes, Growth) {
  ExpectSameTrees({
      Of("all nodes of the last level are leaves", {}),
      Of("some nodes have leaves alone", {{"min_child_weight", "25"}, {"max_depth", "14"}}),
      Of("gamma", {{"gamma", "0.5"}}),
      Of("leaves come to an end within a level", {{"max_leaves", "300"}}),
      Of("and where a level ends", {{"max_leaves", "256"}}),
      Of("by gain", {{"grow_policy", "lossguide"}, {"max_leaves", "400"}}),
      Of("forests", {{"num_parallel_tree", "3"}, {"subsample", "0.6"}}),
      Of("vectors", {{"objective", "multi:softprob"}, {"num_class", "3"}, {"multi_strategy", "multi_output_tree"}}),
  });
}

TEST_F(HistManyNodes, RowsAndColumns) {
  std::vector<HistCase> cases{
      Of("sampled rows", {{"subsample", "0.5"}}),
      Of("columns of each node", {{"colsample_bynode", "0.5"}}),
      Of("columns of each level", {{"colsample_bylevel", "0.5"}}),
      Of("constraints",
         {{"monotone_constraints", "(1,0,-1,0,0,0)"}, {"interaction_constraints", "[[0,1,2],[2,3,4,5]]"}}),
      Of("rows counted", {{"min_data_in_leaf", "7"}}),
      Of("rows counted at many depths", {{"min_data_in_leaf", "60"}, {"max_depth", "14"}}),
      Of("drawn thresholds", {{"extra_trees", "1"}}),
      Of("smoothed", {{"path_smooth", "3"}}),
  };
  cases.push_back(Of("categories", {}));
  cases.back().table.levels = {40, 9, 3};
  cases.push_back(Of("sets of categories", {{"max_cat_to_onehot", "1"}}));
  cases.back().table.levels = {40, 9, 3};
  cases.push_back(Of("bundles", {}));
  cases.back().table.values = Values::kOneHot;
  cases.back().table.n_cols = 40;
  cases.back().table.missing = Missing::kNone;
  cases.back().table.sparse = true;
  ExpectSameTrees(cases);
}

/// A large level, a small one and a large one again in one booster.
TEST_F(HistManyNodes, ChangeFromTreeToTree) {
  auto const given = Of("turns", {});
  auto const of_cpu = MakeTable(given.table, KindOf(given));
  auto const data = MakeTable(given.table, KindOf(given));
  auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
  auto const learner = MakeLearner(ParamsFor(kDevice, given.params));
  for (std::string const depth : {"9", "2", "10", "1", "9"}) {
    for (auto* each : {cpu.get(), learner.get()}) each->SetParam("max_depth", depth);
    BoostRounds(given, of_cpu, cpu.get());
    BoostRounds(given, data, learner.get());
  }
  EXPECT_TRUE(SameOutcome(OutcomeOf(cpu.get(), of_cpu), OutcomeOf(learner.get(), data)));
}

/// With many narrow rows, a copy of their codes by columns is used to move them to their children.
TEST_F(HistManyNodes, NarrowRows) {
  std::vector<HistCase> cases{Of("8 columns", {}), Of("3 columns", {{"subsample", "0.7"}, {"min_data_in_leaf", "5"}})};
  cases[0].table.n_rows = 4300000;
  cases[0].table.n_cols = 8;
  cases[1].table.n_rows = 8600000;
  cases[1].table.n_cols = 3;
  ExpectSameTrees(cases);
}

/// Also with rows in host memory.
TEST_F(HistManyNodes, RowsOfTheHost) {
  auto const given = Of("host rows", {{"min_data_in_leaf", "3"}});
  auto const of_cpu = MakeTable(given.table, KindOf(given));
  auto const data = MakeTable(given.table, KindOf(given));
  auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
  auto const learner = MakeLearner(ParamsFor(kDevice, given.params));
  for (std::string const ratio : {"0.5", "1", "0"}) {
    learner->SetParam("cache_host_ratio", ratio);
    BoostRounds(given, of_cpu, cpu.get());
    BoostRounds(given, data, learner.get());
  }
  EXPECT_TRUE(SameOutcome(OutcomeOf(cpu.get(), of_cpu), OutcomeOf(learner.get(), data)));
}

}  // namespace
}  // namespace kauri::testing
