#include "research/absolute_error/label_moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "research/absolute_error/exact_errors.h"
#include "research/absolute_error/moment_errors.h"
#include "support/random_matrix.h"
#include "tree/absolute_error/naive_errors.h"

namespace kauri {
namespace {

using testing::MakeRows;
using testing::NaiveErrors;
using testing::Random;
using testing::Rows;

testing::Found Search(Rows const& rows) { return testing::Search<LabelMomentSearch>(rows); }

PowerSums SumsOf(std::vector<float> const& values, std::vector<float> const& weights = {}) {
  PowerSumTree sums(kErrorMoments);
  sums.Add(values, weights);
  return sums.Sums();
}

/// Computes the estimate by the definition: Legendre polynomials in closed form, means of the mapped values, and the
/// distribution at the ends of 64 cells as the integral of the density, all by fine sums.
double NaiveEstimate(std::vector<float> const& values, LineErrors const& errors) {
  constexpr int kSteps = 2000;  // steps per cell
  auto const [low, high] = std::minmax_element(values.begin(), values.end());
  auto const half = 0.5 * (static_cast<double>(*high) - static_cast<double>(*low));
  auto const legendre = [](int k, double x) {
    double const all[] = {1.0,
                          x,
                          0.5 * (3.0 * x * x - 1.0),
                          0.5 * (5.0 * x * x * x - 3.0 * x),
                          (35.0 * std::pow(x, 4) - 30.0 * x * x + 3.0) / 8.0,
                          (63.0 * std::pow(x, 5) - 70.0 * x * x * x + 15.0 * x) / 8.0};
    return all[k];
  };
  double factors[6] = {};
  for (int k = 0; k < 6; ++k) {
    for (auto const value : values)
      factors[k] += legendre(k, (static_cast<double>(value) - static_cast<double>(*low)) / half - 1.0);
    factors[k] *= (2.0 * k + 1.0) / 2.0 / static_cast<double>(values.size());
  }
  auto const step = 2.0 / (64 * kSteps);
  double ends[65] = {};
  for (int i = 0; i < 64 * kSteps; ++i) {
    if (i % kSteps == 0) ends[i / kSteps + 1] = ends[i / kSteps];
    for (int k = 0; k < 6; ++k) ends[i / kSteps + 1] += step * factors[k] * legendre(k, -1.0 + (i + 0.5) * step);
  }
  auto below = 0.0;
  auto above = 0.0;
  auto is_reached = false;
  for (int i = 0; i < 64 * kSteps; ++i) {
    auto const part = (i % kSteps + 0.5) / kSteps;
    auto const share = (1.0 - part) * ends[i / kSteps] + part * ends[i / kSteps + 1];
    is_reached = is_reached || share >= errors.above / (errors.above + errors.below);
    (is_reached ? above : below) += step * (is_reached ? 1.0 - share : share);
  }
  return static_cast<double>(values.size()) * half * (errors.above * above + errors.below * below);
}

/// Clips the values at their 1 % and 99 % quantiles.
std::vector<float> Clipped(std::vector<float> values) {
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  auto const tail = sorted.size() / 100;
  for (auto& value : values) value = std::clamp(value, sorted[tail], sorted[sorted.size() - 1 - tail]);
  return values;
}

TEST(MomentErrors, AreThoseOfTheSeriesByItsDefinition) {
  for (auto const quantile : {0.5, 0.2, 0.9}) {
    for (int kind = 0; kind < 3; ++kind) {
      auto const values = Clipped(MakeRows(kind, 0.0, 5).residuals);
      LineErrors const errors{{}, {}, quantile, 1.0 - quantile};
      auto const expected = NaiveEstimate(values, errors);
      EXPECT_NEAR(EstimateErrors(SumsOf(values), errors), expected, 1e-4 * expected) << quantile << " " << kind;
    }
  }
}

TEST(MomentErrors, OfEvenValuesAreAQuarterOfTheRange) {
  std::vector<float> values(10001);
  std::iota(values.begin(), values.end(), 1e6F);
  EXPECT_NEAR(EstimateErrors(SumsOf(values), {}), 10001 * 2500.0, 1e-3 * 10001 * 2500.0);
}

TEST(MomentErrors, NothingToBeWrongAbout) {
  EXPECT_EQ(EstimateErrors(SumsOf({3.0F, 3.0F}), {}), 0.0);
  EXPECT_EQ(EstimateErrors(SumsOf({3.0F, 4.0F}, {0.0F, 0.0F}), {}), 0.0);
}

TEST(ExactErrors, AreThoseOfTheDefinition) {
  for (auto const quantile : {0.5, 0.1, 0.95}) {
    auto rows = MakeRows(2, 0.0, 11);
    rows.above = quantile;
    rows.below = 1.0 - quantile;
    Random random(3);
    for (std::size_t row = 0; row < rows.residuals.size(); ++row)
      rows.weights.push_back(static_cast<float>(random.Uniform()));
    FixedResiduals const residuals(Context{}, rows.Errors(), {});
    std::vector<std::size_t> order(rows.residuals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const expected = NaiveErrors(rows, order);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return rows.residuals[a] < rows.residuals[b]; });
    ResidualSum all;
    for (auto const row : order) all += residuals.Of(static_cast<std::int64_t>(row));
    ExactErrors errors(residuals, all);
    for (auto const row : order) errors.Add(rows.residuals[row], residuals.Of(static_cast<std::int64_t>(row)));
    EXPECT_NEAR(errors.Errors(), expected, 1e-9 * expected);
    EXPECT_GT(expected, 0.0);
  }
}

/// Tests the mean: with Cauchy-distributed labels a few rows determine the possible gain, and clipping hides them.
TEST(LabelMoments, LoseLessThanATenthOfWhatCanBeGained) {
  for (int kind = 0; kind < 3; ++kind) {
    auto lost = 0.0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      auto rows = MakeRows(kind, seed % 2 == 0 ? 0.0 : 0.2, seed);
      rows.sparse = seed == 3;
      auto const found = Search(rows);
      ASSERT_TRUE(found.split.IsValid());
      EXPECT_GT(found.largest, 0.0);
      lost += 0.25 * (1.0 - found.gain / found.largest);
      EXPECT_NEAR(found.split.loss_change, found.gain, 1e-6 * found.gain) << "the gain is exact";
    }
    EXPECT_LT(lost, 0.1) << kind;
  }
}

TEST(LabelMoments, QuantilesAndWeightsHaveGainsOfTheirOwn) {
  for (auto const alpha : {0.1, 0.9}) {
    auto rows = MakeRows(2, 0.1, 7);
    rows.above = alpha;
    rows.below = 1.0 - alpha;
    Random random(2);
    for (std::size_t row = 0; row < rows.residuals.size(); ++row)
      rows.weights.push_back(0.5F * static_cast<float>(random.Below(4)));
    auto const found = Search(rows);
    EXPECT_GE(found.gain, 0.85 * found.largest) << alpha;
    EXPECT_NEAR(found.split.loss_change, found.gain, 1e-6 * found.gain);
  }
}

TEST(LabelMoments, AStumpOnTenPointsByHand) { testing::ExpectTheStumpOfTenPoints<LabelMomentSearch>(); }

TEST(LabelMoments, MissingRowsGoWhereTheyFit) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  Rows rows;
  rows.values = {1, 2, nan, nan, 3, 4};
  rows.residuals = {0, 0, 0, 0, 8, 8};
  EXPECT_TRUE(Search(rows).split.default_left);
  rows.residuals = {0, 0, 8, 8, 8, 8};
  EXPECT_FALSE(Search(rows).split.default_left);
  rows.residuals = {0, 0, 8, 8, 0, 0};  // only the missing rows
  auto const alone = Search(rows).split;
  EXPECT_EQ(alone.left.hessian, 4);
  EXPECT_EQ(alone.loss_change, 16.0);
}

TEST(LabelMoments, NothingToGainIsNoSplit) {
  Rows rows;
  rows.values = {1, 2, 3, 4};
  rows.residuals = {5, 5, 5, 5};
  EXPECT_FALSE(Search(rows).split.IsValid());
  rows.weights = {0, 0, 0, 0};
  rows.residuals = {1, 2, 3, 4};
  EXPECT_FALSE(Search(rows).split.IsValid());
}

TEST(LabelMoments, ScratchOfAnotherSearchDoesNotMatter) {
  auto const large = MakeRows(1, 0.3, 5);
  auto const data = testing::MakeMatrix(large.values, large.n_cols, false);
  BinMatrix const bins(Context{}, *data, MakeQuantileCuts(Context{}, *data, 32));
  FixedResiduals const residuals(Context{}, large.Errors(), {});
  GainParam gain;
  gain.min_child_weight = 0.0;
  std::vector<FixedPair> const pairs(large.residuals.size(), {0, 1});
  NodeTotal total;
  total.sum = {0, static_cast<std::int64_t>(pairs.size())};
  LabelMomentSearch const search(bins, residuals, gain, pairs);
  LabelMomentNode node;
  node.rows = {nullptr, 0, bins.NumRows()};
  node.total = &total;
  search.Prepare(&node);
  LabelMomentSearch::Scratch used;
  search.Find(node, 0, &used);
  for (std::uint32_t feature = 0; feature < 3; ++feature) {
    LabelMomentSearch::Scratch fresh;
    auto const a = search.Find(node, feature, &used);
    auto const b = search.Find(node, feature, &fresh);
    EXPECT_EQ(a.threshold, b.threshold);
    EXPECT_EQ(a.loss_change, b.loss_change);
  }
}

}  // namespace
}  // namespace kauri
