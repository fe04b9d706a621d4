/// A group of ranks that train with device=cuda: the models, and the lines of evaluations, are the same as in one
/// process on the device. The ranks are threads that share the available devices.
#include "booster/booster_fixture.h"
#include "booster/group/group_cases.h"
#include "support/device_fixture.h"

namespace kauri::group_test {
namespace {

using testing::DeviceTest;

class GroupOnDevice : public DeviceTest {
 protected:
  static Params With(Params params) {
    params.emplace_back("device", "cuda");
    return params;
  }
  static void Expect(std::string const& name, Params const& params, Table const& table,
                     std::vector<Partition> const& partitions) {
    ExpectSame({name, With(params), table}, partitions, 3);
  }
};

Partition const kThree = Contiguous(kRows, 3);
Partition const kFour = RandomRuns(kRows, 4, 5);

TEST_F(GroupOnDevice, AnyPartition) {
  Expect("squared error", {{"max_depth", "5"}, {"max_bin", "32"}}, MakeTable(kRows, 0, 1), Partitions(kRows));
}

TEST_F(GroupOnDevice, GrowthAndSampling) {
  std::vector<std::pair<std::string, Params>> const kinds{
      {"lossguide", {{"grow_policy", "lossguide"}, {"max_leaves", "17"}, {"max_depth", "0"}}},
      {"counted rows", {{"min_data_in_leaf", "25"}, {"max_depth", "6"}}},
      {"counted rows, one by one", {{"min_data_in_leaf", "9"}, {"grow_policy", "lossguide"}, {"max_leaves", "20"}}},
      {"smooth", {{"path_smooth", "4"}, {"subsample", "0.7"}}},
      {"drawn", {{"subsample", "0.5"}, {"colsample_bytree", "0.7"}, {"colsample_bynode", "0.7"}}},
      {"drawn by gradients", {{"subsample", "0.4"}, {"sampling_method", "gradient_based"}}},
      {"weighed", {{"bagging_temperature", "0.6"}}},
      {"rounded", {{"gradient_bits", "8"}, {"subsample", "0.8"}}},
      {"rounded to 4 bits", {{"gradient_bits", "4"}, {"grow_policy", "lossguide"}, {"max_leaves", "20"}}},
      {"noise", {{"random_strength", "2"}, {"max_depth", "6"}, {"subsample", "0.7"}}},
      {"noise, one by one", {{"random_strength", "1"}, {"grow_policy", "lossguide"}, {"max_leaves", "20"}}},
      {"symmetric", {{"grow_policy", "symmetric"}, {"max_depth", "5"}, {"colsample_bylevel", "0.7"}}},
      {"symmetric, with noise", {{"grow_policy", "symmetric"}, {"random_strength", "2"}, {"min_data_in_leaf", "9"}}},
      {"drawn thresholds", {{"extra_trees", "true"}, {"max_depth", "6"}}},
      {"dart", {{"booster", "dart"}, {"rate_drop", "0.5"}}},
      {"forest", {{"num_parallel_tree", "3"}, {"subsample", "0.6"}}},
      {"monotone", {{"monotone_constraints", "(1,0,-1,0,0,0)"}}},
      {"many bins", {{"max_bin", "700"}}}};
  for (auto const& [name, params] : kinds) Expect(name, params, MakeTable(kRows, 0, 2), {kThree, kFour});
}

TEST_F(GroupOnDevice, Objectives) {
  for (std::string const name : {"reg:squarederror", "binary:logistic", "reg:absoluteerror", "reg:quantileerror",
                                 "reg:huber", "reg:mape", "binary:focal"}) {
    auto const is_binary = name.rfind("binary", 0) == 0;
    Params params{{"objective", name}};
    if (name == "reg:quantileerror") params.emplace_back("quantile_alpha", "0.7");
    Expect(name, params, MakeTable(kRows, is_binary ? 2 : 0, 3), {kThree, kFour});
  }
  Expect("classes", {{"objective", "multi:softprob"}, {"num_class", "4"}}, MakeTable(kRows, 4, 5), {kThree, kFour});
}

TEST_F(GroupOnDevice, WeightsCategoriesAndSparseRows) {
  auto weighed = MakeTable(kRows, 2, 6);
  for (std::int64_t row = 0; row < kRows; ++row) weighed.weights.push_back(static_cast<float>(row % 4));
  Expect("weights", {{"objective", "binary:logistic"}}, weighed, Partitions(kRows));
  auto categories = MakeTable(kRows, 2, 7);
  for (std::size_t cell = 3; cell < categories.values.size(); cell += 6) {
    if (!std::isnan(categories.values[cell])) categories.values[cell] = static_cast<float>((cell / 6 * 7) % 11);
  }
  categories.types = {"float", "float", "float", "c", "float", "float"};
  Expect("categories", {{"objective", "binary:logistic"}}, categories, Partitions(kRows));
  auto sparse = MakeTable(kRows, 0, 8);
  sparse.sparse = true;
  Expect("sparse rows", {}, sparse, Partitions(kRows));
}

TEST_F(GroupOnDevice, WhatItCannotLearnIsNamed) {
  auto const table = MakeTable(60, 3, 9);
  std::vector<std::pair<Params, std::string>> const refused{
      {{{"tree_method", "exact"}}, "tree_method=gpu_exact"},
      {{{"tree_method", "approx"}}, "tree_method=gpu_approx"},
      {{{"objective", "multi:softprob"}, {"num_class", "3"}, {"multi_strategy", "multi_output_tree"}},
       "multi_strategy=multi_output_tree"}};
  for (auto const& [params, part] : refused) {
    auto const errors = RunRanks(2, [&](Collective* group) {
      auto const mine = MakeMatrix(table, Contiguous(60, 2)[static_cast<std::size_t>(group->Rank())], true);
      Train(group, With(params), 1, mine, mine);
    });
    for (auto const& error : errors) {
      EXPECT_NE(error.find("with device=cuda distributed training needs tree_method=hist"), std::string::npos) << error;
      EXPECT_NE(error.find(part), std::string::npos) << error;
    }
  }
}

/// Returns the file of a model that ranks train, each on a device of its own.
std::string ModelOf(Collective* group, std::string const& device, Params const& params,
                    std::shared_ptr<DataMatrix> const& data) {
  Learner learner;
  for (auto const& [name, value] : params) learner.SetParam(name, value);
  learner.SetParam("device", device);
  if (group != nullptr) learner.SetCollective(std::shared_ptr<Collective>(std::shared_ptr<void>(), group));
  for (int round = 0; round < 4; ++round) learner.BoostRound(data, round);
  return testing::Bytes(&learner);
}

TEST_F(GroupOnDevice, ADeviceForEachRank) {
  int n_devices = 0;
  cudaGetDeviceCount(&n_devices);
  KAURI_SKIP_UNLESS(n_devices >= 2, "one CUDA device");
  std::vector<Params> const kinds{{{"max_depth", "6"}},
                                  {{"objective", "reg:absoluteerror"}, {"min_data_in_leaf", "7"}},
                                  {{"grow_policy", "lossguide"}, {"max_leaves", "40"}, {"subsample", "0.6"}}};
  for (auto const& params : kinds) {
    auto const table = MakeTable(kRows, 0, 12);
    auto const alone = ModelOf(nullptr, "cpu", params, MakeMatrix(table, AllRows(kRows), false));
    auto const errors = RunRanks(n_devices, [&](Collective* group) {
      auto const rank = group->Rank();
      auto const mine = MakeMatrix(table, RandomRuns(kRows, n_devices, 3)[static_cast<std::size_t>(rank)], true);
      EXPECT_TRUE(ModelOf(group, "cuda:" + std::to_string(rank), params, mine) == alone) << params[0].second;
    });
    for (auto const& error : errors) EXPECT_EQ(error, "");
  }
}

/// An infinite base margin on one rank ends the training of all ranks with an error.
TEST_F(GroupOnDevice, AFailureOnOneRankReachesAll) {
  auto table = MakeTable(kRows, 0, 10);
  table.base_margin.assign(static_cast<std::size_t>(kRows), 0.0F);
  table.base_margin[700] = std::numeric_limits<float>::infinity();
  auto const errors = RunRanks(3, [&](Collective* group) {
    auto const mine = MakeMatrix(table, kThree[static_cast<std::size_t>(group->Rank())], true);
    Train(group, With({}), 2, mine, mine);
  });
  for (auto const& error : errors) EXPECT_NE(error, "");
}

}  // namespace
}  // namespace kauri::group_test
