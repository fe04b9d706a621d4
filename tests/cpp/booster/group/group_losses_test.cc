/// Losses and metrics in groups that group_test.cc does not cover, and those that groups reject.
#include "booster/group/group_cases.h"

namespace kauri {
namespace {

using namespace group_test;

TEST(GroupLosses, OfNumbersAndOfTwoClasses) {
  std::vector<std::pair<std::string, std::vector<std::string>>> const losses{
      {"reg:huber", {"huber", "mape"}},     {"reg:fair", {"fair", "r2"}}, {"reg:mape", {"mae", "rmsle"}},
      {"binary:focal", {"focal", "aucpr"}}, {"binary:logitraw", {"auc"}}, {"binary:exponential", {"exploss", "error"}},
      {"reg:logistic", {"rmse", "logloss"}}};
  for (auto const& [name, metrics] : losses) {
    auto const is_of_classes = name.find("binary") == 0 || name == "reg:logistic";
    auto table = MakeTable(kRows, is_of_classes ? 2 : 3, 46);
    for (auto& label : table.labels) label += name == "reg:mape" ? 1.0F : 0.0F;
    Params params{{"objective", name}, {"max_depth", "4"}, {"subsample", "0.8"}};
    for (auto const& metric : metrics) params.emplace_back("eval_metric", metric);
    ExpectSame({name, params, table}, {Contiguous(kRows, 3), RandomRuns(kRows, 4, 47), OnLast(kRows, 2)});
  }
}

TEST(GroupLosses, AreasBetweenClasses) {
  Params const params{{"objective", "multi:softmax"}, {"num_class", "3"}, {"eval_metric", "auc_mu"}};
  ExpectSame({"auc_mu", params, MakeTable(kRows, 3, 48)}, {Contiguous(kRows, 3), Scattered(kRows, 2, 49)});
}

/// Objectives that need all rows fail on every rank with a message that names the cure.
TEST(GroupLosses, WhatNeedsAllRowsIsRefused) {
  auto table = MakeTable(300, 2, 50);
  table.types = {"float", "float", "float", "c", "float", "float"};
  std::vector<std::pair<Params, std::string>> const refused{
      {{{"tree_method", "exact"}}, "tree_method=hist"},
      {{{"booster", "gblinear"}}, "gbtree"},
      {{{"linear_tree", "1"}}, "linear_tree=0"},
      {{{"categorical_encoding", "ordered"}, {"objective", "binary:logistic"}}, "categorical_encoding"}};
  auto const partition = Contiguous(300, 2);
  for (auto const& [params, cure] : refused) {
    auto const errors = RunRanks(2, [&, &params = params](Collective* group) {
      auto const mine = MakeMatrix(table, partition[static_cast<std::size_t>(group->Rank())], true);
      Train(group, params, 1, mine, mine);
    });
    for (auto const& error : errors) EXPECT_NE(error.find(cure), std::string::npos) << cure << ": " << error;
  }
}

}  // namespace
}  // namespace kauri
