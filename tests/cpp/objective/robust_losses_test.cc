/// reg:huber, reg:mape and binary:focal, whose hessians are not second derivatives everywhere, compared with their
/// definitions in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "objective_fixture.h"

namespace kauri {
namespace {

using Real = long double;

TEST(HuberGradient, IsTheDifferenceUpToTheSlope) {
  for (auto const* slope : {"1", "0.5", "-2.5"}) {
    auto const objective = MakeObjective("reg:huber", {{"huber_slope", slope}});
    auto const bound = std::fabs(std::strtof(slope, nullptr));
    for (float const difference : {-1e30F, -3.0F, -bound, -0.25F, 1e-9F, 0.25F, bound, 3.0F, 1e30F}) {
      auto const pair = GradientsOf(*objective, {difference}, MakeInfo({0.0F}, {2.0F}))[0];
      EXPECT_FLOAT_EQ(pair.gradient, 2.0F * std::clamp(difference, -bound, bound)) << slope << " " << difference;
      auto const share = std::min(1.0F, bound / std::fabs(difference));
      EXPECT_FLOAT_EQ(pair.hessian, 2.0F * share) << slope << " " << difference;
    }
  }
}

/// The hessian belongs to the parabola that touches the loss: the slope over the difference.
TEST(FairGradient, IsTheDerivativeWithTheTouchingParabola) {
  Real const h = 1e-4L;
  for (auto const* text : {"1", "2.5"}) {
    Real const c = std::stold(text);
    auto const objective = MakeObjective("reg:fair", {{"fair_c", text}});
    auto const loss = [&](Real difference) {
      return c * c * (std::fabs(difference) / c - std::log1p(std::fabs(difference) / c));
    };
    for (float const difference : {-1000.0F, -3.0F, -0.25F, 0.25F, 0.9F, 42.0F}) {
      auto const pair = GradientsOf(*objective, {difference}, MakeInfo({0.0F}, {2.0F}))[0];
      auto const gradient = 2 * (loss(difference + h) - loss(difference - h)) / (2 * h);
      EXPECT_NEAR(pair.gradient, static_cast<double>(gradient), 1e-6 * 42) << difference;
      EXPECT_FLOAT_EQ(pair.hessian, pair.gradient / difference) << difference;
    }
    EXPECT_EQ(GradientsOf(*objective, {1.0F}, MakeInfo({1.0F}))[0].gradient, 0.0F);
    EXPECT_EQ(GradientsOf(*objective, {1.0F}, MakeInfo({1.0F}))[0].hessian, 1.0F);
  }
}

/// The initial margin is the mean label, however far it is from 0.
TEST(HuberGradient, StartsAtTheMean) {
  for (auto const* name : {"reg:huber", "reg:fair"}) {
    auto const objective = MakeObjective(name);
    EXPECT_EQ(objective->EstimateBaseScore(Context(), MakeInfo({1000.0F, 1002.0F}))[0], 1001.0F) << name;
  }
}

/// The mean of the weights equals the mean of the row weights.
TEST(RelativeGradient, IsThatOfAbsoluteErrorsWithWeights) {
  std::vector<float> const labels{0.25F, -0.5F, 4.0F, -8.0F, 100.0F};
  std::vector<float> const weights{1.0F, 2.0F, 3.0F, 1.0F, 5.0F};
  std::vector<float> shares;
  Real sum = 0;
  Real all = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    shares.push_back(weights[i] / std::max(1.0F, std::fabs(labels[i])));
    sum += shares[i];
    all += weights[i];
  }
  for (auto& share : shares) share = static_cast<float>(share * all / sum);
  auto const relative = MakeObjective("reg:mape");
  auto const absolute = MakeObjective("reg:absoluteerror");
  std::vector<float> const margins{0.5F, 3.0F, 4.0F, -7.0F, 20.0F};
  auto const pairs = GradientsOf(*relative, margins, MakeInfo(labels, weights));
  auto const expected = GradientsOf(*absolute, margins, MakeInfo(labels, shares));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_FLOAT_EQ(pairs[i].gradient, expected[i].gradient) << i;
    EXPECT_FLOAT_EQ(pairs[i].hessian, expected[i].hessian) << i;
  }
  EXPECT_FLOAT_EQ(relative->EstimateBaseScore(Context(), MakeInfo(labels, weights))[0],
                  absolute->EstimateBaseScore(Context(), MakeInfo(labels, shares))[0]);
}

TEST(RelativeGradient, WithoutRowsOrWeight) {
  auto const objective = MakeObjective("reg:mape");
  EXPECT_EQ(objective->EstimateBaseScore(Context(), MakeInfo({})), std::vector<float>{0.0F});
  auto const message =
      MessageOf(ErrorKind::kData, [&] { objective->EstimateBaseScore(Context(), MakeInfo({1.0F}, {0.0F})); });
  EXPECT_NE(message.find("weight above 0"), std::string::npos) << message;
}

struct Focal {
  Real gamma;
  Real alpha;

  Real operator()(Real margin, float label) const {
    Real const towards = label > 0.5F ? margin : -margin;
    Real const log_right = -std::log1p(std::exp(-towards));
    return -(label > 0.5F ? alpha : 1 - alpha) * std::exp(gamma * (log_right - towards)) * log_right;
  }
};

TEST(FocalGradient, IsTheDerivativeAndItsHessianTheCurvatureOrThatOfALogisticLoss) {
  Real const h = 1e-4L;
  std::int64_t n_raised = 0;
  for (auto const& [gamma, alpha] : std::vector<std::pair<std::string, std::string>>{
           {"2", "0.25"}, {"0", "0.5"}, {"0.5", "1"}, {"5", "0.75"}, {"1", "0"}}) {
    auto const objective = MakeObjective("binary:focal", {{"focal_gamma", gamma}, {"focal_alpha", alpha}});
    Focal const loss{std::stold(gamma), std::stold(alpha)};
    for (float const label : {0.0F, 1.0F}) {
      for (float const margin : {-12.0F, -3.0F, -0.75F, 0.0F, 0.25F, 0.9F, 2.5F, 6.0F}) {
        auto const pair = GradientsOf(*objective, {margin}, MakeInfo({label}, {2.0F}))[0];
        Real const up = loss(margin + h, label);
        Real const middle = loss(margin, label);
        Real const down = loss(margin - h, label);
        auto const gradient = (up - down) / (2 * h);
        auto const curvature = (up - 2 * middle + down) / (h * h);
        Real const right = 1 / (1 + std::exp(label > 0.5F ? -static_cast<Real>(margin) : static_cast<Real>(margin)));
        auto const least = std::fabs(gradient) * right;
        if (curvature < least) ++n_raised;
        auto const hessian = std::max(curvature, least);
        EXPECT_NEAR(pair.gradient, static_cast<double>(2 * gradient), 1e-6) << gamma << " " << label << " " << margin;
        EXPECT_NEAR(pair.hessian, static_cast<double>(2 * hessian), 1e-6) << gamma << " " << label << " " << margin;
        EXPECT_GT(pair.hessian, 0.0F);
      }
    }
  }
  EXPECT_GT(n_raised, 10);
}

/// With gamma 0 and half weights it is half a logistic loss.
TEST(FocalGradient, OfGammaZeroIsLogistic) {
  auto const margins = RandomValues(1000, -9.0F, 9.0F, 1);
  auto labels = RandomValues(1000, 0.0F, 2.0F, 2);
  for (auto& label : labels) label = std::floor(label);
  auto const focal = GradientsOf(*MakeObjective("binary:focal", {{"focal_gamma", "0"}, {"focal_alpha", "0.5"}}),
                                 margins, MakeInfo(labels, std::vector<float>(1000, 2.0F)));
  auto const logistic = GradientsOf(*MakeObjective("binary:logistic"), margins, MakeInfo(labels));
  for (std::size_t i = 0; i < margins.size(); ++i) {
    EXPECT_NEAR(focal[i].gradient, logistic[i].gradient, 2e-7F) << margins[i];
    EXPECT_NEAR(focal[i].hessian, logistic[i].hessian, 2e-7F) << margins[i];
  }
}

TEST(FocalGradient, FarMarginsStayFinite) {
  auto const largest = std::numeric_limits<float>::max();
  for (auto const* gamma : {"0", "2", "100"}) {
    auto const objective = MakeObjective("binary:focal", {{"focal_gamma", gamma}});
    for (float const margin : {-largest, -800.0F, 800.0F, largest}) {
      for (float const label : {0.0F, 1.0F}) {
        auto const pair = GradientsOf(*objective, {margin}, MakeInfo({label}))[0];
        EXPECT_TRUE(std::isfinite(pair.gradient) && std::isfinite(pair.hessian)) << gamma << " " << margin;
        EXPECT_GT(pair.hessian, 0.0F) << gamma << " " << margin;
        auto const is_right = (margin > 0.0F) == (label == 1.0F);
        EXPECT_NEAR(std::fabs(pair.gradient) > 0.1F, !is_right, 0) << gamma << " " << margin;
      }
    }
  }
}

TEST(ExponentialGradient, IsTheDerivativeAndItsHessianTheCurvature) {
  Real const h = 1e-4L;
  auto const objective = MakeObjective("binary:exponential", {{"scale_pos_weight", "3"}});
  for (float const label : {0.0F, 1.0F}) {
    for (float const margin : {-12.0F, -3.0F, -0.75F, 0.0F, 0.25F, 2.5F, 6.0F}) {
      auto const pair = GradientsOf(*objective, {margin}, MakeInfo({label}, {2.0F}))[0];
      auto const loss = [&](Real at) { return (label > 0.5F ? 6 : 2) * std::exp(label > 0.5F ? -at : at); };
      Real const up = loss(margin + h);
      Real const middle = loss(margin);
      Real const down = loss(margin - h);
      EXPECT_NEAR(pair.gradient / static_cast<double>((up - down) / (2 * h)), 1.0, 1e-6) << label << " " << margin;
      EXPECT_NEAR(pair.hessian / static_cast<double>((up - 2 * middle + down) / (h * h)), 1.0, 1e-6) << margin;
    }
    for (float const margin : {30.0F, 31.0F, std::numeric_limits<float>::max()}) {
      auto const far = GradientsOf(*objective, {label > 0.5F ? -margin : margin}, MakeInfo({label}, {1.0F}))[0];
      EXPECT_NEAR(far.hessian / ((label > 0.5F ? 3 : 1) * std::exp(30.0)), 1.0, 1e-6) << margin;
    }
  }
}

TEST(RobustLosses, BadParameters) {
  auto const message = [](std::string const& name, ParamMap const& params) {
    return MessageOf(ErrorKind::kParameter, [&] { MakeObjective(name, params); });
  };
  for (auto const* bad : {"0", "-1", "inf", "nan"})
    ExpectParts(message("reg:fair", {{"fair_c", bad}}), {"fair_c", bad});
  ExpectParts(message("reg:huber", {{"huber_slope", "0"}}), {"huber_slope", "0"});
  for (auto const* bad : {"-1", "101", "nan"}) {
    ExpectParts(message("binary:focal", {{"focal_gamma", bad}}), {"focal_gamma", bad});
  }
  for (auto const* bad : {"-0.5", "1.5"}) {
    ExpectParts(message("binary:focal", {{"focal_alpha", bad}}), {"focal_alpha", bad});
  }
}

}  // namespace
}  // namespace kauri
