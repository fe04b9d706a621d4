#include "tree/split_gain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support/random_matrix.h"

namespace kauri {
namespace {

/// Units of 1/4 and 1/8: gradient = integer / 4, hessian = integer / 8.
GainParam MakeParam(double lambda, double alpha = 0.0, double max_delta_step = 0.0, double min_child_weight = 0.0) {
  return {lambda, alpha, max_delta_step, min_child_weight, {0.25, 0.125}};
}

TEST(SplitGain, WeightAndGainByHand) {
  FixedSum const sum{-12, 24};  // G = -3, H = 3
  EXPECT_EQ(LeafWeight(sum, MakeParam(1.0)), 3.0 / 4.0);
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0)), 9.0 / 4.0);
  EXPECT_EQ(LeafWeight(sum, MakeParam(1.0, 1.0)), 2.0 / 4.0);
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0, 1.0)), 4.0 / 4.0);
  EXPECT_EQ(LeafWeight(sum, MakeParam(1.0, 4.0)), 0.0);
  EXPECT_EQ(LeafWeight({12, 24}, MakeParam(0.0)), -1.0);
}

TEST(SplitGain, MaxDeltaStepClipsTheWeight) {
  FixedSum const sum{-12, 24};
  EXPECT_EQ(LeafWeight(sum, MakeParam(1.0, 0.0, 0.5)), 0.5);
  EXPECT_EQ(LeafWeight({12, 24}, MakeParam(1.0, 0.0, 0.5)), -0.5);
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0, 0.0, 0.5)), 2.0 * 3.0 * 0.5 - 4.0 * 0.25);
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0, 0.0, 50.0)), 9.0 / 4.0);  // not reached: the usual gain
  // With alpha the clipped weight is the thresholded one, but the gradient stays raw: w = 0.5, 2 * 3 * 0.5 - 4 * 0.25.
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0, 1.0, 50.0)), 2.0);
}

TEST(SplitGain, SmallHessians) {
  EXPECT_EQ(LeafWeight({-12, 24}, MakeParam(1.0, 0.0, 0.0, 3.5)), 0.0);
  EXPECT_EQ(LeafWeight({-12, 24}, MakeParam(1.0, 0.0, 0.0, 3.0)), 0.75);
  EXPECT_EQ(LeafGain({-12, 0}, MakeParam(1.0)), 0.0);
  EXPECT_EQ(LeafGain({-12, -8}, MakeParam(3.0)), 0.0);
  EXPECT_TRUE(HasEnoughHessian({0, 8}, MakeParam(0.0, 0.0, 0.0, 1.0)));
  EXPECT_FALSE(HasEnoughHessian({0, 7}, MakeParam(0.0, 0.0, 0.0, 1.0)));
  EXPECT_FALSE(HasEnoughHessian({0, 0}, MakeParam(0.0)));
}

std::vector<SplitCandidate> ManyCandidates() {
  testing::Random random(3);
  std::vector<SplitCandidate> candidates(1);  // an invalid one
  for (int i = 0; i < 60; ++i) {
    SplitCandidate candidate;
    candidate.loss_change = random.Below(3);
    candidate.feature = random.Below(3);
    candidate.threshold = static_cast<float>(random.Below(3));
    candidate.default_left = random.Below(2) == 1;
    candidates.push_back(candidate);
  }
  return candidates;
}

bool IsSame(SplitCandidate const& a, SplitCandidate const& b) { return !IsBetter(a, b) && !IsBetter(b, a); }

TEST(SplitGain, IsBetterIsATotalOrder) {
  auto const all = ManyCandidates();
  for (auto const& a : all) {
    for (auto const& b : all) {
      EXPECT_FALSE(IsBetter(a, b) && IsBetter(b, a));
      if (IsSame(a, b)) {
        EXPECT_TRUE(a.feature == b.feature && a.threshold == b.threshold && a.default_left == b.default_left);
      }
      for (auto const& c : all) {
        if (IsBetter(a, b) && IsBetter(b, c)) {
          EXPECT_TRUE(IsBetter(a, c));
        }
      }
    }
  }
}

TEST(SplitGain, TiesInOrder) {
  SplitCandidate const low{1.0, 2, 0.5F, false, {}, {}};
  SplitCandidate const high{1.0, 2, 1.5F, false, {}, {}};
  SplitCandidate const low_left{1.0, 2, 0.5F, true, {}, {}};
  SplitCandidate const high_left{1.0, 2, 1.5F, true, {}, {}};
  SplitCandidate const other_feature{1.0, 3, 0.0F, false, {}, {}};
  std::vector<SplitCandidate> const best_first{
      {2.0, 9, 0.0F, true, {}, {}}, low, high, high_left, low_left, other_feature, {}};
  for (std::size_t i = 0; i < best_first.size(); ++i) {
    for (std::size_t j = 0; j < best_first.size(); ++j) EXPECT_EQ(IsBetter(best_first[i], best_first[j]), i < j);
  }
}

TEST(SplitGain, MidpointSeparatesItsNeighbours) {
  EXPECT_EQ(MidpointThreshold(1.0F, 2.0F), 1.5F);
  auto const max = std::numeric_limits<float>::max();
  auto const tiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> values{-max, -1.0F, -2.0F * tiny, -tiny, 0.0F, tiny, 2.0F * tiny, 3.0F * tiny, 1.0F, 1e30F, max};
  for (auto const value : std::vector<float>{-1.0F, 1.0F, 1e-38F, 1e30F}) values.push_back(std::nextafter(value, max));
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      auto const middle = MidpointThreshold(values[i], values[j]);
      EXPECT_TRUE(values[i] < middle && middle <= values[j]) << values[i] << " " << values[j] << " " << middle;
    }
  }
}

}  // namespace
}  // namespace kauri
