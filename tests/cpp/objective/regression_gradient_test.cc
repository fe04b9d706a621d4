/// Gradients of the regression losses, compared with differences of the losses (long double).
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "objective_fixture.h"

namespace kauri {
namespace {

using Real = long double;
using Loss = Real (*)(Real margin, Real label);

std::vector<float> const kMargins{-3.0F, -0.75F, -0.5F, 0.0F, 0.25F, 0.9F, 2.5F, 6.0F};

struct Case {
  std::string objective;
  ParamMap params;
  Loss loss;
  std::vector<float> labels;
};

std::vector<Case> Cases() {
  std::vector<float> const any{-7.5F, -0.4F, 0.0F, 0.3F, 1.0F, 42.0F};
  std::vector<float> const positive{0.01F, 0.7F, 3.0F, 42.0F};
  return {{"reg:pseudohubererror", {}, [](Real m, Real y) { return std::sqrt(1 + (m - y) * (m - y)) - 1; }, any},
          {"reg:pseudohubererror",
           {{"huber_slope", "2.5"}},
           [](Real m, Real y) { return 6.25L * (std::sqrt(1 + (m - y) * (m - y) / 6.25L) - 1); },
           any},
          {"reg:expectileerror",
           {{"expectile_alpha", "0.125"}},
           [](Real m, Real y) { return (m < y ? 0.125L : 0.875L) * (m - y) * (m - y) / 2; },
           {-7.3F, 0.1F, 8.0F}},
          {"reg:gamma", {}, [](Real m, Real y) { return m + y * std::exp(-m); }, positive},
          {"reg:tweedie",
           {},
           [](Real m, Real y) { return std::exp(m / 2) / 0.5L + y * std::exp(-m / 2) / 0.5L; },
           {0.0F, 0.7F, 42.0F}},
          {"reg:tweedie",
           {{"tweedie_variance_power", "1.25"}},
           [](Real m, Real y) { return std::exp(0.75L * m) / 0.75L + y * std::exp(-0.25L * m) / 0.25L; },
           {0.0F, 0.7F, 42.0F}}};
}

TEST(RegressionGradient, IsTheDerivativeOfTheLoss) {
  Real const h = 1e-4L;
  for (auto const& given : Cases()) {
    auto const objective = MakeObjective(given.objective, given.params);
    for (auto const label : given.labels) {
      for (auto const margin : kMargins) {
        auto const pair = GradientsOf(*objective, {margin}, MakeInfo({label}))[0];
        Real const up = given.loss(margin + h, label);
        Real const middle = given.loss(margin, label);
        Real const down = given.loss(margin - h, label);
        auto const gradient = static_cast<double>((up - down) / (2 * h));
        auto const hessian = static_cast<double>((up - 2 * middle + down) / (h * h));
        EXPECT_NEAR(pair.gradient, gradient, 1e-6 * (1.0 + std::fabs(gradient))) << given.objective << " " << label;
        EXPECT_NEAR(pair.hessian, hessian, 1e-6 * (1.0 + std::fabs(hessian))) << given.objective << " " << label;
        auto const weighted = GradientsOf(*objective, {margin}, MakeInfo({label}, {2.0F}))[0];
        EXPECT_EQ(weighted.gradient, 2.0F * pair.gradient) << given.objective;
        EXPECT_EQ(weighted.hessian, 2.0F * pair.hessian) << given.objective;
      }
    }
  }
}

TEST(RegressionGradient, SquaredLogHasAFloorForItsHessianAndItsMargin) {
  auto const objective = MakeObjective("reg:squaredlogerror");
  Loss const loss = [](Real m, Real y) { return std::pow(std::log1p(m) - std::log1p(y), 2) / 2; };
  Real const h = 1e-4L;
  for (float const label : {-0.5F, 0.0F, 0.3F, 42.0F}) {
    for (float const margin : {-0.75F, -0.5F, 0.0F, 0.25F, 0.9F, 2.5F, 600.0F}) {
      auto const pair = GradientsOf(*objective, {margin}, MakeInfo({label}))[0];
      auto const gradient = static_cast<double>((loss(margin + h, label) - loss(margin - h, label)) / (2 * h));
      auto const curvature = (loss(margin + h, label) - 2 * loss(margin, label) + loss(margin - h, label)) / (h * h);
      auto const hessian = std::max(static_cast<double>(curvature), 1e-6);
      EXPECT_NEAR(pair.gradient, gradient, 1e-6 * (1.0 + std::fabs(gradient))) << margin;
      EXPECT_NEAR(pair.hessian, hessian, 1e-6 * (1.0 + std::fabs(hessian))) << margin;
    }
  }
  auto const below = GradientsOf(*objective, {-5.0F, -1.0F + 1e-6F}, MakeInfo({1.0F, 1.0F}));
  EXPECT_EQ(below[0].gradient, below[1].gradient);
  EXPECT_TRUE(std::isfinite(below[0].gradient) && below[0].gradient < 0.0F);
}

TEST(RegressionGradient, Hinge) {
  auto const objective = MakeObjective("binary:hinge");
  auto const info = MakeInfo({1.0F, 1.0F, 1.0F, 0.0F, 0.0F, 0.0F}, {3.0F, 3.0F, 3.0F, 3.0F, 3.0F, 3.0F});
  auto const pairs = GradientsOf(*objective, {-2.0F, 0.5F, 1.0F, 2.0F, -0.5F, -1.0F}, info);
  std::vector<float> const gradients{-3.0F, -3.0F, 0.0F, 3.0F, 3.0F, 0.0F};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].gradient, gradients[i]) << i;
    EXPECT_EQ(pairs[i].hessian, std::fabs(gradients[i])) << i;
  }
  std::vector<float> values{-0.5F, 0.0F, 1e-9F, 3.0F};
  objective->TransformMargins(Context{}, values, 1);
  EXPECT_EQ(values, (std::vector<float>{0.0F, 0.0F, 1.0F, 1.0F}));
}

TEST(RegressionGradient, GammaScalesRowsOfLabelOne) {
  auto const info = MakeInfo({0.5F, 1.0F});
  auto const plain = GradientsOf(*MakeObjective("reg:gamma"), {0.3F, 0.3F}, info);
  auto const scaled = GradientsOf(*MakeObjective("reg:gamma", {{"scale_pos_weight", "4"}}), {0.3F, 0.3F}, info);
  EXPECT_EQ(scaled[0].gradient, plain[0].gradient);
  EXPECT_EQ(scaled[1].gradient, 4.0F * plain[1].gradient);
  EXPECT_EQ(scaled[1].hessian, 4.0F * plain[1].hessian);
}

Real SoftPlusOf(Real x) { return std::log1p(std::exp(x)); }

/// Returns the loss of a row, with the values for all alphas computed from the margins.
Real ExpectilesLoss(std::vector<Real> const& margins, std::vector<Real> const& alphas, Real label) {
  Real value = 0;
  Real loss = 0;
  for (std::size_t k = 0; k < margins.size(); ++k) {
    value = k == 0 ? margins[0] : value + SoftPlusOf(margins[k]);
    loss += (value < label ? alphas[k] : 1 - alphas[k]) * (value - label) * (value - label) / 2;
  }
  return loss;
}

TEST(SeveralExpectiles, GradientsOfAllMargins) {
  std::vector<Real> const alphas{0.125L, 0.5L, 0.75L};
  auto const objective = MakeObjective("reg:expectileerror", {{"expectile_alpha", "(0.125,0.5,0.75)"}});
  Real const h = 1e-4L;
  for (float const label : {-3.0F, 0.9F, 4.0F}) {
    std::vector<float> const margins{0.3F, -0.5F, 1.5F};
    auto const pairs = GradientsOf(*objective, margins, MakeInfo({label}));
    Real value = margins[0];
    std::vector<Real> shares;
    for (std::size_t k = 0; k < 3; ++k) {
      if (k > 0) value += SoftPlusOf(margins[k]);
      shares.push_back(value < label ? alphas[k] : 1 - alphas[k]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<Real> up(margins.begin(), margins.end());
      auto down = up;
      up[k] += h;
      down[k] -= h;
      auto const gradient =
          static_cast<double>((ExpectilesLoss(up, alphas, label) - ExpectilesLoss(down, alphas, label)) / (2 * h));
      EXPECT_NEAR(pairs[k].gradient, gradient, 1e-6 * (1.0 + std::fabs(gradient))) << k;
      Real const slope = k == 0 ? 1 : 1 / (1 + std::exp(-static_cast<Real>(margins[k])));
      Real hessian = 0;
      for (std::size_t later = k; later < 3; ++later) hessian += shares[later] * slope * slope;
      EXPECT_NEAR(pairs[k].hessian, static_cast<double>(hessian), 1e-6) << k;
    }
  }
}

TEST(SeveralExpectiles, ValuesAscendAndStartAtTheBaseScores) {
  auto const objective = MakeObjective("reg:expectileerror", {{"expectile_alpha", "[0.1,0.5,0.9]"}});
  auto values = RandomValues(3 * 1000, -20.0F, 20.0F, 3);
  objective->TransformMargins(Context{}, values, 3);
  for (std::size_t i = 0; i < values.size(); i += 3) {
    EXPECT_LE(values[i], values[i + 1]);
    EXPECT_LE(values[i + 1], values[i + 2]);
  }
  std::vector<float> const scores{-2.0F, 0.25F, 700.0F};
  auto start = objective->StartMargins(scores);
  objective->TransformMargins(Context{}, start, 3);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(start[k], scores[k]);
  auto equal = objective->StartMargins({1.0F, 1.0F, 0.5F});
  objective->TransformMargins(Context{}, equal, 3);
  for (auto const value : equal) EXPECT_NEAR(value, 1.0F, 1e-5F);
}

TEST(RegressionGradient, SameBitsForAnyThreadCountAndVectorWidth) {
  std::size_t const n = 3 * 4096 + 39;
  auto const labels = RandomValues(n, 0.01F, 4.0F, 5);
  auto const weights = RandomValues(n, 0.0F, 2.0F, 6);
  auto const margins = RandomValues(n, -0.9F, 20.0F, 4);
  auto const info = MakeInfo(labels, weights);
  for (auto const* name :
       {"reg:squaredlogerror", "reg:pseudohubererror", "reg:huber", "reg:fair", "reg:absoluteerror", "reg:mape",
        "reg:quantileerror", "reg:expectileerror", "reg:gamma", "reg:tweedie", "binary:hinge", "binary:focal"}) {
    auto const objective = MakeObjective(name, {{"quantile_alpha", "0.3"}, {"expectile_alpha", "0.3"}});
    auto const pairs = GradientsOf(*objective, margins, info);
    auto const same = [&](std::vector<GradientPair> const& other) {
      return std::memcmp(pairs.data(), other.data(), n * sizeof(GradientPair)) == 0;
    };
    EXPECT_TRUE(same(GradientsOf(*objective, margins, info, 8))) << name;
    for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
      hwy::SetSupportedTargetsForTest(remaining & -remaining);
      EXPECT_TRUE(same(GradientsOf(*objective, margins, info))) << name;
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace
}  // namespace kauri
