/// Families of distributions beside long-double formulas of their densities, differences, sums and quadrature.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "common/distribution/family.h"

namespace kauri::distribution {
namespace {

using Real = long double;
using Raw = std::vector<double>;

bool IsOneOf(std::string const& name, std::vector<std::string> const& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
bool HasZeros(std::string const& name) { return name.rfind("zero_inflated_", 0) == 0; }
std::string WithoutZeros(std::string const& name) { return HasZeros(name) ? name.substr(14) : name; }
bool IsOnLine(std::string const& name) { return IsOneOf(name, {"normal", "laplace", "student_t"}); }

/// Returns the logarithm of a density or probability, without added zeros.
Real PlainLogDensity(std::string const& name, std::vector<Real> const& raw, Real y) {
  constexpr Real kTwoPi = 6.283185307179586476925286766559L;
  auto const second = raw.size() > 1 ? std::exp(raw[1]) : 1.0L;
  auto const z = (y - raw[0]) / second;
  if (name == "normal") return -z * z / 2 - raw[1] - std::log(kTwoPi) / 2;
  if (name == "lognormal") return PlainLogDensity("normal", raw, std::log(y)) - std::log(y);
  if (name == "laplace") return -std::fabs(z) - std::log(2.0L) - raw[1];
  if (name == "student_t") {
    auto const df = 1 + std::exp(raw[2]);
    return std::lgamma((df + 1) / 2) - std::lgamma(df / 2) - std::log(df * kTwoPi / 2) / 2 - raw[1] -
           (df + 1) / 2 * std::log1p(z * z / df);
  }
  auto const mean = std::exp(raw[0]);
  if (name == "gamma") {
    auto const x = second * y / mean;
    return second * std::log(x) - x - std::lgamma(second) - std::log(y);
  }
  if (name == "poisson") return y * raw[0] - mean - std::lgamma(y + 1);
  return std::lgamma(y + second) - std::lgamma(second) - std::lgamma(y + 1) - second * std::log1p(mean / second) -
         y * std::log1p(second / mean);
}

Real PlainShare(std::string const& name, std::vector<Real> const& raw) {
  return HasZeros(name) ? 1 / (1 + std::exp(-raw.back())) : 1.0L;
}

Real LogDensityOf(std::string const& name, std::vector<Real> raw, Real y) {
  auto const share = PlainShare(name, raw);
  if (!HasZeros(name)) return PlainLogDensity(name, raw, y);
  auto const plain = WithoutZeros(name);
  if (plain == "poisson") raw.resize(1);
  if (y > 0) return std::log(share) + PlainLogDensity(plain, raw, y);
  return std::log(1 - share + (plain == "gamma" ? 0.0L : share * std::exp(PlainLogDensity(plain, raw, y))));
}

/// Returns the gradient of minus the logarithm of the density, by differences.
std::vector<Real> ScoreOf(std::string const& name, std::vector<Real> const& raw, Real y) {
  constexpr Real kStep = 1e-5L;
  std::vector<Real> score;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    auto up = raw;
    auto down = raw;
    up[k] += kStep;
    down[k] -= kStep;
    score.push_back((LogDensityOf(name, down, y) - LogDensityOf(name, up, y)) / (2 * kStep));
  }
  return score;
}

/// Calls fn(label, its probability) for labels that stand for the whole distribution: all counts, or the points of a
/// trapezoidal rule in sinh^-1 of the label or its logarithm.
void ForLabels(std::string const& name, std::vector<Real> const& raw, std::function<void(Real, Real)> const& fn) {
  auto const plain = WithoutZeros(name);
  if (IsOneOf(plain, {"poisson", "negative_binomial"})) {
    for (Real y = 0; y < 3000; y += 1) fn(y, std::exp(LogDensityOf(name, raw, y)));
    return;
  }
  constexpr Real kStep = 0.01L;
  auto const scale = std::exp(raw[1]);
  if (HasZeros(name)) fn(0, std::exp(LogDensityOf(name, raw, 0)));
  for (int i = -8000; i < 8000; ++i) {
    auto const u = (i + 0.5L) * kStep;  // no point is at the tip of Laplace's density
    auto const is_on_line = IsOnLine(plain);
    if (is_on_line && std::fabs(u) > 45) continue;
    auto const centre = plain == "lognormal" ? std::exp(raw[0] + scale * u) : std::exp(raw[0] + u);
    auto const y = is_on_line ? raw[0] + scale * std::sinh(u) : centre;
    auto const width = is_on_line ? scale * std::cosh(u) : plain == "lognormal" ? y * scale : y;
    auto const chance = y > 0 || is_on_line ? std::exp(LogDensityOf(name, raw, y)) * width * kStep : 0.0L;
    if (chance > 0) fn(y, chance);
  }
}

struct Example {
  std::string name;
  Raw raw;
  std::vector<double> labels;  ///< near the location, where hessians are the expected ones
};

std::vector<Example> const& Examples() {
  static std::vector<Example> const kAll{
      {"normal", {0.3, -0.7}, {0.3, 0.7, -0.1}},
      {"normal", {-20.0, 2.0}, {-20.0, -14.0, -25.0}},
      {"lognormal", {0.5, -1.0}, {1.5, 2.0}},
      {"laplace", {0.3, 0.4}, {0.6, -0.5, 1.5}},
      {"student_t", {1.0, -0.5, 0.8}, {1.2, -3.0, 40.0}},
      {"student_t", {1.0, 0.5, 3.0}, {1.2, -3.0, 9.0}},
      {"gamma", {0.7, 0.6}, {0.01, 2.0, 9.0}},
      {"gamma", {-2.0, -1.2}, {1e-6, 0.1, 2.0}},
      {"poisson", {1.1}, {0.0, 3.0, 12.0}},
      {"negative_binomial", {1.2, 0.4}, {0.0, 3.0, 25.0}},
      {"negative_binomial", {-0.5, 2.0}, {0.0, 1.0, 7.0}},
      {"zero_inflated_poisson", {1.0, 0.5}, {0.0, 1.0, 6.0}},
      {"zero_inflated_negative_binomial", {1.3, 0.2, 0.6}, {0.0, 2.0, 17.0}},
      {"zero_inflated_gamma", {0.4, 0.5, -0.3}, {0.0, 0.2, 4.0}},
  };
  return kAll;
}

std::vector<Real> Long(Raw const& raw) { return {raw.begin(), raw.end()}; }

std::vector<double> ParametersOf(Family const& family, Raw const& raw) {
  std::vector<double> parameters(raw.size());
  family.Parameters(raw.data(), parameters.data());
  return parameters;
}

TEST(Families, EveryFamilyHasAnExample) {
  for (auto const* family : Families()) {
    auto const has = [&](Example const& example) { return example.name == family->Name(); };
    EXPECT_TRUE(std::any_of(Examples().begin(), Examples().end(), has)) << family->Name();
  }
  EXPECT_EQ(FindFamily("cauchy"), nullptr);
}

TEST(Families, LogDensitiesAreTheFormulas) {
  for (auto const& example : Examples()) {
    auto const& family = *FindFamily(example.name);
    auto const parameters = ParametersOf(family, example.raw);
    for (auto const y : example.labels) {
      auto const expected = static_cast<double>(LogDensityOf(example.name, Long(example.raw), y));
      EXPECT_NEAR(family.LogDensity(parameters.data(), y), expected, 1e-12 * (1 + std::fabs(expected)))
          << example.name << " " << y;
    }
  }
}

/// The natural gradient times the information is the gradient.
TEST(Families, StepsSolveTheEquationOfTheNaturalGradient) {
  for (auto const& example : Examples()) {
    if (example.name == "zero_inflated_gamma") continue;  // takes the information of the label at hand
    auto const raw = Long(example.raw);
    auto const n = raw.size();
    std::vector<std::vector<Real>> information(n, std::vector<Real>(n, 0.0L));
    Real whole = 0;
    ForLabels(example.name, raw, [&](Real y, Real chance) {
      auto const score = ScoreOf(example.name, raw, y);
      whole += chance;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) information[i][j] += chance * score[i] * score[j];
      }
    });
    EXPECT_NEAR(static_cast<double>(whole), 1.0, 1e-5) << example.name;
    auto const is_damped = HasZeros(example.name) || IsOneOf(example.name, {"student_t", "negative_binomial"});
    for (auto const y : example.labels) {
      auto const row = FindFamily(example.name)->Gradients(example.raw.data(), y);
      auto const expected = ScoreOf(example.name, raw, y);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(row.hessian[i], static_cast<double>(information[i][i]),
                    (is_damped ? 0.0101 : 1e-4) + 1e-4 * row.hessian[i])
            << example.name << i << " " << y;
        Real sum = (row.hessian[i] - information[i][i]) * row.gradient[i] / row.hessian[i];  // of the damping
        for (std::size_t j = 0; j < n; ++j) sum += information[i][j] * row.gradient[j] / row.hessian[j];
        auto const value = static_cast<double>(expected[i]);
        EXPECT_NEAR(static_cast<double>(sum), value, 2e-4 * (1 + std::fabs(value))) << example.name << i << " " << y;
      }
    }
  }
}

TEST(Families, ZeroInflatedGammaTakesTheInformationOfItsLabel) {
  auto const& family = *FindFamily("zero_inflated_gamma");
  Raw const raw{0.4, 0.5, -0.3};
  auto const of_zero = family.Gradients(raw.data(), 0.0);
  auto const of_positive = family.Gradients(raw.data(), 1.7);
  auto const of_gamma = FindFamily("gamma")->Gradients(raw.data(), 1.7);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(of_zero.gradient[k], 0.0);
    EXPECT_EQ(of_zero.hessian[k], 0.0);
    EXPECT_EQ(of_positive.gradient[k], of_gamma.gradient[k]);
    EXPECT_EQ(of_positive.hessian[k], of_gamma.hessian[k]);
  }
  for (auto const y : {0.0, 1.7}) {
    auto const score = ScoreOf("zero_inflated_gamma", Long(raw), y);
    EXPECT_NEAR(family.Gradients(raw.data(), y).gradient[2], static_cast<double>(score[2]), 1e-9);
  }
}

TEST(Families, QuantilesInvertShares) {
  for (auto const& example : Examples()) {
    auto const& family = *FindFamily(example.name);
    auto const parameters = ParametersOf(family, example.raw);
    auto const zeros = 1.0 - static_cast<double>(PlainShare(example.name, Long(example.raw)));
    for (auto const p : {1e-9, 0.01, 0.3, 0.5, 0.75, 0.999, 1.0 - 1e-9}) {
      auto const y = family.Quantile(parameters.data(), p);
      auto const at = family.Cumulative(parameters.data(), y);
      EXPECT_NEAR(at.lower + at.upper, 1.0, 1e-15);
      if (family.IsDiscrete()) {
        EXPECT_GE(at.lower, p * (1 - 1e-9)) << example.name << p;
        if (y > 0) {
          EXPECT_LT(family.Cumulative(parameters.data(), y - 1).lower, p) << example.name << p;
        }
      } else if (p > zeros) {
        EXPECT_NEAR(at.lower, p, 1e-11) << example.name;
        EXPECT_NEAR(at.upper, 1 - p, 1e-6 * (1 - p)) << example.name;
      } else {
        EXPECT_EQ(y, 0.0);
      }
    }
  }
}

TEST(Families, SharesAreIntegralsOfDensities) {
  for (auto const& example : Examples()) {
    auto const& family = *FindFamily(example.name);
    auto const parameters = ParametersOf(family, example.raw);
    for (auto const p : {0.05, 0.4, 0.9}) {
      auto const y = family.Quantile(parameters.data(), p);
      auto const share = [&](double at) { return family.Cumulative(parameters.data(), at).lower; };
      if (family.IsDiscrete()) {
        EXPECT_NEAR(share(y) - share(y - 1), std::exp(family.LogDensity(parameters.data(), y)), 1e-12) << example.name;
      } else if (y != 0.0) {
        auto const step = 1e-5 * family.Deviation(parameters.data());
        auto const width = std::isfinite(step) ? std::min(step, 1e-4 * std::fabs(y)) : 1e-5;
        auto const slope = (share(y + width) - share(y - width)) / (2 * width);
        EXPECT_NEAR(slope / std::exp(family.LogDensity(parameters.data(), y)), 1.0, 1e-5) << example.name << p;
      }
    }
  }
}

TEST(Families, MeansAndDeviationsAreThoseOfTheLabels) {
  for (auto const& example : Examples()) {
    auto const& family = *FindFamily(example.name);
    auto const parameters = ParametersOf(family, example.raw);
    if (!std::isfinite(family.Deviation(parameters.data()))) continue;
    Real mean = 0;
    Real square = 0;
    ForLabels(example.name, Long(example.raw), [&](Real y, Real chance) {
      mean += chance * y;
      square += chance * y * y;
    });
    auto const deviation = static_cast<double>(std::sqrt(square - mean * mean));
    EXPECT_NEAR(family.Mean(parameters.data()), static_cast<double>(mean), 2e-5 * deviation) << example.name;
    EXPECT_NEAR(family.Deviation(parameters.data()) / deviation, 1.0, 1e-3) << example.name;
  }
}

/// Integrates fn over [0, infinity) by Simpson's rule in sinh^-1 of the place.
Real HalfLine(Real scale, Real end, std::function<Real(Real)> const& fn) {
  constexpr int kParts = 8000;
  auto const last = std::asinh(end / scale);
  Real sum = 0;
  for (int i = 0; i <= kParts; ++i) {
    auto const u = last * i / kParts;
    auto const weight = i == 0 || i == kParts ? 1 : i % 2 == 0 ? 2 : 4;
    sum += weight * fn(scale * std::sinh(u)) * scale * std::cosh(u);
  }
  return sum * last / (3 * kParts);
}

TEST(Families, CrpsIsTheIntegralOfItsDefinition) {
  constexpr Real kFar = 1e12L;
  for (auto const& example : Examples()) {
    auto const& family = *FindFamily(example.name);
    auto const parameters = ParametersOf(family, example.raw);
    auto const tails = [&](Real x) { return family.Cumulative(parameters.data(), static_cast<double>(x)); };
    for (auto const y : example.labels) {
      Real expected = 0;
      if (family.IsDiscrete()) {
        for (int k = 0; k < 3000; ++k) expected += std::pow(k < y ? tails(k).lower : tails(k).upper, 2.0L);
      } else {
        Real const scale = IsOnLine(example.name) ? parameters[1] : 1e-3L * family.Mean(parameters.data());
        auto const below = IsOnLine(example.name) ? kFar : static_cast<Real>(y);
        auto const down = [&](Real x) { return std::pow(tails(y - x).lower, 2.0L); };
        auto const from_zero = [&](Real x) { return std::pow(tails(x).lower, 2.0L); };  // steep at 0
        expected = IsOnLine(example.name) ? HalfLine(scale, below, down) : HalfLine(scale * 1e-3L, below, from_zero);
        expected += HalfLine(scale, kFar, [&](Real x) { return std::pow(tails(y + x).upper, 2.0L); });
      }
      EXPECT_NEAR(family.Crps(parameters.data(), y) / static_cast<double>(expected), 1.0, 2e-5)
          << example.name << " " << y;
    }
  }
}

/// Calls fn with raw scores at, beyond and between the ends of their ranges.
void ForEnds(std::size_t n, std::function<void(Raw const&)> const& fn, Raw raw = {}) {
  if (raw.size() == n) return fn(raw);
  for (auto const end : {-100.0, -40.0, -12.0, 0.0, 12.0, 40.0, 100.0}) {
    raw.push_back(end);
    ForEnds(n, fn, raw);
    raw.pop_back();
  }
}

TEST(Families, NumbersAreFiniteAtTheEndsOfTheRanges) {
  for (auto const* family : Families()) {
    auto const labels =
        family->IsDiscrete() ? std::vector<double>{0.0, 1.0, 1e9} : std::vector<double>{1e-30, 1.0, 1e30};
    ForEnds(static_cast<std::size_t>(family->NumParameters()), [&](Raw const& raw) {
      auto const parameters = ParametersOf(*family, raw);
      for (auto const y : labels) {
        auto const row = family->Gradients(raw.data(), y);
        for (std::size_t k = 0; k < raw.size(); ++k) {
          EXPECT_TRUE(std::isfinite(row.gradient[k]))
              << family->Name() << k << " " << raw[0] << " " << raw.back() << " " << y;
          EXPECT_TRUE(std::isfinite(row.hessian[k]) && row.hessian[k] >= 0.0) << family->Name() << k;
        }
        auto const density = family->LogDensity(parameters.data(), y);
        EXPECT_FALSE(std::isnan(density) || density > 1000.0) << family->Name() << density;
        auto const tails = family->Cumulative(parameters.data(), y);
        EXPECT_TRUE(tails.lower >= 0.0 && tails.lower <= 1.0 && tails.upper >= 0.0 && tails.upper <= 1.0)
            << family->Name() << " " << raw[0] << " " << raw.back() << " " << y << " " << tails.lower;
      }
    });
  }
}

TEST(Families, NoGradientLeadsOutOfTheRanges) {
  for (auto const* family : Families()) {
    auto const first = family->IsUnitFree() ? 0 : 1;  // locations have no bounds
    auto const y = family->IsDiscrete() ? 3.0 : 0.7;
    for (int k = first; k < family->NumParameters(); ++k) {
      Raw raw(static_cast<std::size_t>(family->NumParameters()), 0.5);
      raw[static_cast<std::size_t>(k)] = 50.0;
      EXPECT_GE(family->Gradients(raw.data(), y).gradient[k], 0.0) << family->Name() << k;
      raw[static_cast<std::size_t>(k)] = -50.0;
      EXPECT_LE(family->Gradients(raw.data(), y).gradient[k], 0.0) << family->Name() << k;
    }
  }
}

TEST(Families, MeansRiseWithTheScoresThatMoveThem) {
  for (auto const& example : Examples()) {
    auto const& family = *FindFamily(example.name);
    auto const before = family.Mean(ParametersOf(family, example.raw).data());
    for (int k = 0; k < family.NumParameters(); ++k) {
      auto raw = example.raw;
      raw[static_cast<std::size_t>(k)] += 0.25;
      auto const after = family.Mean(ParametersOf(family, raw).data());
      if (family.MovesMean(k)) {
        EXPECT_GT(after, before) << example.name << k;
      } else {
        EXPECT_EQ(after, before) << example.name << k;
      }
    }
  }
}

TEST(Families, LargeCountsHaveScores) {
  for (auto const* family : Families()) {
    if (!family->IsDiscrete()) continue;
    for (auto const y : {0.0, 1.0, 1e9}) {
      Raw raw(static_cast<std::size_t>(family->NumParameters()), 0.5);
      raw[0] = std::log(1e9);
      auto const parameters = ParametersOf(*family, raw);
      auto const crps = family->Crps(parameters.data(), y);
      EXPECT_TRUE(std::isfinite(crps) && crps >= 0.0 && crps <= 1.1e9) << family->Name() << crps;
      auto const median = family->Quantile(parameters.data(), 0.5);
      EXPECT_TRUE(median >= 0.0 && median <= 2e9) << family->Name() << median;
    }
  }
}

}  // namespace
}  // namespace kauri::distribution
