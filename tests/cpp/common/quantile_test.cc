/// Quantiles of samples against their definitions.
#include "common/quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace kauri {
namespace {

/// Computes the quantile by sorting, as XGBoost defines it: positions are q (n + 1).
float Reference(std::vector<float> values, double q) {
  std::sort(values.begin(), values.end());
  auto const n = static_cast<double>(values.size());
  if (q <= 1.0 / (n + 1.0)) return values.front();
  if (q >= n / (n + 1.0)) return values.back();
  auto const place = q * (n + 1.0);
  auto const below = static_cast<std::size_t>(std::floor(place)) - 1;
  auto const share = place - 1.0 - static_cast<double>(below);
  auto const low = static_cast<double>(values[below]);
  return static_cast<float>(low + share * (static_cast<double>(values[below + 1]) - low));
}

/// Returns the first sorted value at which the cumulative share of the weight reaches q.
float Reference(std::vector<WeightedValue> values, double q) {
  std::sort(values.begin(), values.end(), [](auto const& a, auto const& b) { return a.value < b.value; });
  double total = 0.0;
  for (auto const& item : values) total += static_cast<double>(item.weight);
  for (auto const& item : values) {
    double below = 0.0;
    for (auto const& other : values) below += other.value <= item.value ? static_cast<double>(other.weight) : 0.0;
    if (below >= q * total * (1.0 - 1e-7)) return item.value;
  }
  return values.back().value;
}

TEST(Quantile, AgainstSorting) {
  std::mt19937 random(1);
  for (std::size_t const n : {1U, 2U, 3U, 10U, 31U, 257U}) {
    std::vector<float> values(n);
    std::vector<WeightedValue> weighted(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<float>(random() % 40) / 4.0F;  // ties
      weighted[i] = {values[i], static_cast<float>(random() % 5)};
    }
    weighted[0].weight = 1.0F;
    for (float const q : {0.0F, 0.01F, 0.2F, 0.25F, 0.5F, 0.77F, 0.999F, 1.0F}) {
      auto copy = values;
      EXPECT_EQ(Quantile(copy, q), Reference(values, static_cast<double>(q))) << n << " " << q;
      auto weighted_copy = weighted;
      EXPECT_EQ(Quantile(weighted_copy, q), Reference(weighted, static_cast<double>(q))) << n << " " << q;
    }
  }
}

TEST(Quantile, AsXGBoost) {
  // XGBoost 3.2.0's base score of reg:quantileerror at 0.2 over 41 - 1 labels lies between positions 8 and 9.
  std::vector<float> values;
  for (int i = 40; i > 0; --i) values.push_back(static_cast<float>(i));
  EXPECT_FLOAT_EQ(Quantile(values, 0.2F), 8.2F);
}

TEST(Quantile, SharesThatFloat32DoesNotHold) {
  std::vector<WeightedValue> values{{1.0F, 1.0F}, {2.0F, 9.0F}};
  EXPECT_EQ(Quantile(values, 0.1F), 1.0F);
  EXPECT_EQ(Quantile(values, 0.101F), 2.0F);
}

TEST(Quantile, WithoutWeightTheSmallest) {
  std::vector<WeightedValue> values{{3.0F, 0.0F}, {1.0F, 0.0F}};
  EXPECT_EQ(Quantile(values, 0.9F), 1.0F);
}

}  // namespace
}  // namespace kauri
