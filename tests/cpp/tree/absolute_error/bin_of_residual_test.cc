#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/random_matrix.h"
#include "tree/absolute_error/label_binner.h"
#include "tree/absolute_error/label_edges.h"

namespace kauri {
namespace {

TEST(BinOfResidual, IsHowManyEdgesAreNotAboveIt) {
  constexpr auto kInfinite = std::numeric_limits<float>::infinity();
  testing::Random random(3);
  for (std::size_t const n_edges : {0U, 1U, 20U, 63U}) {
    LabelEdges edges;
    edges.fill(kInfinite);
    for (std::size_t i = 0; i < n_edges; ++i) edges[i] = random.Normal();
    std::sort(edges.begin(), edges.end());
    for (std::size_t const n : {0U, 1U, 15U, 16U, 17U, 100U}) {
      std::vector<float> residuals{std::nanf(""), kInfinite, -kInfinite, edges[0], edges[n_edges / 2], -0.0F};
      while (residuals.size() < n) residuals.push_back(random.Normal());
      residuals.resize(n);
      std::vector<std::uint8_t> bins(n + 1, 77);
      FindBins(residuals, edges, bins.data());
      for (std::size_t i = 0; i < n; ++i) {
        auto const expected =
            std::count_if(edges.begin(), edges.end() - 1, [&](float edge) { return edge <= residuals[i]; });
        EXPECT_EQ(std::int64_t{bins[i]}, expected) << n_edges << " " << n << " " << i;
        EXPECT_EQ(BinOfResidual(residuals[i], edges.data()), bins[i]) << n_edges << " " << n << " " << i;
      }
      EXPECT_EQ(bins[n], 77);
    }
  }
}

}  // namespace
}  // namespace kauri
