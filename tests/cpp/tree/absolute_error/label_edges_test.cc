#include "tree/absolute_error/label_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "support/random_matrix.h"
#include "tree/absolute_error/label_binner.h"

namespace kauri {
namespace {

std::vector<float> Edges(std::vector<double> const& shares, std::vector<float> const& ascending) {
  std::vector<float> edges(kLabelBins);
  auto const value_of = [&](std::int64_t i) { return ascending[static_cast<std::size_t>(i)]; };
  PickEdges(shares.data(), static_cast<std::int64_t>(ascending.size()), value_of, edges.data());
  return edges;
}

/// The edges are the distinct values at the ascending shares that are above the smallest value.
TEST(LabelEdges, AreTheValuesAtTheShares) {
  testing::Random random(1);
  for (auto const quantile : {0.1, 0.5, 0.9}) {
    auto const shares = SharesOfEdges(quantile);
    ASSERT_EQ(shares.size(), kLabelBins - 1);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    for (std::size_t const n : {0U, 1U, 2U, 63U, 64U, 500U, 4096U}) {
      std::vector<float> values;
      for (std::size_t i = 0; i < n; ++i) values.push_back(n == 500 ? std::floor(random.Normal()) : random.Normal());
      std::sort(values.begin(), values.end());
      std::set<float> expected;
      for (auto const share : shares) {
        auto const rank = static_cast<std::size_t>(share * static_cast<double>(n));
        if (n > 0 && values[std::min(rank, n - 1)] > values[0]) expected.insert(values[std::min(rank, n - 1)]);
      }
      auto const edges = Edges(shares, values);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), edges.begin())) << n;
      EXPECT_EQ(std::count(edges.begin(), edges.end(), kNoEdge),
                static_cast<std::ptrdiff_t>(kLabelBins - expected.size()));
    }
  }
}

TEST(LabelEdges, NoMoreRowsThanTheMostDecide) {
  for (std::int64_t const n : {0, 1, 4095, 4096, 4097, 8192, 8193, 10'000'000}) {
    auto const stride = EdgeStride(n);
    EXPECT_LE((n + stride - 1) / stride, kMostEdgeRows) << n;
    if (stride == 1) continue;
    EXPECT_GT((n + stride - 2) / (stride - 1), kMostEdgeRows) << n;
  }
}

TEST(OrderedBits, AscendWithTheNumbers) {
  constexpr auto kInfinite = std::numeric_limits<float>::infinity();
  float const ascending[] = {-kInfinite, -1e30F, -1.0F, -1e-40F, -0.0F, 0.0F, 1e-40F, 1.0F, 1e30F, kInfinite};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    auto const bits = OrderedBits(ascending[i]);
    EXPECT_EQ(FloatOfOrdered(bits), ascending[i]);
    EXPECT_LT(bits, i + 1 < std::size(ascending) ? OrderedBits(ascending[i + 1]) : kNoOrderedBits) << i;
  }
}

}  // namespace
}  // namespace kauri
