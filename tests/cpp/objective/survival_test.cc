/// survival:cox and survival:aft, compared with differences of their likelihoods, in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "common/loss/aft_loss.h"
#include "objective_fixture.h"

namespace kauri {
namespace {

using Real = long double;

float const kInfinity = std::numeric_limits<float>::infinity();

/// Returns minus the logarithm of the partial likelihood, by its definition: O(n^2).
Real CoxLoss(std::vector<Real> const& margins, std::vector<float> const& labels) {
  Real loss = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] <= 0.0F) continue;
    Real risk = 0;
    for (std::size_t j = 0; j < labels.size(); ++j) {
      if (std::fabs(labels[j]) >= labels[i]) risk += std::exp(margins[j]);
    }
    loss += std::log(risk) - margins[i];
  }
  return loss;
}

/// Returns whole times with many ties; every third row is censored.
std::vector<float> TiedTimes(std::size_t n) {
  auto times = RandomValues(n, 0.0F, 7.0F, 2);
  for (std::size_t i = 0; i < n; ++i) times[i] = std::floor(times[i]) * (i % 3 == 0 ? -1.0F : 1.0F);
  return times;
}

TEST(Cox, GradientIsTheDerivativeOfTheLikelihoodWithTies) {
  std::size_t const n = 40;
  auto const labels = TiedTimes(n);
  auto const margins = RandomValues(n, -2.0F, 2.0F, 1);
  auto const pairs = GradientsOf(*MakeObjective("survival:cox"), margins, MakeInfo(labels));
  Real const h = 1e-3L;
  for (std::size_t row = 0; row < n; ++row) {
    std::vector<Real> middle(margins.begin(), margins.end());
    auto up = middle;
    auto down = middle;
    up[row] += h;
    down[row] -= h;
    Real const loss_up = CoxLoss(up, labels);
    Real const loss_down = CoxLoss(down, labels);
    EXPECT_NEAR(pairs[row].gradient, static_cast<double>((loss_up - loss_down) / (2 * h)), 2e-6) << row;
    auto const hessian = static_cast<double>((loss_up - 2 * CoxLoss(middle, labels) + loss_down) / (h * h));
    EXPECT_NEAR(pairs[row].hessian, hessian, 2e-6) << row;
  }
}

/// Uses several blocks of sums, with a time that continues from one block to the next.
TEST(Cox, ManyRowsFollowTheLikelihoodWhateverTheThreads) {
  std::size_t const n = 20001;
  auto labels = RandomValues(n, 0.0F, 9.0F, 3);
  for (std::size_t i = 0; i < n; ++i) labels[i] = std::floor(labels[i] * 500.0F) * (i % 3 == 0 ? -0.002F : 0.002F);
  auto const margins = RandomValues(n, -2.0F, 2.0F, 4);
  auto const objective = MakeObjective("survival:cox");
  auto const one = GradientsOf(*objective, margins, MakeInfo(labels), 1);
  auto const eight = GradientsOf(*objective, margins, MakeInfo(labels), 8);
  EXPECT_EQ(std::memcmp(one.data(), eight.data(), n * sizeof(GradientPair)), 0);
  std::map<float, std::pair<Real, Real>> of_time;  // hazards and events
  for (std::size_t i = 0; i < n; ++i) {
    auto& sums = of_time[std::fabs(labels[i])];
    sums.first += std::exp(static_cast<Real>(margins[i]));
    sums.second += labels[i] > 0.0F ? 1 : 0;
  }
  Real risk = 0;
  for (auto time = of_time.rbegin(); time != of_time.rend(); ++time) time->second.first = risk += time->second.first;
  Real inverse = 0;
  for (auto& time : of_time) time.second.first = inverse += time.second.second / time.second.first;
  for (std::size_t i = 0; i < n; ++i) {
    auto const expected = std::exp(static_cast<Real>(margins[i])) * of_time.at(std::fabs(labels[i])).first;
    ASSERT_NEAR(one[i].gradient, static_cast<double>(expected) - (labels[i] > 0.0F ? 1.0 : 0.0),
                2e-7 * (1.0 + static_cast<double>(expected)));
  }
}

TEST(Cox, WeightsMultiplyAndTheOrderOfRowsDoesNotMatter) {
  std::size_t const n = 50;
  auto const labels = TiedTimes(n);
  auto const margins = RandomValues(n, -2.0F, 2.0F, 1);
  auto const objective = MakeObjective("survival:cox");
  auto const plain = GradientsOf(*objective, margins, MakeInfo(labels));
  auto const weighted = GradientsOf(*objective, margins, MakeInfo(labels, std::vector<float>(n, 4.0F)));
  std::vector<float> const mirrored_labels(labels.rbegin(), labels.rend());
  std::vector<float> const mirrored_margins(margins.rbegin(), margins.rend());
  auto const mirrored = GradientsOf(*objective, mirrored_margins, MakeInfo(mirrored_labels));
  for (std::size_t row = 0; row < n; ++row) {
    EXPECT_EQ(weighted[row].gradient, 4.0F * plain[row].gradient);
    EXPECT_EQ(weighted[row].hessian, 4.0F * plain[row].hessian);
    EXPECT_NEAR(mirrored[n - 1 - row].gradient, plain[row].gradient, 1e-6F);
  }
}

TEST(Cox, LargeMarginsDoNotOverflow) {
  auto const objective = MakeObjective("survival:cox");
  auto const large = GradientsOf(*objective, {500.0F, 501.0F, 499.5F}, MakeInfo({1.0F, -2.0F, 3.0F}));
  auto const small = GradientsOf(*objective, {0.0F, 1.0F, -0.5F}, MakeInfo({1.0F, -2.0F, 3.0F}));
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(large[row].gradient, small[row].gradient);
    EXPECT_EQ(large[row].hessian, small[row].hessian);
  }
}

TEST(Cox, NothingToLearn) {
  auto const objective = MakeObjective("survival:cox");
  for (auto const pair : GradientsOf(*objective, {1.0F, 2.0F}, MakeInfo({-1.0F, -3.0F}))) {
    EXPECT_EQ(pair.gradient, 0.0F);
    EXPECT_EQ(pair.hessian, 0.0F);
  }
  EXPECT_EQ(objective->EstimateBaseScore(Context{}, MakeInfo({-1.0F, -3.0F})), std::vector<float>{1.0F});
  EXPECT_EQ(objective->EstimateBaseScore(Context{}, MakeInfo({})), std::vector<float>{1.0F});
}

struct Interval {
  float lower;
  float upper;
};

std::vector<Interval> const kIntervals{{2.0F, 2.0F},      {0.3F, 0.3F}, {0.0F, 2.0F},  {1.5F, kInfinity},
                                       {0.0F, kInfinity}, {1.0F, 4.0F}, {0.5F, 0.51F}, {40.0F, 50.0F}};

struct Noise {
  char const* name;
  Real (*density)(Real z);
  Real (*below)(Real z);  ///< P(noise <= z)
  Real (*above)(Real z);
};

std::vector<Noise> const kNoises{
    {"normal", [](Real z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L)); },
     [](Real z) { return std::erfc(-z / std::sqrt(2.0L)) / 2; },
     [](Real z) { return std::erfc(z / std::sqrt(2.0L)) / 2; }},
    {"logistic", [](Real z) { return 1 / (2 + std::exp(z) + std::exp(-z)); },
     [](Real z) { return 1 / (1 + std::exp(-z)); }, [](Real z) { return 1 / (1 + std::exp(z)); }},
    {"extreme", [](Real z) { return std::exp(z - std::exp(z)); }, [](Real z) { return -std::expm1(-std::exp(z)); },
     [](Real z) { return std::exp(-std::exp(z)); }}};

Real AftReference(Noise const& noise, Real scale, Real margin, Interval interval) {
  Real const low = (std::log(static_cast<Real>(interval.lower)) - margin) / scale;
  Real const high = (std::log(static_cast<Real>(interval.upper)) - margin) / scale;
  if (interval.lower == interval.upper) return -std::log(noise.density(low) / (scale * interval.lower));
  // Uses the difference that cancels less.
  return -std::log(low > 0 ? noise.above(low) - noise.above(high) : noise.below(high) - noise.below(low));
}

MetaInfo MakeBounds(std::vector<Interval> const& intervals, std::vector<float> weights = {}) {
  MetaInfo info;
  info.n_rows = static_cast<std::int64_t>(intervals.size());
  info.weights = std::move(weights);
  for (auto const& interval : intervals) {
    info.label_lower_bound.push_back(interval.lower);
    info.label_upper_bound.push_back(interval.upper);
  }
  return info;
}

std::unique_ptr<Objective> MakeAft(std::string const& noise, std::string const& scale) {
  return MakeObjective("survival:aft", {{"aft_loss_distribution", noise}, {"aft_loss_distribution_scale", scale}});
}

TEST(Aft, GradientIsTheDerivativeOfTheLikelihood) {
  Real const h = 1e-4L;
  for (auto const& noise : kNoises) {
    for (auto const* scale : {"0.75", "1", "2"}) {
      auto const objective = MakeAft(noise.name, scale);
      Real const s = std::stold(scale);
      for (auto const& interval : kIntervals) {
        for (float const margin : {-2.0F, -0.5F, 0.0F, 0.4F, 1.25F, 3.0F}) {
          auto const pair = GradientsOf(*objective, {margin}, MakeBounds({interval}))[0];
          Real const up = AftReference(noise, s, margin + h, interval);
          Real const middle = AftReference(noise, s, margin, interval);
          Real const down = AftReference(noise, s, margin - h, interval);
          auto const gradient = std::clamp(static_cast<double>((up - down) / (2 * h)), -15.0, 15.0);
          auto const hessian = std::clamp(static_cast<double>((up - 2 * middle + down) / (h * h)), 1e-16, 15.0);
          EXPECT_NEAR(pair.gradient, gradient, 2e-5 * (1.0 + std::fabs(gradient)))
              << noise.name << " " << scale << " [" << interval.lower << ", " << interval.upper << "] " << margin;
          EXPECT_NEAR(pair.hessian, hessian, 2e-5 * (1.0 + hessian))
              << noise.name << " " << scale << " [" << interval.lower << ", " << interval.upper << "] " << margin;
        }
      }
    }
  }
}

TEST(Aft, MarginsFarOffHaveTheirLimits) {
  for (auto const& noise : kNoises) {
    auto const objective = MakeAft(noise.name, "1");
    for (float const margin : {-1e9F, -1e4F, -300.0F, -45.0F, 45.0F, 300.0F, 1e4F, 1e9F}) {
      for (auto const& interval : kIntervals) {
        auto const pair = GradientsOf(*objective, {margin}, MakeBounds({interval}))[0];
        EXPECT_TRUE(pair.gradient >= -15.0F && pair.gradient <= 15.0F) << noise.name << " " << margin;
        EXPECT_TRUE(pair.hessian >= 1e-16F && pair.hessian <= 15.0F) << noise.name << " " << margin;
        // A margin below all bounds must rise and one above them must fall, unless that side is unbounded.
        auto const must_rise = margin < 0.0F && interval.lower > 0.0F;
        auto const must_fall = margin > 0.0F && interval.upper < kInfinity;
        EXPECT_TRUE(!must_rise || pair.gradient < -0.9F) << noise.name << " " << margin << " " << pair.gradient;
        EXPECT_TRUE(!must_fall || pair.gradient > 0.9F) << noise.name << " " << margin << " " << pair.gradient;
      }
    }
  }
}

TEST(Aft, LikelihoodAgainstItsDefinition) {
  for (int noise = 0; noise < 3; ++noise) {
    for (double const scale : {0.75, 2.0}) {
      AftLoss const loss{noise, scale};
      for (auto const& interval : kIntervals) {
        for (float const margin : {-1.0F, 0.0F, 0.4F, 2.0F}) {
          auto const expected = AftReference(kNoises[noise], scale, margin, interval);
          auto const capped = std::min(static_cast<double>(expected), -std::log(1e-12));
          EXPECT_NEAR(loss(margin, interval.lower, interval.upper), capped, 2e-6 * (1.0 + capped));
        }
      }
    }
  }
}

TEST(Aft, WeightsMultiply) {
  auto const objective = MakeAft("logistic", "1.5");
  std::vector<float> const margins(kIntervals.size(), 0.25F);
  auto const plain = GradientsOf(*objective, margins, MakeBounds(kIntervals));
  auto const info = MakeBounds(kIntervals, std::vector<float>(kIntervals.size(), 4.0F));
  auto const weighted = GradientsOf(*objective, margins, info);
  for (std::size_t row = 0; row < plain.size(); ++row) {
    EXPECT_EQ(weighted[row].gradient, 4.0F * plain[row].gradient);
    EXPECT_EQ(weighted[row].hessian, 4.0F * plain[row].hessian);
  }
}

TEST(Aft, SameBitsForAnyThreadCount) {
  std::size_t const n = 20001;
  std::vector<Interval> intervals(n);
  for (std::size_t row = 0; row < n; ++row) intervals[row] = kIntervals[row % kIntervals.size()];
  auto const margins = RandomValues(n, -3.0F, 3.0F, 1);
  auto const info = MakeBounds(intervals);
  auto const objective = MakeAft("normal", "1");
  auto const one = GradientsOf(*objective, margins, info, 1);
  auto const eight = GradientsOf(*objective, margins, info, 8);
  EXPECT_EQ(std::memcmp(one.data(), eight.data(), n * sizeof(GradientPair)), 0);
}

TEST(Aft, PredictionsAreTimesAndMetricsSeeMargins) {
  auto const objective = MakeAft("normal", "1");
  std::vector<float> values{0.0F, 1.0F};
  objective->TransformMargins(Context{}, values, 1);
  EXPECT_FLOAT_EQ(values[1], std::exp(1.0F));
  EXPECT_TRUE(objective->EvaluatesMargins());
  EXPECT_FALSE(MakeObjective("survival:cox")->EvaluatesMargins());
  EXPECT_EQ(objective->EstimateBaseScore(Context{}, MakeBounds(kIntervals)), std::vector<float>{0.5F});
  EXPECT_FLOAT_EQ(objective->BaseScoreToMargin(0.5F), std::log(0.5F));
}

std::string BoundsError(MetaInfo const& info) {
  return MessageOf(ErrorKind::kData, [&] { MakeObjective("survival:aft")->ValidateInfo(Context(), info); });
}

TEST(Aft, Bounds) {
  MakeObjective("survival:aft")->ValidateInfo(Context(), MakeBounds(kIntervals));
  auto none = MakeBounds({});
  none.n_rows = 3;
  none.labels = {1.0F, 2.0F, 3.0F};
  EXPECT_NE(BoundsError(none).find("0 values of label_lower_bound"), std::string::npos);
  for (auto const& bad : std::vector<Interval>{{-1.0F, 2.0F}, {0.0F, 0.0F}, {3.0F, 2.0F}, {NAN, 2.0F}, {1.0F, NAN}}) {
    auto const message = BoundsError(MakeBounds({{1.0F, 2.0F}, bad}));
    EXPECT_NE(message.find("row 1"), std::string::npos) << message;
    EXPECT_NE(message.find("0 <= label_lower_bound"), std::string::npos) << message;
  }
  EXPECT_NE(BoundsError(MakeBounds({{1.0F, 2.0F}}, {1.0F, 1.0F})).find("2 weights"), std::string::npos);
}

}  // namespace
}  // namespace kauri
