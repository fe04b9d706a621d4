#include "engine/training_data.h"

#include <gtest/gtest.h>

namespace kauri {
namespace {

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

TEST(TrainingData, OnePairForEveryRowAndOutput) {
  EXPECT_NO_THROW(CheckGradientCount(6, 3, 2));
  EXPECT_THROW(CheckGradientCount(5, 3, 2), Error);
}

}  // namespace
}  // namespace kauri
