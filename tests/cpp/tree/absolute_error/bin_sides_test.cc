#include "tree/absolute_error/bin_sides.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random_matrix.h"

namespace kauri {
namespace {

/// Computes the errors by the definition: searches the quantile's bin from the first one on; every bin counts as its
/// mean residual.
double NaiveErrors(FixedResiduals const& residuals, LabelSums const& bins) {
  auto const& errors = residuals.Errors();
  ResidualSum all;
  for (auto const& bin : bins) all += bin;
  if (all.weight <= 0) return 0.0;
  auto const target = errors.above / (errors.above + errors.below) * static_cast<double>(all.weight);
  ResidualSum reached;
  std::size_t at = 0;
  for (; at < kLabelBins; ++at) {
    reached += bins[at];
    if (reached.weight > 0 && static_cast<double>(reached.weight) >= target) break;
  }
  auto const constant = residuals.ProductOf(bins[at]) / residuals.WeightOf(bins[at]);
  auto sum = 0.0;
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) {
    auto const distance = residuals.ProductOf(bins[bin]) - residuals.WeightOf(bins[bin]) * constant;
    if (bin != at) sum += (bin > at ? errors.above : -errors.below) * distance;
  }
  return sum;
}

/// Rows whose residuals increase with their label bins, some of which are empty; some weights are 0.
struct Rows {
  std::vector<float> residuals;
  std::vector<float> weights;
  std::vector<std::size_t> bins;

  explicit Rows(std::uint64_t seed) {
    testing::Random random(seed);
    auto const n_bins = seed % 3 == 0 ? 3U : 64U;
    for (int row = 0; row < 400; ++row) {
      bins.push_back(random.Below(n_bins));
      residuals.push_back(std::sinh(0.1F * (static_cast<float>(bins.back()) + static_cast<float>(random.Uniform()))) -
                          20.0F);
      weights.push_back(static_cast<float>(random.Below(3)));
    }
  }
};

TEST(BinSides, AreThoseOfTheDefinitionWhereverTheBoundaryIs) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Rows const rows(seed);
    auto const quantile = seed < 3 ? 0.5 : 0.1 + 0.2 * static_cast<double>(seed - 3);
    FixedResiduals const residuals(Context{}, {rows.residuals, rows.weights, quantile, 1.0 - quantile}, {});
    LabelSums left{};
    LabelSums right{};
    ResidualSum all;
    for (std::size_t row = 0; row < rows.bins.size(); ++row) {
      right[rows.bins[row]] += residuals.Of(static_cast<std::int64_t>(row));
      all += residuals.Of(static_cast<std::int64_t>(row));
    }
    auto const node = right;
    BinSides sides(residuals, node, all);
    for (std::size_t row = 0; row < rows.bins.size(); ++row) {
      auto const bin = rows.bins[row];
      auto const sum = residuals.Of(static_cast<std::int64_t>(row));
      left[bin] += sum;
      right[bin] -= sum;
      sides.MoveLeft(bin, sum);
      if (row % 7 == 3) continue;  // boundaries that are skipped
      auto const expected = NaiveErrors(residuals, left);
      EXPECT_NEAR(sides.LeftErrors(), expected, 1e-9 * (1.0 + expected)) << seed << " " << row;
      auto const of_right = NaiveErrors(residuals, right);
      EXPECT_NEAR(sides.RightErrors(), of_right, 1e-9 * (1.0 + of_right)) << seed << " " << row;
    }
    EXPECT_EQ(sides.RightErrors(), 0.0);
    EXPECT_GT(sides.LeftErrors(), 0.0);
  }
}

}  // namespace
}  // namespace kauri
