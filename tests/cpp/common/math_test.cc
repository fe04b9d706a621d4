#include "common/math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace kauri {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kDenormMin = std::numeric_limits<double>::denorm_min();

double RelativeError(double value, long double truth) {
  if (truth == 0.0L) return value == 0.0 ? 0.0 : kInf;
  return static_cast<double>(std::fabs((static_cast<long double>(value) - truth) / truth));
}

/// Calls fn for every finite float32 bit pattern, in steps of `stride`.
template <typename Fn>
void ForFloats(std::uint32_t stride, Fn&& fn) {
  for (std::uint64_t bits = 0; bits < (1ULL << 32U); bits += stride) {
    auto const pattern = static_cast<std::uint32_t>(bits);
    float value;
    std::memcpy(&value, &pattern, sizeof(value));
    if (std::isfinite(value)) fn(value);
  }
}

TEST(Math, ExpWithinItsStatedError) {
  double worst = 0.0;
  std::mt19937_64 random(1);
  for (double bound : {1e-9, 1e-3, 0.35, 0.7, 20.0, 90.0, 708.0}) {
    std::uniform_real_distribution<double> arguments(-bound, bound);
    for (int i = 0; i < 200000; ++i) {
      auto const x = arguments(random);
      worst = std::max(worst, RelativeError(Exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  RecordProperty("worst_relative_error", std::to_string(worst * 1e15) + "e-15");
  EXPECT_LT(worst, 2e-14);
}

TEST(Math, ExpAroundTheMiddlesBetweenPowersOfTwo) {
  double worst = 0.0;
  for (int k = -1020; k <= 1021; ++k) {
    auto const middle = (k + 0.5) * 0.69314718055994530942;
    for (double x : {std::nextafter(middle, -kInf), middle, std::nextafter(middle, kInf)}) {
      worst = std::max(worst, RelativeError(Exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 2e-14);
}

TEST(Math, ExpEdges) {
  EXPECT_EQ(Exp(0.0), 1.0);
  EXPECT_EQ(Exp(-0.0), 1.0);
  EXPECT_LT(RelativeError(Exp(709.0), std::exp(709.0L)), 2e-14);
  EXPECT_LT(RelativeError(Exp(-708.0), std::exp(-708.0L)), 2e-14);
  EXPECT_EQ(Exp(std::nextafter(709.0, kInf)), kInf);
  EXPECT_EQ(Exp(std::nextafter(-708.0, -kInf)), 0.0);
  EXPECT_EQ(Exp(1e300), kInf);
  EXPECT_EQ(Exp(-1e300), 0.0);
  EXPECT_EQ(Exp(kInf), kInf);
  EXPECT_EQ(Exp(-kInf), 0.0);
  EXPECT_TRUE(std::isnan(Exp(kNaN)));
  EXPECT_EQ(Exp(kDenormMin), 1.0);
}

TEST(Math, LogWithinItsStatedError) {
  double worst = 0.0;
  std::mt19937_64 random(2);
  std::uniform_int_distribution<std::uint64_t> patterns(1, 0x7FEFFFFFFFFFFFFFULL);  // every positive finite float64
  for (int i = 0; i < 1000000; ++i) {
    auto const x = detail::BitsToDouble(patterns(random));
    worst = std::max(worst, RelativeError(Log(x), std::log(static_cast<long double>(x))));
  }
  for (double width : {1e-12, 1e-6, 1e-3, 0.25, 0.5}) {
    std::uniform_real_distribution<double> near_one(1.0 - width, 1.0 + width);
    for (int i = 0; i < 200000; ++i) {
      auto const x = near_one(random);
      worst = std::max(worst, RelativeError(Log(x), std::log(static_cast<long double>(x))));
    }
  }
  RecordProperty("worst_relative_error", std::to_string(worst * 1e15) + "e-15");
  EXPECT_LT(worst, 1e-15);
}

TEST(Math, LogEdges) {
  EXPECT_EQ(Log(1.0), 0.0);
  EXPECT_EQ(Log(0.0), -kInf);
  EXPECT_EQ(Log(-0.0), -kInf);
  EXPECT_EQ(Log(kInf), kInf);
  EXPECT_TRUE(std::isnan(Log(-1.0)));
  EXPECT_TRUE(std::isnan(Log(-kDenormMin)));
  EXPECT_TRUE(std::isnan(Log(-kInf)));
  EXPECT_TRUE(std::isnan(Log(kNaN)));
  double const smallest_normal = std::numeric_limits<double>::min();
  for (double x : {kDenormMin, 3 * kDenormMin, std::nextafter(smallest_normal, 0.0), smallest_normal,
                   std::numeric_limits<double>::max(), std::sqrt(2.0), std::nextafter(std::sqrt(2.0), 2.0),
                   std::nextafter(1.0, 0.0), std::nextafter(1.0, 2.0)}) {
    EXPECT_LT(RelativeError(Log(x), std::log(static_cast<long double>(x))), 1e-15) << x;
  }
}

TEST(Math, FloatFunctionsRoundCorrectlyAlmostAlways) {
  std::int64_t n = 0;
  std::int64_t wrong = 0;
  ForFloats(1009, [&](float x) {
    auto const wide = static_cast<long double>(x);
    auto const sigmoid = static_cast<float>(1.0L / (1.0L + std::exp(-wide)));
    n += 3;
    wrong += Sigmoid(x) != sigmoid;
    wrong += ExpFloat(x) != static_cast<float>(std::exp(wide));
    wrong += x >= 0.0F && LogFloat(x) != static_cast<float>(std::log(wide));
  });
  EXPECT_GT(n, 10000000);
  EXPECT_LE(wrong, n / 1000000) << "of " << n;
}

TEST(Math, SigmoidEdges) {
  EXPECT_EQ(Sigmoid(0.0F), 0.5F);
  EXPECT_EQ(Sigmoid(1e30F), 1.0F);
  EXPECT_EQ(Sigmoid(-1e30F), 0.0F);
  EXPECT_EQ(Sigmoid(std::numeric_limits<float>::infinity()), 1.0F);
  EXPECT_EQ(Sigmoid(-std::numeric_limits<float>::infinity()), 0.0F);
  EXPECT_TRUE(std::isnan(Sigmoid(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_GT(Sigmoid(-103.0F), 0.0F);
}

TEST(Math, SigmoidIsMonotone) {
  float last = 0.0F;
  for (float x = -120.0F; x < 40.0F; x += 0.001F) {
    auto const value = Sigmoid(x);
    ASSERT_GE(value, last) << x;
    last = value;
  }
}

TEST(Math, VectorCodeGivesTheScalarBits) {
  std::vector<double> arguments{kNaN,   kInf,   -kInf,      0.0,    -0.0, 709.0, 709.1,
                                -708.0, -708.1, kDenormMin, 1e-310, -1.0, 1e308};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> wide(-800.0, 800.0);
  while (arguments.size() < 1003) arguments.push_back(wide(random));
  std::vector<double> exps(arguments.size());
  std::vector<double> logs(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) exps[i] = Exp(arguments[i]);
  for (std::size_t i = 0; i < arguments.size(); ++i) logs[i] = Log(arguments[i]);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    double volatile one = arguments[i];  // keeps the compiler from vectorising this loop
    if (std::isnan(exps[i])) {
      EXPECT_TRUE(std::isnan(Exp(one)));
    } else {
      EXPECT_EQ(exps[i], Exp(one)) << one;
    }
    if (std::isnan(logs[i])) {
      EXPECT_TRUE(std::isnan(Log(one)));
    } else {
      EXPECT_EQ(logs[i], Log(one)) << one;
    }
  }
}

}  // namespace
}  // namespace kauri
