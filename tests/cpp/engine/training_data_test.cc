#include "engine/training_data.h"

#include <gtest/gtest.h>

#include "kauri/registry.h"

namespace kauri {
namespace {

std::unique_ptr<Objective> MakeObjective(std::string const& name) {
  return GetRegistries().objectives.Find(name).make({});
}

TEST(TrainingData, AStateIsKeptUntilAnotherKeyIsAskedFor) {
  TrainingData training;
  int n_made = 0;
  auto const make = [&] {
    ++n_made;
    return std::make_unique<BuildState>();
  };
  auto* const first = training.StateFor("exact", make);
  EXPECT_EQ(training.StateFor("exact", make), first);
  EXPECT_EQ(n_made, 1);
  training.StateFor("hist", make);
  EXPECT_EQ(n_made, 2);
}

TEST(TrainingData, OnlySomeObjectivesSetLeaves) {
  TrainingData training;
  EXPECT_FALSE(training.ExpectGradientsOf(*MakeObjective("reg:squarederror"), 1));
  EXPECT_FALSE(training.SetsLeaves(0));
  EXPECT_TRUE(training.ExpectGradientsOf(*MakeObjective("reg:absoluteerror"), 2));
  EXPECT_TRUE(training.SetsLeaves(1));
  EXPECT_FALSE(training.SetsLeaves(2));
  training.ExpectGradientsOfCaller();
  EXPECT_FALSE(training.SetsLeaves(0));
}

TEST(TrainingData, ALeafBecomesTheMedianOfItsResiduals) {
  TrainingData training;
  training.ExpectGradientsOf(*MakeObjective("reg:absoluteerror"), 1);
  training.KeepMargins({0.0F, 1.0F, 1.0F});
  MetaInfo info;
  info.n_rows = 3;
  info.labels = {1.0F, 3.0F, 9.0F};
  auto param = ParseParameters<TreeParam>({{"eta", "0.5"}});
  RoundTree round;
  Tree tree;
  std::vector<std::int32_t> const leaf_of_row(3, 0);
  EXPECT_THROW(training.SetLeaves(Context(), info, {round, 0, {}, leaf_of_row}, &tree), Error);
  round.param = &param;
  training.SetLeaves(Context(), info, {round, 0, {}, leaf_of_row}, &tree);
  EXPECT_EQ(tree.split_value[0], 1.0F);  // half of 2
}

TEST(TrainingData, OnePairForEveryRowAndOutput) {
  EXPECT_NO_THROW(CheckGradientCount(6, 3, 2));
  EXPECT_THROW(CheckGradientCount(5, 3, 2), Error);
}

}  // namespace
}  // namespace kauri
