#include "engine/resolution_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace kauri {
namespace {

constexpr GradientUnit kUnit{1.0, 1.0};

std::vector<GradientPair> Pairs(float step, float hessian, std::size_t n = 100) {
  std::vector<GradientPair> pairs;
  for (std::size_t i = 0; i < n; ++i) pairs.push_back({step * static_cast<float>(i % 7), hessian});
  return pairs;
}

TEST(ResolutionWatch, RoundsThatArePowersOfTwoAreDue) {
  ResolutionWatch watch;
  std::vector<std::int64_t> due;
  for (std::int64_t iteration = 0; iteration < 20; ++iteration) {
    auto const first = watch.IsDue(iteration);
    EXPECT_EQ(watch.IsDue(iteration), first) << "the second tree of round " << iteration;
    if (first) due.push_back(iteration);
  }
  EXPECT_EQ(due, (std::vector<std::int64_t>{0, 1, 3, 7, 15}));
}

TEST(ResolutionWatch, OfGradientsByTheCallerOnlyTheFirstRounds) {
  ResolutionWatch watch;
  watch.Expect(true);
  for (std::int64_t iteration = 0; iteration < 20; ++iteration) {
    EXPECT_EQ(watch.IsDue(iteration), iteration == 0 || iteration == 1 || iteration == 3) << iteration;
  }
}

TEST(ResolutionWatch, SeesWhatRoundingLoses) {
  EXPECT_FALSE(LosesGradients(Pairs(2.0F, 4.0F), kUnit));
  EXPECT_TRUE(LosesGradients(Pairs(0.01F, 4.0F), kUnit));  // differences below a unit
  EXPECT_TRUE(LosesGradients(Pairs(2.0F, 0.1F), kUnit));   // hessians below half a unit
  EXPECT_FALSE(LosesGradients(Pairs(2.0F, 0.0F), kUnit));  // there are none to lose
  EXPECT_FALSE(LosesGradients(Pairs(0.01F, 4.0F, 4), kUnit)) << "too few to say";
}

TEST(ResolutionWatch, WatchesSomeRowsFromFirstToLast) {
  EXPECT_EQ(NumWatchedRows(5), 5);
  EXPECT_EQ(NumWatchedRows(1000000), 512);
  EXPECT_EQ(WatchedRow(0, 1000000), 0);
  EXPECT_EQ(WatchedRow(511, 1000000), 998046);
}

}  // namespace
}  // namespace kauri
