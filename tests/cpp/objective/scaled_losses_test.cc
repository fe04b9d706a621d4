/// Absolute and quantile errors: gradients compared with XGBoost 3.4.1, and what their scale depends on.
///
/// The figures were obtained from models of one round with base_score=0, lambda=0, eta=1 and a leaf for every row: its
/// sum_hessian is the row's hessian, and its value is -gradient / hessian.
#include "objective/scaled_losses.h"

#include <cmath>
#include <limits>

#include "objective_fixture.h"

namespace kauri {
namespace {

std::vector<float> const kLabels{-5.0F, -2.0F, -1.0F, -0.5F, 0.0F, 0.25F, 1.0F, 3.0F, 10.0F};
std::vector<float> const kWeights{1.0F, 2.0F, 3.0F, 0.5F, 1.0F, 1.0F, 4.0F, 1.0F, 0.25F};
ParamMap const kAlphas{{"quantile_alpha", "[0.25, 0.9]"}};

/// Returns every n_outputs-th pair, starting at `output`.
std::vector<GradientPair> OfOutput(std::vector<GradientPair> const& pairs, std::size_t output, std::size_t n_outputs) {
  std::vector<GradientPair> own;
  for (auto i = output; i < pairs.size(); i += n_outputs) own.push_back(pairs[i]);
  return own;
}

void ExpectNear(std::vector<GradientPair> const& pairs, std::vector<GradientPair> const& expected) {
  ASSERT_EQ(pairs.size(), expected.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_NEAR(pairs[i].gradient, expected[i].gradient, 2e-6F * (1.0F + std::fabs(expected[i].gradient))) << i;
    EXPECT_NEAR(pairs[i].hessian, expected[i].hessian, 2e-6F * (1.0F + std::fabs(expected[i].hessian))) << i;
  }
}

TEST(ScaledLosses, AbsoluteErrorHasXGBoostsGradients) {
  auto const objective = MakeObjective("reg:absoluteerror");
  std::vector<float> const margins(9, 0.0F);
  ExpectNear(GradientsOf(*objective, margins, MakeInfo(kLabels)), {{1.6137326F, 0.32274652F},
                                                                   {1.2974929F, 0.64874643F},
                                                                   {0.86258036F, 0.86258036F},
                                                                   {0.47979403F, 0.95958805F},
                                                                   {0.0F, 1.0F},
                                                                   {-0.24735503F, 0.9894201F},
                                                                   {-0.86258036F, 0.86258036F},
                                                                   {-1.4823095F, 0.49410316F},
                                                                   {-1.6807199F, 0.16807199F}});
  ExpectNear(GradientsOf(*objective, margins, MakeInfo(kLabels, kWeights)), {{1.2227451F, 0.24454902F},
                                                                             {2.1334028F, 1.0667014F},
                                                                             {2.3506114F, 2.3506114F},
                                                                             {0.23239858F, 0.46479717F},
                                                                             {0.0F, 1.0F},
                                                                             {-0.24522735F, 0.9809094F},
                                                                             {-3.1341486F, 3.1341486F},
                                                                             {-1.1625077F, 0.38750255F},
                                                                             {-0.31278137F, 0.031278137F}});
}

TEST(ScaledLosses, QuantileErrorHasXGBoostsGradients) {
  auto const objective = MakeObjective("reg:quantileerror", kAlphas);
  std::vector<float> const margins(18, 0.0F);
  auto const plain = GradientsOf(*objective, margins, MakeInfo(kLabels));
  ExpectNear(OfOutput(plain, 0, 2), {{1.2787301F, 0.17049734F},
                                     {1.2787301F, 0.42624334F},
                                     {1.2787301F, 0.85248667F},
                                     {1.2787294F, 1.7049719F},
                                     {0.42624337F, 12.5F},
                                     {-0.42512806F, 3.4054854F},
                                     {-0.42624339F, 0.85248667F},
                                     {-0.42624336F, 0.28416222F},
                                     {-0.42624335F, 0.08524867F}});
  auto const weighted = GradientsOf(*objective, margins, MakeInfo(kLabels, kWeights));
  ExpectNear(OfOutput(weighted, 1, 2), {{0.12610344F, 0.12610339F},
                                        {0.25220686F, 0.630517F},
                                        {0.37831029F, 1.891551F},
                                        {0.063051715F, 0.630517F},
                                        {-0.50441353F, 12.5F},
                                        {-1.134868F, 2.521818F},
                                        {-4.5397224F, 2.522068F},
                                        {-1.1349306F, 0.21017231F},
                                        {-0.28373265F, 0.015762923F}});
}

/// A step on the parabolas of all rows, with a fixed scale, never increases the smoothed loss.
TEST(ScaledLosses, HessiansBoundTheLoss) {
  using Real = long double;
  auto const labels = RandomValues(301, -3.0F, 9.0F, 7);
  auto const sum = [&](auto const& loss, Real margin) {
    Real total = 0;
    for (auto const label : labels) total += loss(margin - static_cast<Real>(label));
    return total;
  };
  double const scale = 2.25;
  auto const expect_descent = [&](auto const& gradient_of, auto const& loss) {
    for (float margin : {-8.0F, -1.0F, 2.0F, 2.9F, 3.1F, 20.0F}) {
      double gradient = 0.0;
      double hessian = 0.0;
      for (auto const label : labels) {
        auto const pair = gradient_of.Gradient(margin, label, 1.0F, scale);
        gradient += static_cast<double>(pair.gradient);
        hessian += static_cast<double>(pair.hessian);
      }
      auto const before = static_cast<Real>(margin);
      auto const after = before - static_cast<Real>(gradient) / static_cast<Real>(hessian);
      EXPECT_LE(sum(loss, after), sum(loss, before) * (1 + 1e-6L)) << margin;
    }
  };
  Real const s = scale;
  expect_descent(AbsoluteLoss{}, [s](Real r) { return s * std::sqrt(s * s + r * r); });
  Real const width = s * static_cast<Real>(QuantileLoss::kSharpness);
  Real const alpha = static_cast<Real>(0.8F);
  expect_descent(QuantileLoss{0.8F}, [=](Real r) {
    auto const log_cosh = std::fabs(r / width) + std::log1p(std::exp(-2 * std::fabs(r / width)));
    return s * (width * log_cosh / 2 + (0.5L - alpha) * r);
  });
}

TEST(ScaledLosses, CloseToTheLabelDigitsDoNotCancel) {
  double const scale = 3.0;
  for (double const ratio : {1e-12, 1e-6, 9.9e-4, 1.01e-3, 0.01, 0.3}) {
    auto const margin = static_cast<float>(ratio * QuantileLoss::kSharpness * scale);
    auto const x = static_cast<long double>(margin) / (static_cast<long double>(QuantileLoss::kSharpness) * scale);
    auto const expected = static_cast<float>(12.5L * std::tanh(x) / x);
    EXPECT_NEAR((QuantileLoss{0.5F}.Gradient(margin, 0.0F, 1.0F, scale).hessian), expected, 1e-6F) << ratio;
  }
}

TEST(ScaledLosses, WithoutResidualsNothingIsLearnt) {
  for (auto const* name : {"reg:absoluteerror", "reg:quantileerror"}) {
    auto const objective = MakeObjective(name, {{"quantile_alpha", "0.3"}});
    // The last row is elsewhere, but has no weight.
    auto const info = MakeInfo({3.0F, 3.0F, 8.0F}, {1.0F, 2.0F, 0.0F});
    for (auto const& pair : GradientsOf(*objective, {3.0F, 3.0F, 3.0F}, info)) {
      EXPECT_EQ(pair.gradient, 0.0F) << name;
      EXPECT_TRUE(std::isfinite(pair.hessian) && pair.hessian >= 0.0F) << name;
    }
  }
}

TEST(ScaledLosses, TinyAndHugeResidualsAreTheSameShapes) {
  for (auto const* name : {"reg:absoluteerror", "reg:quantileerror"}) {
    auto const objective = MakeObjective(name, {{"quantile_alpha", "0.3"}});
    auto const plain = GradientsOf(*objective, std::vector<float>(9, 0.0F), MakeInfo(kLabels));
    for (float const factor : {std::ldexp(1.0F, -100), std::ldexp(1.0F, 100)}) {
      auto labels = kLabels;
      for (auto& label : labels) label *= factor;
      auto const scaled = GradientsOf(*objective, std::vector<float>(9, 0.0F), MakeInfo(labels));
      for (std::size_t i = 0; i < plain.size(); ++i) {
        EXPECT_FLOAT_EQ(scaled[i].gradient / factor, plain[i].gradient) << name << " " << i;
        EXPECT_FLOAT_EQ(scaled[i].hessian, plain[i].hessian) << name << " " << i;
      }
    }
  }
}

TEST(ScaledLosses, EachTargetHasAScaleOfItsOwn) {
  auto const objective = MakeObjective("reg:absoluteerror");
  std::vector<float> labels;
  std::vector<float> larger;
  for (auto const label : kLabels) {
    larger.push_back(100.0F * label + 3.0F);
    labels.insert(labels.end(), {label, larger.back()});
  }
  auto const both = GradientsOf(*objective, std::vector<float>(18, 0.5F), MakeInfo(labels, kWeights, 2));
  std::vector<float> const margins(9, 0.5F);
  ExpectNear(OfOutput(both, 0, 2), GradientsOf(*objective, margins, MakeInfo(kLabels, kWeights)));
  ExpectNear(OfOutput(both, 1, 2), GradientsOf(*objective, margins, MakeInfo(larger, kWeights)));
}

TEST(ScaledLosses, QuantilesOfARowAreSortedAndMarginsAreNot) {
  auto const objective = MakeObjective("reg:quantileerror", {{"quantile_alpha", "[0.1, 0.2, 0.5, 0.9]"}});
  std::vector<float> values{4.0F, 1.0F, 3.0F, 2.0F, -1.0F, 0.0F, 0.0F, 7.0F};
  objective->TransformMargins(Context{}, values, 4);
  EXPECT_EQ(values, (std::vector<float>{1.0F, 2.0F, 3.0F, 4.0F, -1.0F, 0.0F, 0.0F, 7.0F}));
  EXPECT_EQ(objective->StartMargins({1.0F, 0.5F, 2.0F, 3.0F}), (std::vector<float>{1.0F, 0.5F, 2.0F, 3.0F}));
  auto const one = MakeObjective("reg:quantileerror", {{"quantile_alpha", "0.5"}});
  std::vector<float> column{4.0F, 1.0F, 3.0F};
  one->TransformMargins(Context{}, column, 1);
  EXPECT_EQ(column, (std::vector<float>{4.0F, 1.0F, 3.0F}));
}

}  // namespace
}  // namespace kauri
