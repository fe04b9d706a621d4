#include "tree/split_gain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/random_matrix.h"

namespace kauri {
namespace {

/// Uses units of 1/4 and 1/8: gradient = integer / 4, hessian = integer / 8.
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
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0, 0.0, 50.0)), 9.0 / 4.0);         // the limit is not reached: the usual gain
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0, 1.0, 50.0)), 1.0);               // 2^2 / 4, the same as without the limit
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0, 1.0, 0.25)), 1.5 - 0.25 - 0.5);  // 2 * 3 w - 4 w^2 - 2 * 1 w at w = 0.25
  EXPECT_EQ(LeafGain(sum, MakeParam(1.0, 4.0, 0.25)), 0.0);
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

TEST(SplitGain, BoundsByHand) {
  FixedSum const low{12, 24};    // G = 3, H = 3: weight -0.75
  FixedSum const high{-12, 24};  // weight 0.75
  auto param = MakeParam(1.0);
  EXPECT_EQ(SplitGain(low, high, param, {}, 1), 2.0 * 9.0 / 4.0);
  // no monotone constraints: the limits are ignored
  EXPECT_EQ(SplitGain(low, high, param, {-0.5, 0.5}, -1), 2.0 * 9.0 / 4.0);
  param.monotone = true;
  EXPECT_EQ(NodeWeight(high, param, {-0.5, 0.5}), 0.5);
  EXPECT_EQ(NodeWeight(low, param, {-0.5, 0.5}), -0.5);
  EXPECT_EQ(NodeWeight(low, param, {}), -0.75);
  EXPECT_EQ(NodeGain(high, param, {}), 9.0 / 4.0);
  EXPECT_EQ(NodeGain(high, param, {-0.5, 0.5}), 2.0 * 3.0 * 0.5 - 4.0 * 0.25);
  EXPECT_EQ(NodeGain(low, param, {1.0, 2.0}), -(2.0 * 3.0 * 1.0 + 4.0 * 1.0));  // forced to the wrong side: a loss
  EXPECT_EQ(NodeGain({-12, 0}, param, {}), 0.0);
  EXPECT_EQ(SplitGain(low, high, param, {-0.5, 0.5}, 1), 4.0);
  EXPECT_EQ(SplitGain(low, high, param, {-0.5, 0.5}, 0), 4.0);
  EXPECT_EQ(SplitGain(low, high, param, {-0.5, 0.5}, -1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(SplitGain(high, low, param, {}, 1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(SplitGain(high, low, param, {1.0, 2.0}, 1), SplitGain(high, low, param, {1.0, 2.0}, 0));  // both at 1
}

/// Returns limits of all kinds and sums of all sizes, mostly with a gradient close to alpha, so that the remainder is
/// tiny.
GainParam RandomParam(testing::Random* random) {
  auto param = MakeParam(random->Below(3), random->Below(3) * 0.7, random->Below(2) * 0.3);
  if (random->Below(3) == 0) param.max_delta_step *= 1e-9;
  if (random->Below(3) == 0) param.alpha = 0x1p40;
  param.monotone = random->Below(2) == 1;
  return param;
}

FixedSum RandomSum(testing::Random* random, GainParam const& param) {
  auto const apart = static_cast<std::int64_t>(random->Below(2000)) - 1000;
  auto const most = static_cast<std::int64_t>(param.alpha / param.unit.gradient);
  auto const gradient = random->Below(2) == 0 ? most + apart : -most + apart;
  return {random->Below(3) == 0 ? apart : gradient, 1 + random->Below(100)};
}

double Quotient(FixedSum sum, GainParam const& param) {
  auto const gradient = ThresholdL1(GradientOf(sum, param), param.alpha);
  return gradient * gradient / (HessianOf(sum, param) + param.lambda);
}

/// The screening bound is never below the gain of any weight, even with the rounding of large opposite terms.
TEST(SplitGain, ScreeningPassesOverNothing) {
  testing::Random random(9);
  for (int trial = 0; trial < 100000; ++trial) {
    auto const param = RandomParam(&random);
    auto const left = RandomSum(&random, param);
    auto const right = RandomSum(&random, param);
    auto const scale = std::exp2(static_cast<double>(random.Below(80)) - 60.0);
    WeightBounds const bounds{-scale * random.Uniform(), scale * (random.Uniform() - 0.3)};
    auto const node_gain = NodeGain(left + right, param, bounds);
    auto const loss = SplitGain(left, right, param, bounds, static_cast<int>(random.Below(3)) - 1) - node_gain;
    if (std::isinf(loss)) continue;
    ASSERT_GE(Quotient(left, param) + Quotient(right, param), ScreeningBound(loss, node_gain)) << trial;
    for (auto const sum : {left, right}) {
      auto const weight = scale * (random.Uniform() - 0.5);
      ASSERT_LE(GainOfWeight(sum, weight, param), Quotient(sum, param) * (1.0 + 1e-14)) << trial;
    }
  }
}

/// Compares the gain with the penalised loss at the best allowed weight, found by a fine search.
TEST(SplitGain, GainIsThatOfTheBestAllowedWeight) {
  testing::Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    auto param = MakeParam(random.Below(3), random.Below(3) * 0.7, random.Below(2) * 0.3);
    param.monotone = true;
    auto const sum = FixedSum{static_cast<std::int64_t>(random.Below(200)) - 100, 1 + random.Below(100)};
    WeightBounds const bounds{-random.Uniform(), random.Uniform()};
    auto const step = param.max_delta_step > 0.0 ? param.max_delta_step : kInfinity;
    auto const lower = std::max(bounds.lower, -step);
    auto const upper = std::min(bounds.upper, step);
    auto best = -kInfinity;
    constexpr int kSteps = 4000;
    for (int i = -1; i <= kSteps; ++i) {
      auto const weight = i < 0 ? 0.0 : lower + (upper - lower) * i / kSteps;  // includes alpha's kink
      auto const curve = (HessianOf(sum, param) + param.lambda) * weight * weight;
      best = std::max(best, -2.0 * GradientOf(sum, param) * weight - curve - 2.0 * param.alpha * std::fabs(weight));
    }
    EXPECT_NEAR(NodeGain(sum, param, bounds), best, 1e-4) << trial;
    EXPECT_GE(NodeGain(sum, param, bounds), best - 1e-12) << trial;
  }
}

/// Limits that do not apply change no bit, so ties and near-ties stay the same.
TEST(SplitGain, LimitsThatClipNothingLeaveTheBits) {
  testing::Random random(12);
  for (int trial = 0; trial < 20000; ++trial) {
    auto const param = MakeParam(random.Uniform() * 3.0, random.Below(2) * random.Uniform());
    auto stepped = param;
    stepped.max_delta_step = 1e10;
    auto monotone = param;
    monotone.monotone = true;
    auto const left = FixedSum{static_cast<std::int64_t>(random.Below(2000)) - 1000, 1 + random.Below(100)};
    auto const right = FixedSum{static_cast<std::int64_t>(random.Below(2000)) - 1000, 1 + random.Below(100)};
    for (auto const& limited : {stepped, monotone}) {
      ASSERT_EQ(SplitGain(left, right, limited, {}, 0), SplitGain(left, right, param, {}, 0)) << trial;
      ASSERT_EQ(NodeGain(left, limited, {}), NodeGain(left, param, {})) << trial;
      ASSERT_EQ(NodeWeight(left, limited, {}), NodeWeight(left, param, {})) << trial;
    }
  }
}

std::vector<SplitCandidate> ManyCandidates() {
  testing::Random random(3);
  std::vector<SplitCandidate> candidates(1);  // an invalid candidate
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
