/// The normal tail, compared with libm in long double, and likelihoods of survival times that use it.
#include <gtest/gtest.h>

#include <cmath>

#include "common/loss/aft_loss.h"

namespace kauri {
namespace {

long double TailOf(long double z) { return std::erfc(z / std::sqrt(2.0L)) / 2.0L; }

TEST(NormalTail, AgainstLibm) {
  for (double z = -40.0; z < 37.0; z += 0.0173) {
    auto const truth = static_cast<double>(TailOf(static_cast<long double>(z)));
    EXPECT_NEAR(NormalTail(z) / truth, 1.0, 2e-13) << z;
  }
  EXPECT_EQ(NormalTail(1e200), 0.0);
  EXPECT_EQ(NormalTail(-1e200), 1.0);
  EXPECT_EQ(NormalTail(detail::Infinity()), 0.0);
  EXPECT_EQ(NormalTail(-detail::Infinity()), 1.0);
}

TEST(MillsRatio, AgainstLibmAndItsLimit) {
  auto const half_pi = std::acos(-1.0L) / 2.0L;
  EXPECT_NEAR(MillsRatio(0.0), static_cast<double>(std::sqrt(half_pi)), 1e-15);
  for (double z = 0.0; z < 100.0; z = z * 1.01 + 0.001) {
    auto const x = static_cast<long double>(z);
    auto const truth = TailOf(x) * std::sqrt(4.0L * half_pi) * std::exp(x * x / 2.0L);
    EXPECT_NEAR(MillsRatio(z) / static_cast<double>(truth), 1.0, 1e-15 + 1e-19 * z * z) << z;
  }
  for (double const z : {1e4, 1e8, 1e100}) EXPECT_NEAR(MillsRatio(z) * z, 1.0, 1.1 / z / z + 1e-15) << z;
}

}  // namespace
}  // namespace kauri
