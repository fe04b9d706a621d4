#include "common/host_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace kauri {
namespace {

constexpr long double kPi = 3.14159265358979323846264338327950288L;

double RelativeError(double value, long double truth) {
  if (truth == 0.0L) return value == 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
  return static_cast<double>(std::fabs((static_cast<long double>(value) - truth) / truth));
}

TEST(HostMath, IntegerPowersWithinTheirStatedError) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> bases(-2.0, 2.0);
  for (int i = 0; i < 2000; ++i) {
    auto const base = bases(random);
    long double truth = 1.0L;
    for (std::int32_t exponent = 0; exponent <= 64; ++exponent, truth *= base) {
      EXPECT_LE(RelativeError(IntegerPower(base, exponent), truth), (exponent + 1) * 1.2e-16) << base << exponent;
      EXPECT_LE(RelativeError(IntegerPower(base, -exponent), 1.0L / truth), (exponent + 2) * 1.2e-16);
    }
  }
  EXPECT_EQ(IntegerPower(0.0, 0), 1.0);
  EXPECT_EQ(IntegerPower(0.0, 3), 0.0);
  EXPECT_EQ(IntegerPower(1.0, std::numeric_limits<std::int32_t>::min()), 1.0);
}

TEST(HostMath, RealPowersWithinTheirStatedError) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> bases(0.0, 40.0);
  std::uniform_real_distribution<double> exponents(-5.0, 5.0);
  for (int i = 0; i < 100000; ++i) {
    auto const base = bases(random);
    auto const exponent = exponents(random);
    auto const truth = std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
    EXPECT_LE(RelativeError(RealPower(base, exponent), truth), 2e-14 + 1e-15 * std::fabs(exponent * std::log(base)));
  }
  EXPECT_EQ(RealPower(0.0, 0.0), 1.0);
  EXPECT_EQ(RealPower(0.0, 0.5), 0.0);
  EXPECT_EQ(RealPower(0.0, -0.5), std::numeric_limits<double>::infinity());
  EXPECT_EQ(RealPower(3.0, 0.0), 1.0);
}

TEST(HostMath, LogOfOnePlusWithinItsStatedError) {
  std::mt19937_64 random(3);
  for (auto const scale : {1e-300, 1e-17, 1e-10, 1e-5, 0.1, 0.5, 0.999999}) {
    std::uniform_real_distribution<double> arguments(-scale, scale);
    for (int i = 0; i < 20000; ++i) {
      auto const x = arguments(random);
      EXPECT_LE(RelativeError(LogOfOnePlus(x), std::log1p(static_cast<long double>(x))), 2e-15) << x;
    }
  }
  EXPECT_EQ(LogOfOnePlus(0.0), 0.0);
  EXPECT_EQ(LogOfOnePlus(detail::Infinity()), detail::Infinity());
  EXPECT_EQ(LogOfOnePlus(-0x1p-53), -0x1p-53);
}

TEST(HostMath, CosineWithinItsStatedError) {
  for (int i = 0; i <= 10000; ++i) {
    auto const x = static_cast<double>(kPi) * i / 10000.0;
    EXPECT_NEAR(CosineToPi(x), static_cast<double>(std::cos(static_cast<long double>(x))), 3e-15) << x;
  }
}

}  // namespace
}  // namespace kauri
