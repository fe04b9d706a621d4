/// Conversion of points on a sphere to orders: the map, orthogonal points, Sobol points, angles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/random/random.h"
#include "shapley/order_sets.h"
#include "shapley/sobol_points.h"
#include "shapley/sphere_points.h"

namespace kauri {
namespace {

/// Computes algorithm 2 as printed, with the matrix U.
std::vector<std::uint32_t> NaiveOrder(std::vector<double> const& point) {
  auto const d = point.size() + 1;
  std::vector<double> z(d, 0.0);
  for (std::size_t k = 1; k < d; ++k) {
    auto const norm = std::sqrt(static_cast<double>(k + k * k));
    for (std::size_t j = 0; j < k; ++j) z[j] += point[k - 1] / norm;
    z[k] -= static_cast<double>(k) * point[k - 1] / norm;
  }
  std::vector<std::uint32_t> order(d);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return z[a] < z[b]; });
  return order;
}

TEST(SphereMap, IsTheMatrixOfThePaper) {
  for (std::int32_t const d : {2, 3, 7, 31, 64}) {
    SphereMap const map(d);
    for (std::uint64_t trial = 0; trial < 20; ++trial) {
      std::vector<double> point(ToSize(d - 1));
      for (std::size_t i = 0; i < point.size(); ++i) point[i] = RandomUniform(trial, i) - 0.5;
      std::vector<std::uint32_t> order(ToSize(d));
      map.OrderOf(point, order);
      EXPECT_EQ(order, NaiveOrder(point)) << d;
    }
  }
}

/// Returns chi-square of the counts of all d! orders, in standard deviations from its mean.
double Deviation(OrderSampler sampler, std::int32_t d, std::int64_t n_sets) {
  std::map<std::vector<std::uint32_t>, std::int64_t> counts;
  for (std::int64_t seed = 0; seed < n_sets; ++seed) {
    auto const orders = Sampled(sampler, d, 1, static_cast<std::uint64_t>(seed));
    ++counts[orders.order];
  }
  auto n_orders = 1.0;
  for (std::int32_t k = 2; k <= d; ++k) n_orders *= k;
  auto const expected = static_cast<double>(n_sets) / n_orders;
  auto chi_square = (n_orders - static_cast<double>(counts.size())) * expected;
  for (auto const& [order, count] : counts) chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
  return (chi_square - (n_orders - 1.0)) / std::sqrt(2.0 * (n_orders - 1.0));
}

TEST(SphereMap, UniformPointsMakeUniformOrders) {
  for (auto const sampler : {OrderSampler::kMonteCarlo, OrderSampler::kOrthogonal, OrderSampler::kSobol}) {
    for (std::int32_t const d : {2, 3, 4, 5}) {
      EXPECT_LT(std::abs(Deviation(sampler, d, 100000)), 3.5) << static_cast<int>(sampler) << " " << d;
    }
  }
}

/// Theorem 2 bounds the product of two orders, as points of the unit sphere, by their Kendall correlation.
TEST(SphereMap, TheoremTwoHoldsForAllOrdersOfEight) {
  auto const all = AllOrders(8);
  auto const ranks = RanksOf(all);
  auto const square = 8.0 * 63.0 / 12.0;
  for (std::int64_t i = 0; i < all.n; ++i) {
    double product = 0.0;
    for (std::int64_t k = 0; k < 8; ++k) product += (static_cast<double>(k) - 3.5) * (ranks[i * 8 + k] - 3.5);
    auto const kendall =
        1.0 - static_cast<double>(CountDiscordant({ranks.data(), 8}, {ranks.data() + i * 8, 8})) / 14.0;
    auto const difference = product / square - 3.0 * kendall;
    ASSERT_GE(difference, -2.0 + 4.0 * std::pow((1.0 - kendall) / 2.0, 1.5) - 1e-12);
    ASSERT_LE(difference, 2.0 - 4.0 * std::pow((1.0 + kendall) / 2.0, 1.5) + 1e-12);
  }
}

TEST(Orthogonal, PairsAreReversesOrFarFromEachOther) {
  for (std::int32_t const d : {10, 30}) {
    auto const n = 2 * (d - 1);
    auto const ranks = RanksOf(Sampled(OrderSampler::kOrthogonal, d, n, 8));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        auto const count = CountDiscordant({ranks.data() + i * d, d}, {ranks.data() + j * d, d});
        auto const kendall = 1.0 - 4.0 * static_cast<double>(count) / (d * (d - 1));
        if (i % 2 == 1 && j == i - 1) {
          EXPECT_EQ(kendall, -1.0);
        } else {
          EXPECT_LE(std::abs(kendall), 0.5 + 1.0 / std::sqrt(d));
        }
      }
    }
  }
}

/// Integrates the density by Simpson's rule.
double ShareBelow(std::int32_t m, double angle) {
  auto const integral = [&](double end) {
    constexpr int kSteps = 20000;
    double sum = 0.0;
    for (int i = 0; i <= kSteps; ++i) {
      auto const weight = i == 0 || i == kSteps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
      sum += weight * std::pow(std::sin(end * i / kSteps), m);
    }
    return sum * end / (3.0 * kSteps);
  };
  return integral(angle) / integral(std::acos(-1.0));
}

TEST(SinePower, InvertsItsDistribution) {
  for (std::int32_t const m : {1, 2, 3, 7, 50, 197, 1000}) {
    SinePower const angles(m);
    for (double const u : {0x1p-30, 0x1p-13, 0.015625, 0.25, 0.46875, 0.5, 0.53125, 0.9375, 1.0 - 0x1p-10}) {
      auto const angle = angles.Inverse(u);
      EXPECT_NEAR(angle.cosine * angle.cosine + angle.sine * angle.sine, 1.0, 1e-14);
      EXPECT_NEAR(ShareBelow(m, std::atan2(angle.sine, angle.cosine)), u, 2e-12) << m;
      EXPECT_EQ(angles.Inverse(1.0 - u).sine, angle.sine) << m << " " << u;
    }
  }
  EXPECT_NEAR(SinePower(1).Inverse(0.125).cosine, 0.75, 1e-15);  // uniform in the cosine, as on a globe
}

TEST(SinePower, TurnsAreThoseOfTheLibrary) {
  for (int i = 0; i < 1000; ++i) {
    auto const u = (i + 0.3) / 1000.0;
    EXPECT_NEAR(TurnOf(u).cosine, std::cos(2.0 * std::acos(-1.0) * u), 1e-15);
    EXPECT_NEAR(TurnOf(u).sine, std::sin(2.0 * std::acos(-1.0) * u), 1e-15);
  }
}

TEST(SpherePoints, LieOnTheSphere) {
  for (std::int32_t const d : {2, 3, 4, 5, 40, 300}) {
    SpherePoints const points(d);
    std::vector<double> point(ToSize(d - 1));
    for (std::uint32_t i = 0; i < 50; ++i) {
      points.At(i, 3, point);
      EXPECT_NEAR(std::inner_product(point.begin(), point.end(), point.begin(), 0.0), 1.0, 1e-13) << d;
    }
  }
}

TEST(SobolPoints, PolynomialsArePrimitive) {
  // Worked by hand: x + 1, x^2 + x + 1, x^3 + x + 1, x^3 + x^2 + 1, x^4 + x + 1, x^4 + x^3 + 1.
  EXPECT_EQ(PrimitivePolynomials(6), (std::vector<std::uint32_t>{3, 7, 11, 13, 19, 25}));
  auto const all = PrimitivePolynomials(kSobolDimensions - 1);
  // There are Euler's phi(2^s - 1) / s polynomials of degree s.
  std::vector<int> const counts{1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630};
  for (std::size_t s = 1; s <= counts.size(); ++s) {
    auto const of_degree = [&](std::uint32_t polynomial) { return polynomial >> s == 1U; };
    EXPECT_EQ(std::count_if(all.begin(), all.end(), of_degree), counts[s - 1]) << s;
  }
}

/// Every interval of length 2^-k has one of the first 2^k points, in each dimension and also after scrambling.
TEST(SobolPoints, AreEvenInEveryDimension) {
  constexpr std::uint32_t kPoints = 64;
  SobolPoints const points(300);
  std::vector<std::vector<bool>> seen(300, std::vector<bool>(kPoints, false));
  std::vector<double> point(300);
  for (std::uint32_t i = 0; i < kPoints; ++i) {
    points.Scrambled(i, 77, point);
    for (std::size_t k = 0; k < point.size(); ++k) seen[k][static_cast<std::size_t>(point[k] * kPoints)] = true;
  }
  for (auto const& of_dimension : seen) EXPECT_EQ(std::count(of_dimension.begin(), of_dimension.end(), true), kPoints);
}

/// Scrambling moves all points but preserves which points share an interval.
TEST(SobolPoints, ScramblesPrefixes) {
  SobolPoints const points(5);
  std::vector<double> a(5);
  std::vector<double> b(5);
  for (std::uint32_t i = 0; i < 64; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      points.Scrambled(i, 1, a);
      points.Scrambled(j, 1, b);
      for (std::int32_t k = 0; k < 5; ++k) {
        auto const bits_a = static_cast<std::uint32_t>(a[ToSize(k)] * 0x1.0p32);
        auto const bits_b = static_cast<std::uint32_t>(b[ToSize(k)] * 0x1.0p32);
        EXPECT_EQ(__builtin_clz(bits_a ^ bits_b), __builtin_clz(points.Bits(i, k) ^ points.Bits(j, k)));
      }
    }
  }
}

}  // namespace
}  // namespace kauri
