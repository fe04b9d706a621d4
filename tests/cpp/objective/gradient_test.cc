/// Gradients compared with derivatives of the loss, in closed form (float64) and by differences (long double).
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "objective_fixture.h"

namespace kauri {
namespace {

using Real = long double;

/// A loss by its definition; margins are below 1e4 in size.
struct Reference {
  std::string objective;
  Real (*loss)(Real margin, Real label);
  double (*gradient)(double margin, double label);
  double (*hessian)(double margin, double label);
};

double SigmoidOf(double margin) { return 1.0 / (1.0 + std::exp(-margin)); }

Reference const kSquared{"reg:squarederror", [](Real m, Real y) { return (m - y) * (m - y) / 2; },
                         [](double m, double y) { return m - y; }, [](double, double) { return 1.0; }};
Reference const kLogistic{
    "binary:logistic",
    [](Real m, Real y) { return std::max<Real>(m, 0) + std::log1p(std::exp(-std::fabs(m))) - y * m; },
    [](double m, double y) { return SigmoidOf(m) - y; }, [](double m, double) { return SigmoidOf(m) * SigmoidOf(-m); }};
Reference const kPoisson{"count:poisson", [](Real m, Real y) { return std::exp(m) - y * m; },
                         [](double m, double y) { return std::exp(m) - y; },
                         [](double m, double) { return std::exp(m); }};

/// Returns all pairs of margins and labels.
void Grid(std::vector<float> const& some_margins, std::vector<float> const& some_labels, std::vector<float>* margins,
          std::vector<float>* labels) {
  for (auto const margin : some_margins) {
    for (auto const label : some_labels) {
      margins->push_back(margin);
      labels->push_back(label);
    }
  }
}

/// Includes labels 0 and 1, for which closed forms are used.
void ExpectClosedForm(Reference const& reference, ParamMap const& params, std::vector<float> const& some_margins,
                      std::vector<float> const& some_labels, double tolerance, double min_hessian) {
  std::vector<float> margins;
  std::vector<float> labels;
  Grid(some_margins, some_labels, &margins, &labels);
  auto const weights = RandomValues(labels.size(), 0.1F, 4.0F, 1);
  auto const pairs = GradientsOf(*MakeObjective(reference.objective, params), margins, MakeInfo(labels, weights));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto const m = static_cast<double>(margins[i]);
    auto const y = static_cast<double>(labels[i]);
    auto const w = static_cast<double>(weights[i]);
    auto const gradient = reference.gradient(m, y) * w;
    auto const hessian = std::max(reference.hessian(m, y), min_hessian) * w;
    EXPECT_NEAR(pairs[i].gradient, gradient, tolerance * (std::fabs(gradient) + w)) << m << " " << y;
    EXPECT_NEAR(pairs[i].hessian, hessian, tolerance * (hessian + w)) << m << " " << y;
  }
}

/// Uses central differences of the loss; the hessian's error corresponds to a float64-sized step.
void ExpectDerivatives(Reference const& reference, ParamMap const& params, std::vector<float> const& some_margins,
                       std::vector<float> const& some_labels) {
  std::vector<float> margins;
  std::vector<float> labels;
  Grid(some_margins, some_labels, &margins, &labels);
  auto const pairs = GradientsOf(*MakeObjective(reference.objective, params), margins, MakeInfo(labels));
  Real const h = 1e-4L;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Real const m = margins[i];
    Real const y = labels[i];
    Real const up = reference.loss(m + h, y);
    Real const middle = reference.loss(m, y);
    Real const down = reference.loss(m - h, y);
    auto const gradient = static_cast<double>((up - down) / (2 * h));
    auto const hessian = static_cast<double>((up - 2 * middle + down) / (h * h));
    EXPECT_NEAR(pairs[i].gradient, gradient, 1e-6 * (1.0 + std::fabs(gradient))) << m << " " << y;
    EXPECT_NEAR(pairs[i].hessian, hessian, 1e-6 * (1.0 + std::fabs(hessian))) << m << " " << y;
  }
}

std::vector<float> const kExtreme{-1e4F, -80.0F, -17.0F, -3.0F, -0.5F, 0.0F, 0.25F, 1.0F, 9.0F, 17.0F, 80.0F, 1e4F};
std::vector<float> const kModerate{-12.0F, -3.0F, -0.5F, 0.0F, 0.25F, 1.0F, 9.0F, 12.0F};

TEST(Gradient, SquaredError) {
  ExpectClosedForm(kSquared, {}, kExtreme, {-7.5F, 0.0F, 0.3F, 1.0F, 42.0F}, 1e-6, 0.0);
  ExpectDerivatives(kSquared, {}, kModerate, {-7.5F, 0.0F, 0.3F, 1.0F, 42.0F});
}

TEST(Gradient, Logistic) {
  for (auto const* name : {"binary:logistic", "reg:logistic", "binary:logitraw"}) {
    auto reference = kLogistic;
    reference.objective = name;
    ExpectClosedForm(reference, {}, kExtreme, {0.0F, 0.3F, 1.0F}, 1e-6, 1e-16);
    ExpectDerivatives(reference, {}, kModerate, {0.0F, 0.3F, 1.0F});
  }
}

TEST(Gradient, LogisticHessianHasAFloorBeforeTheWeight) {
  // In XGBoost 3.2.0, 1000 rows of weight 3 and margin 100 have the cover 3.0000002e-13.
  auto const pairs =
      GradientsOf(*MakeObjective("binary:logistic"), {100.0F, -1e4F}, MakeInfo({1.0F, 0.0F}, {3.0F, 3.0F}));
  EXPECT_EQ(pairs[0].gradient, 0.0F);
  EXPECT_EQ(pairs[0].hessian, 1e-16F * 3.0F);
  EXPECT_EQ(pairs[1].gradient, 0.0F);
  EXPECT_EQ(pairs[1].hessian, 1e-16F * 3.0F);
}

TEST(Gradient, Poisson) {
  std::vector<float> const extreme{-1e4F, -80.0F, -3.0F, 0.0F, 0.25F, 9.0F, 80.0F};
  ExpectClosedForm(kPoisson, {{"max_delta_step", "0"}}, extreme, {0.0F, 1.0F, 2.0F, 150.0F}, 1e-6, 0.0);
  ExpectDerivatives(kPoisson, {{"max_delta_step", "0"}}, kModerate, {0.0F, 1.0F, 2.0F, 150.0F});
}

TEST(Gradient, PoissonHessianIsAheadByMaxDeltaStep) {
  auto const info = MakeInfo({2.0F}, {0.5F});
  auto const by_default = GradientsOf(*MakeObjective("count:poisson"), {1.5F}, info)[0];
  EXPECT_FLOAT_EQ(by_default.gradient, static_cast<float>((std::exp(1.5) - 2.0) * 0.5));
  EXPECT_FLOAT_EQ(by_default.hessian, static_cast<float>(std::exp(1.5 + 0.7) * 0.5));
  auto const given = GradientsOf(*MakeObjective("count:poisson", {{"max_delta_step", "2"}}), {1.5F}, info)[0];
  EXPECT_FLOAT_EQ(given.hessian, static_cast<float>(std::exp(3.5) * 0.5));
}

TEST(Gradient, ScalePosWeightScalesRowsOfLabelOneOnly) {
  std::vector<float> const margins{-0.7F, 0.2F, 1.3F};
  auto const info = MakeInfo({0.0F, 0.5F, 1.0F}, {2.0F, 3.0F, 5.0F});
  for (auto const* name : {"reg:squarederror", "reg:logistic", "binary:logistic", "binary:logitraw"}) {
    auto const plain = GradientsOf(*MakeObjective(name), margins, info);
    auto const scaled = GradientsOf(*MakeObjective(name, {{"scale_pos_weight", "4"}}), margins, info);
    for (std::size_t i = 0; i < margins.size(); ++i) {
      auto const factor = i == 2 ? 4.0F : 1.0F;  // a power of two: no rounding
      EXPECT_EQ(scaled[i].gradient, plain[i].gradient * factor) << name;
      EXPECT_EQ(scaled[i].hessian, plain[i].hessian * factor) << name;
    }
  }
}

TEST(Gradient, SoftmaxAgainstItsDefinition) {
  std::vector<float> const special{-1e4F, -80.0F, -3.0F, 0.0F, 0.5F, 80.0F, 1e4F};
  for (std::size_t n_classes : {2U, 3U, 7U, 5000U}) {
    std::size_t const n_rows = 50;
    auto margins = RandomValues(n_rows * n_classes, -5.0F, 5.0F, 7);
    for (std::size_t i = 0; i < special.size(); ++i) margins[i * 5] = special[i];
    auto const weights = RandomValues(n_rows, 0.1F, 4.0F, 8);
    std::vector<float> labels(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) labels[row] = static_cast<float>(row * 31 % n_classes);
    auto const objective = MakeObjective("multi:softprob", {{"num_class", std::to_string(n_classes)}});
    auto const pairs = GradientsOf(*objective, margins, MakeInfo(labels, weights));
    for (std::size_t row = 0; row < n_rows; ++row) {
      auto const* of_row = margins.data() + row * n_classes;
      Real const largest = *std::max_element(of_row, of_row + n_classes);
      Real sum = 0;
      for (std::size_t k = 0; k < n_classes; ++k) sum += std::exp(of_row[k] - largest);
      for (std::size_t k = 0; k < n_classes; ++k) {
        auto const p = static_cast<double>(std::exp(of_row[k] - largest) / sum);
        auto const w = static_cast<double>(weights[row]);
        auto const is_label = static_cast<float>(k) == labels[row] ? 1.0 : 0.0;
        auto const pair = pairs[row * n_classes + k];
        EXPECT_NEAR(pair.gradient, (p - is_label) * w, 1e-6 * w);
        EXPECT_NEAR(pair.hessian, std::max(2 * p * (1 - p) * w, 1e-16), 1e-6 * w);
      }
    }
  }
}

TEST(Gradient, SoftmaxIsTheDerivativeOfItsLoss) {
  std::vector<float> const margins{0.3F, -1.2F, 2.0F};
  auto const pairs = GradientsOf(*MakeObjective("multi:softmax", {{"num_class", "3"}}), margins, MakeInfo({1.0F}));
  auto const loss = [](std::vector<Real> const& m) {
    return std::log(std::exp(m[0]) + std::exp(m[1]) + std::exp(m[2])) - m[1];
  };
  Real const h = 1e-4L;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<Real> middle(margins.begin(), margins.end());
    auto up = middle;
    auto down = middle;
    up[k] += h;
    down[k] -= h;
    EXPECT_NEAR(pairs[k].gradient, static_cast<double>((loss(up) - loss(down)) / (2 * h)), 1e-6);
    // XGBoost uses twice the second derivative.
    EXPECT_NEAR(pairs[k].hessian, 2 * static_cast<double>((loss(up) - 2 * loss(middle) + loss(down)) / (h * h)), 1e-6);
  }
}

TEST(Gradient, SoftmaxHessianHasAFloorAfterTheWeight) {
  // In XGBoost 3.2.0, 1000 rows of weight 3 with the margins 0 and 100 have the cover 1.0000001e-13 in both classes.
  auto const objective = MakeObjective("multi:softprob", {{"num_class", "2"}});
  for (auto const pair : GradientsOf(*objective, {0.0F, 100.0F}, MakeInfo({1.0F}, {3.0F}))) {
    EXPECT_NEAR(pair.gradient, 0.0F, 1e-30F);
    EXPECT_EQ(pair.hessian, 1e-16F);
  }
}

TEST(Gradient, SeveralTargetsAreIndependentAndShareTheRowsWeight) {
  std::size_t const n_rows = 3000;  // more than one block
  std::size_t const n_targets = 3;
  auto const margins = RandomValues(n_rows * n_targets, -3.0F, 3.0F, 1);
  auto const labels = RandomValues(n_rows * n_targets, 0.0F, 1.0F, 2);
  auto const weights = RandomValues(n_rows, 0.0F, 2.0F, 3);
  for (auto const* name : {"reg:squarederror", "binary:logistic", "count:poisson"}) {
    auto const objective = MakeObjective(name);
    auto const info = MakeInfo(labels, weights, n_targets);
    EXPECT_EQ(objective->NumOutputs(info), 3);
    auto const together = GradientsOf(*objective, margins, info);
    for (std::size_t target = 0; target < n_targets; ++target) {
      std::vector<float> own_margins;
      std::vector<float> own_labels;
      for (std::size_t i = target; i < margins.size(); i += n_targets) {
        own_margins.push_back(margins[i]);
        own_labels.push_back(labels[i]);
      }
      auto const alone = GradientsOf(*objective, own_margins, MakeInfo(own_labels, weights));
      for (std::size_t row = 0; row < n_rows; ++row) {
        ASSERT_EQ(together[row * n_targets + target].gradient, alone[row].gradient) << name;
        ASSERT_EQ(together[row * n_targets + target].hessian, alone[row].hessian) << name;
      }
    }
  }
}

TEST(Gradient, SameBitsForAnyThreadCountAndSizes) {
  for (std::size_t n : {1U, 31U, 33U, 257U, 4095U, 4096U, 4097U, 20001U}) {
    auto const labels = RandomValues(n, 0.0F, 1.0F, 5);
    auto const weights = RandomValues(n, 0.0F, 2.0F, 6);
    for (auto const* name : {"reg:squarederror", "binary:logistic", "count:poisson"}) {
      auto const objective = MakeObjective(name);
      auto const margins = RandomValues(n, -20.0F, 20.0F, 4);
      auto const one = GradientsOf(*objective, margins, MakeInfo(labels, weights), 1);
      auto const eight = GradientsOf(*objective, margins, MakeInfo(labels, weights), 8);
      EXPECT_EQ(std::memcmp(one.data(), eight.data(), n * sizeof(GradientPair)), 0) << name << " " << n;
      // Computed one element at a time: the position in a vector does not matter.
      for (std::size_t i = 0; i < n; i += 97) {
        auto const alone = GradientsOf(*objective, {margins[i]}, MakeInfo({labels[i]}, {weights[i]}))[0];
        ASSERT_EQ(alone.gradient, one[i].gradient) << name;
        ASSERT_EQ(alone.hessian, one[i].hessian) << name;
      }
    }
    auto const softprob = MakeObjective("multi:softprob", {{"num_class", "3"}});
    std::vector<float> classes(n);
    for (std::size_t row = 0; row < n; ++row) classes[row] = static_cast<float>(row % 3);
    auto const margins = RandomValues(3 * n, -20.0F, 20.0F, 4);
    auto const one = GradientsOf(*softprob, margins, MakeInfo(classes, weights), 1);
    auto const eight = GradientsOf(*softprob, margins, MakeInfo(classes, weights), 8);
    EXPECT_EQ(std::memcmp(one.data(), eight.data(), one.size() * sizeof(GradientPair)), 0) << n;
  }
}

std::vector<float> Transformed(Objective const& objective, std::vector<float> values) {
  objective.TransformMargins(Context{}, values, 3);
  return values;
}

TEST(Gradient, EveryVectorWidthGivesTheSameBits) {
  std::size_t const n = 4096 + 37;
  auto const margins = RandomValues(3 * n, -100.0F, 100.0F, 4);
  auto const labels = RandomValues(3 * n, 0.0F, 1.0F, 5);
  for (auto const* name : {"reg:squarederror", "binary:logistic", "count:poisson", "multi:softprob"}) {
    auto const objective = MakeObjective(name, {{"num_class", "3"}});
    auto const info = objective->NumClasses() > 0 ? MakeInfo(std::vector<float>(n, 1.0F)) : MakeInfo(labels);
    auto const pairs = GradientsOf(*objective, margins, info);
    auto const values = Transformed(*objective, margins);
    for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
      hwy::SetSupportedTargetsForTest(remaining & -remaining);
      auto const name_of_both = std::string(name) + " " + hwy::TargetName(remaining & -remaining);
      auto const other_pairs = GradientsOf(*objective, margins, info);
      EXPECT_EQ(std::memcmp(pairs.data(), other_pairs.data(), pairs.size() * sizeof(GradientPair)), 0) << name_of_both;
      EXPECT_EQ(values, Transformed(*objective, margins)) << name_of_both;
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(Gradient, WrongSizesAreInternalErrors) {
  std::vector<GradientPair> out(3);
  std::vector<float> const margins(2);
  auto const message = MessageOf(ErrorKind::kInternal, [&] {
    MakeObjective("reg:squarederror")->ComputeGradients(Context{}, margins, MakeInfo({1.0F, 2.0F}), 0, out);
  });
  EXPECT_NE(message.find("got 2 margins and 3 gradient pairs"), std::string::npos) << message;
  auto const multi = MessageOf(ErrorKind::kInternal, [&] {
    MakeObjective("multi:softprob", {{"num_class", "3"}})
        ->ComputeGradients(Context{}, margins, MakeInfo({1.0F, 2.0F}), 0, out);
  });
  EXPECT_NE(multi.find("expected 6 margins"), std::string::npos) << multi;
}

}  // namespace
}  // namespace kauri
