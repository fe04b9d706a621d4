/// AdaBoost in groups: votes count the rows of all ranks, and all ranks end at the same round.
#include "booster/group/group_cases.h"
#include "kauri/model.h"
#include "support/error.h"

namespace kauri {
namespace {

using namespace group_test;

Params Votes(std::string const& method, std::string const& depth) {
  return {{"booster", "adaboost"}, {"objective", "binary:logitraw"}, {"tree_method", method},
          {"max_depth", depth},    {"eval_metric", "error@0"},       {"eval_metric", "auc"}};
}

TEST(GroupAdaBoost, AnyPartition) {
  for (auto const& [method, depth] : {std::pair("hist", "1"), std::pair("hist", "4"), std::pair("approx", "2")}) {
    ExpectSame({std::string(method) + " " + depth, Votes(method, depth), MakeTable(kRows, 2, 41)}, Partitions(kRows),
               6);
  }
}

TEST(GroupAdaBoost, WeightsMarginsAndLimits) {
  auto table = MakeTable(kRows, 2, 42);
  std::mt19937 generator(43);
  for (std::int64_t row = 0; row < kRows; ++row) {
    table.weights.push_back(static_cast<float>(generator() % 4) * 0.5F);
    table.base_margin.push_back(static_cast<float>(generator() % 5) * 0.1F - 0.2F);
  }
  auto params = Votes("hist", "3");
  params.emplace_back("min_data_in_leaf", "20");
  params.emplace_back("colsample_bynode", "0.6");
  ExpectSame({"weights", params, table}, Partitions(kRows), 5);
}

/// Returns 40 rows with labels that one column separates.
Table Separable() {
  Table table;
  table.n_cols = 1;
  for (int row = 0; row < 40; ++row) {
    table.values.push_back(static_cast<float>(row));
    table.labels.push_back(row > 17 ? 1.0F : 0.0F);
  }
  return table;
}

/// Returns the absolute leaf value of each tree; 0 for a tree without a vote.
std::vector<float> Steps(Learner const& learner) {
  std::vector<float> steps;
  for (auto const& tree : learner.GetModel().trees) steps.push_back(std::fabs(tree.split_value.back()));
  return steps;
}

/// A tree without errors is the last that votes, unless some rank has a row that even the largest step does not
/// classify correctly; then all ranks continue.
TEST(GroupAdaBoost, RanksEndTogether) {
  auto table = Separable();
  auto const params = Votes("hist", "1");
  auto const partitions = std::vector<Partition>{Contiguous(40, 2), Scattered(40, 3, 44), OnLast(40, 2)};
  ExpectSame({"separable", params, table}, partitions, 4);
  table.base_margin.assign(40, 0.0F);
  table.base_margin[39] = -1.0F;  // a row of the last rank
  ExpectSame({"one row is open", params, table}, partitions, 4);

  auto const whole = MakeMatrix(table, AllRows(40), false);
  Learner learner;
  for (auto const& [name, value] : params) learner.SetParam(name, value);
  for (int round = 0; round < 4; ++round) learner.BoostRound(whole, round);
  auto const steps = Steps(learner);
  EXPECT_GT(steps[0], 11.0F);  // ln(1e10) / 2
  EXPECT_EQ(steps[1], steps[0]);
  EXPECT_EQ(steps[2], 0.0F);
  EXPECT_EQ(steps[3], 0.0F);
}

TEST(GroupAdaBoost, TreesThatNeedAllRowsAreRefused) {
  auto const table = MakeTable(200, 2, 45);
  auto const partition = Contiguous(200, 2);
  auto const errors = RunRanks(2, [&](Collective* group) {
    auto const mine = MakeMatrix(table, partition[static_cast<std::size_t>(group->Rank())], true);
    Train(group, Votes("exact", "2"), 1, mine, mine);
  });
  for (auto const& error : errors) EXPECT_NE(error.find("tree_method=hist"), std::string::npos) << error;
}

}  // namespace
}  // namespace kauri
