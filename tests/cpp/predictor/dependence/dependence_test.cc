#include "predictor/dependence/dependence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "predictor/dependence/axes.h"
#include "predictor/dependence/row_counter.h"
#include "predictor/predictor_fixtures.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::kNaN;
using testing::MemoryView;
using testing::NaiveLeaf;
using testing::RandomModel;
using testing::RandomRows;
using testing::Threads;

/// A model, its forest and a background, with the dependence over it.
struct World {
  World(Model given, MemoryView rows, std::vector<float> row_weights = {})
      : model(std::move(given)),
        background(std::move(rows)),
        weights(std::move(row_weights)),
        forest(CompileForest({}, model, {0, static_cast<std::int64_t>(model.trees.size())})),
        start(ToSize(model.NumOutputs()), 0.25) {
    for (std::uint32_t feature = 0; feature < model.n_features; ++feature) {
      request.features.push_back(feature);
      for (std::uint32_t first = 0; first < feature; ++first) request.pairs.push_back({first, feature});
    }
  }

  Dependence Compute(int threads = 1) const {
    return ComputeDependence(Threads(threads), {forest, background, weights, start}, request);
  }
  double Weight(std::int64_t row) const { return weights.empty() ? 1.0 : static_cast<double>(weights[row]); }
  std::vector<std::int32_t> CellsOf(MemoryView const& rows) const {
    return CellsOfRows({}, nullptr, forest, request.features, rows);
  }

  Model model;
  MemoryView background;
  std::vector<float> weights;
  Forest forest;
  std::vector<double> start;
  DependenceRequest request;
};

double Margin(World const& world, std::vector<float> const& row, std::int64_t output) {
  MemoryView const view(row, static_cast<std::int64_t>(row.size()));
  auto margin = world.start[ToSize(output)];
  for (std::size_t t = 0; t < world.model.trees.size(); ++t) {
    if (world.model.output_of_tree[t] != output) continue;
    auto const& tree = world.model.trees[t];
    margin += static_cast<double>(tree.split_value[NaiveLeaf(tree, view, 0)] *
                                  world.model.TreeWeight(static_cast<std::int64_t>(t)));
  }
  return margin;
}

/// Returns the mean margin when some features of every row of the background have the values of `point`.
double Mean(World const& world, std::vector<float> const& point, std::set<std::uint32_t> const& replaced,
            std::int64_t output) {
  double sum = 0.0;
  double total = 0.0;
  for (std::int64_t row = 0; row < world.background.NumRows(); ++row) {
    std::vector<float> values;
    for (std::uint32_t feature = 0; feature < point.size(); ++feature) {
      values.push_back(replaced.count(feature) != 0 ? point[feature] : world.background.At(row, feature));
    }
    sum += world.Weight(row) * Margin(world, values, output);
    total += world.Weight(row);
  }
  return sum / total;
}

/// Returns the mean margin when the features that are not replaced are independent, each as in the background: the sum
/// over all rows of values.
double ProductMean(World const& world, std::vector<float> const& point, std::set<std::uint32_t> const& replaced,
                   std::int64_t output) {
  auto const n_rows = world.background.NumRows();
  auto const n_features = point.size();
  std::vector<std::int64_t> row_of(n_features, 0);
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t at = 0; at < n_features;) {
    auto values = point;
    auto weight = 1.0;
    for (std::uint32_t feature = 0; feature < n_features; ++feature) {
      weight *= world.Weight(row_of[feature]);
      if (replaced.count(feature) == 0) values[feature] = world.background.At(row_of[feature], feature);
    }
    sum += weight * Margin(world, values, output);
    total += weight;
    for (at = 0; at < n_features && ++row_of[at] == n_rows; ++at) row_of[at] = 0;
  }
  return sum / total;
}

using MeanFn = double (*)(World const&, std::vector<float> const&, std::set<std::uint32_t> const&, std::int64_t);

/// Compares every curve and surface at the points with naive means.
void ExpectMeans(World const& world, MemoryView const& points, MeanFn mean) {
  auto const found = world.Compute();
  auto const cells = world.CellsOf(points);
  auto const n_features = world.request.features.size();
  auto const n_cells = [&](std::uint32_t feature) {
    return ToSize(found.threshold_begin[feature + 1] - found.threshold_begin[feature]) + 2;
  };
  std::vector<std::size_t> curve{ToSize(found.n_outputs)};
  for (std::uint32_t feature = 0; feature < n_features; ++feature) {
    curve.push_back(curve.back() + ToSize(found.n_outputs) * n_cells(feature));
  }
  for (std::int64_t point = 0; point < points.NumRows(); ++point) {
    std::vector<float> values;
    for (std::size_t feature = 0; feature < n_features; ++feature) {
      values.push_back(points.At(point, static_cast<std::int64_t>(feature)));
    }
    auto const* cell = cells.data() + ToSize(point) * n_features;
    for (std::int64_t k = 0; k < found.n_outputs; ++k) {
      auto const base = mean(world, values, {}, k);
      ASSERT_NEAR(found.values[ToSize(k)], base, 1e-12);
      std::vector<double> alone;
      for (std::uint32_t feature = 0; feature < n_features; ++feature) {
        alone.push_back(mean(world, values, {feature}, k));
        ASSERT_NEAR(found.values[curve[feature] + ToSize(k) * n_cells(feature) + ToSize(cell[feature])], alone[feature],
                    1e-12)
            << "feature " << feature << " at " << values[feature];
      }
      auto begin = curve.back();
      for (auto const& [first, second] : world.request.pairs) {
        auto const size = n_cells(first) * n_cells(second);
        auto const at = ToSize(cell[first]) * n_cells(second) + ToSize(cell[second]);
        auto const beyond = mean(world, values, {first, second}, k) - alone[first] - alone[second] + base;
        ASSERT_NEAR(found.values[begin + ToSize(k) * size + at], beyond, 1e-12)
            << "features " << first << " and " << second << " at " << values[first] << " and " << values[second];
        begin += ToSize(found.n_outputs) * size;
      }
      ASSERT_EQ(begin, found.values.size());
    }
  }
}

TEST(Dependence, EqualsMeansOfReplacedValues) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ForestSpec spec;
    spec.seed = seed;
    spec.depth = static_cast<std::int32_t>(seed);
    spec.n_features = 4;
    ExpectMeans({RandomModel(spec), RandomRows(9, 4, seed + 100)}, RandomRows(12, 4, seed + 200), Mean);
  }
}

TEST(Dependence, CategoricalDartAndMultiClass) {
  ForestSpec spec;
  spec.categorical = 0.5;
  spec.dart = true;
  spec.n_classes = 3;
  spec.n_trees = 7;
  ExpectMeans({RandomModel(spec), RandomRows(7, 6, 3)}, RandomRows(10, 6, 4), Mean);
}

TEST(Dependence, WeightsCount) {
  World const world(RandomModel({}), RandomRows(5, 6, 5), {0.5F, 0.0F, 2.0F, 1.0F, 3.5F});
  ExpectMeans(world, RandomRows(8, 6, 6), Mean);
}

TEST(Dependence, OfIndependentFeatures) {
  for (auto const categorical : {0.0, 0.5}) {
    ForestSpec spec;
    spec.n_features = 3;
    spec.n_trees = 3;
    spec.categorical = categorical;
    World world(RandomModel(spec), RandomRows(4, 3, 7), {1.0F, 2.0F, 0.5F, 0.25F});
    world.request.distribution = Distribution::kProduct;
    ExpectMeans(world, RandomRows(10, 3, 8), ProductMean);
  }
}

/// More rows than a tile, deep paths that repeat features.
TEST(Dependence, ManyRowsAndThreads) {
  ForestSpec spec;
  spec.depth = 9;
  spec.n_trees = 12;
  spec.categorical = 0.2;
  World const world(RandomModel(spec), RandomRows(2500, 6, 9));
  auto const one = world.Compute();
  auto const three = world.Compute(3);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(one.thresholds, three.thresholds);
  EXPECT_NEAR(one.values[0], Mean(world, std::vector<float>(6, 0.0F), {}, 0), 1e-10);
}

/// Weights are added as integers, so that their order does not matter, whatever their size.
TEST(Dependence, TheOrderOfTheRowsDoesNotMatter) {
  for (auto const distribution : {Distribution::kRows, Distribution::kProduct}) {
    ForestSpec spec;
    spec.categorical = 0.3;
    auto const rows = RandomRows(1500, 6, 12);
    std::vector<float> backwards;
    std::vector<float> weights;
    for (std::int64_t row = 1499; row >= 0; --row) {
      for (std::int64_t col = 0; col < 6; ++col) backwards.push_back(rows.At(row, col));
      weights.push_back(row % 3 == 0 ? 1e-7F * static_cast<float>(row) : 1.0F / static_cast<float>(row));
    }
    World reversed(RandomModel(spec), {backwards, 6}, weights);
    std::reverse(weights.begin(), weights.end());
    World world(RandomModel(spec), rows, weights);
    world.request.distribution = reversed.request.distribution = distribution;
    EXPECT_EQ(world.Compute().values, reversed.Compute(3).values);
  }
}

TEST(Dependence, WeightsInFixedPoint) {
  auto const fixed = FixWeights(std::vector<float>{0.5F, 0.0F, 3.0F, 1e-30F}, 4);
  EXPECT_EQ(fixed.of_row, (std::vector<std::int64_t>{std::int64_t{1} << 58, 0, std::int64_t{3} << 59, 0}));
  EXPECT_EQ(fixed.total, fixed.of_row[0] + fixed.of_row[2]);
  auto const largest = FixWeights(std::vector<float>(3, std::numeric_limits<float>::max()), 3);
  EXPECT_EQ(largest.total, 3 * largest.of_row[0]);
  EXPECT_GT(largest.of_row[0], std::int64_t{1} << 58);
  auto const smallest = FixWeights(std::vector<float>(3, std::numeric_limits<float>::denorm_min()), 3);
  EXPECT_EQ(smallest.of_row[0], std::int64_t{1} << 59);
  EXPECT_EQ(FixWeights({}, 7).total, 7);
}

TEST(Dependence, SomeFeaturesAndPairsHaveTheSameValues) {
  World world(RandomModel({}), RandomRows(30, 6, 10));
  auto const all = world.Compute();
  world.request.features = {4, 1};
  world.request.pairs = {{1, 4}};
  auto const some = world.Compute();
  auto const n_four = all.threshold_begin[5] - all.threshold_begin[4] + 2;
  std::int64_t begin = 1;
  for (std::size_t feature = 0; feature < 4; ++feature) {
    begin += all.threshold_begin[feature + 1] - all.threshold_begin[feature] + 2;
  }
  for (std::int64_t cell = 0; cell < n_four; ++cell) {
    EXPECT_NEAR(some.values[1 + cell], all.values[begin + cell], 1e-13);
  }
}

TEST(Dependence, PairsThatOccurTogether) {
  Model model;
  model.n_features = 5;
  model.output_of_tree = {0, 0};
  model.trees.resize(2);
  model.trees[0].ExpandNode(0, {3, 0.0F, true, 0.0F});
  model.trees[0].ExpandNode(1, {0, 0.0F, true, 0.0F});
  model.trees[0].ExpandNode(2, {4, 0.0F, true, 0.0F});
  model.trees[1].ExpandNode(0, {1, 0.0F, true, 0.0F});
  auto const forest = CompileForest({}, model, {0, 2});
  auto const pairs = PairsTogether(forest, {0, 1, 2, 3, 4});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].first, 0U);
  EXPECT_EQ(pairs[0].second, 3U);
  EXPECT_EQ(pairs[1].first, 3U);
  EXPECT_EQ(pairs[1].second, 4U);
  EXPECT_TRUE(PairsTogether(forest, {0, 1, 4}).empty());
}

TEST(Dependence, CellsOfAnAxis) {
  Axis const axis{{KeyOf(-1.0F), KeyOf(0.0F), KeyOf(2.5F)}};
  EXPECT_EQ(axis.NumCells(), 5);
  EXPECT_EQ(axis.CellOf(KeyOf(-testing::kInf)), 0);
  EXPECT_EQ(axis.CellOf(KeyOf(-1.0F)), 1);
  EXPECT_EQ(axis.CellOf(KeyOf(-0.0F)), 2);
  EXPECT_EQ(axis.CellOf(KeyOf(testing::kInf)), 3);
  EXPECT_EQ(axis.CellOf(KeyOf(kNaN)), 4);
}

/// A model of single leaves has no thresholds: each feature has the cell of all values and the cell of missing ones.
TEST(Dependence, WithoutSplits) {
  ForestSpec spec;
  spec.depth = 0;
  World const world(RandomModel(spec), RandomRows(3, 6, 11));
  auto const found = world.Compute();
  EXPECT_TRUE(found.thresholds.empty());
  ASSERT_EQ(found.values.size(), 1U + 6 * 2 + 15 * 4);
  EXPECT_EQ(found.values[1], found.values[0]);
  EXPECT_EQ(found.values.back(), 0.0);
}

}  // namespace
}  // namespace kauri
