/// Models and rows that are difficult to explain: long paths, tiny covers, large trees, edge values.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "predictor/explain_fixture.h"
#include "predictor/shap/shap_oracle.h"

namespace kauri {
namespace {

using testing::AllTreesOf;
using testing::MemoryView;
using testing::PredictKindOf;

class HostileShap : public ::testing::TestWithParam<char const*> {
 protected:
  std::vector<float> Explain(Model const& model, MemoryView const& rows, PredictKind kind) const {
    return PredictKindOf({{"shap_method", GetParam()}}, model, rows, kind, AllTreesOf(model));
  }

  /// Compares with make_expected(row) -> Explanation; tolerance: relative to the row's largest value.
  template <typename MakeExpected>
  void ExpectNear(Model const& model, MemoryView const& rows, double tolerance, MakeExpected&& make_expected) const {
    auto const phi = Explain(model, rows, PredictKind::kContribution);
    auto const pairs = Explain(model, rows, PredictKind::kInteraction);
    for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
      auto const expected = make_expected(row);
      ExpectRow(expected.phi, phi.data() + ToSize(row) * expected.phi.size(), tolerance, row);
      ExpectRow(expected.pairs, pairs.data() + ToSize(row) * expected.pairs.size(), tolerance, row);
    }
  }

  static void ExpectRow(std::vector<long double> const& expected, float const* found, double tolerance,
                        std::int64_t row) {
    long double scale = 1e-30L;
    for (auto const value : expected) scale = std::max(scale, std::abs(value));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(found[i], static_cast<double>(expected[i]), tolerance * static_cast<double>(scale))
          << "row " << row << " value " << i << " of " << expected.size();
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, HostileShap, ::testing::Values("treeshap", "quadrature"),
                         [](auto const& method) { return std::string(method.param); });

/// Returns rows that follow a ChainModel of distinct features everywhere, nowhere, half of the way, and everywhere
/// except once.
MemoryView ChainRows(std::int32_t depth) {
  std::vector<float> values;
  for (int row = 0; row < 4; ++row) {
    for (std::int32_t level = 0; level < depth; ++level) {
      auto const follows = row == 0 || (row == 2 && level % 2 == 0) || (row == 3 && level != depth / 2);
      values.push_back(follows ? 1.0F : -3.0F);
    }
  }
  return {values, depth};
}

/// Returns the contributions of LeafByLeaf without its pairs, which take the fourth power of the depth for each leaf.
std::vector<long double> ContributionsLeafByLeaf(Model const& model, MemoryView const& rows, std::int64_t row) {
  std::vector<long double> phi(ToSize(model.n_features) + 1);
  testing::ForEachLeafPath(model, rows, row, [&](auto const& path, long double value, std::size_t) {
    auto mean = value;
    for (auto const& feature : path) mean *= feature.zero;
    phi.back() += mean;
    for (std::size_t i = 0; i < path.size(); ++i) {
      phi[path[i].feature] += value * testing::EffectOf(path[i]) * testing::IntegralOfOthers(path, i, i, 0);
    }
  });
  return phi;
}

/// UNWIND subtracts: with more than 32 features the recursion keeps no digits, even in float64.
TEST_P(HostileShap, LongPathsOfDistinctFeatures) {
  auto const is_recursive = std::string(GetParam()) == "treeshap";
  for (auto const depth : is_recursive ? std::vector<std::int32_t>{24, 32} : std::vector<std::int32_t>{64, 127}) {
    auto const model = testing::ChainModel(depth, depth, 0.99F);
    auto const rows = ChainRows(depth);
    auto const phi = Explain(model, rows, PredictKind::kContribution);
    auto const pairs = Explain(model, rows, PredictKind::kInteraction);
    auto const width = ToSize(depth) + 1;
    for (std::int64_t const row : {0, 3}) {
      auto const exact = ContributionsLeafByLeaf(model, rows, row);
      ExpectRow(exact, phi.data() + ToSize(row) * width, 1e-5, row);
      std::vector<float> sums;
      for (std::size_t i = 0; i < width; ++i) {
        auto const* first = pairs.data() + (ToSize(row) * width + i) * width;
        sums.push_back(std::accumulate(first, first + width, 0.0F));
      }
      ExpectRow(exact, sums.data(), 2e-5, row);
    }
  }
}

TEST_P(HostileShap, LongPathsOfRepeatedFeatures) {
  for (auto const& [depth, n_features] : {std::pair{64, 1}, {127, 2}, {127, 9}}) {
    auto const model = testing::ChainModel(depth, n_features, 0.99F);
    std::vector<float> values;
    for (int i = 0; i < 6 * n_features; ++i) values.push_back(static_cast<float>((i * 53) % 70) - 1.0F);
    MemoryView const rows(values, n_features);
    ExpectNear(model, rows, 2e-6, [&](std::int64_t row) { return testing::LeafByLeaf(model, rows, row); });
  }
}

/// Uses thirty one-hot features, each present in one of a million rows.
TEST_P(HostileShap, TinyCovers) {
  auto const model = testing::ChainModel(30, 30, 1.0F - 1e-6F);
  auto const rows = ChainRows(30);
  ExpectNear(model, rows, 2e-6, [&](std::int64_t row) { return testing::LeafByLeaf(model, rows, row); });
}

TEST_P(HostileShap, MoreNodesThanFifteenBits) {
  testing::ForestSpec spec;
  spec.n_trees = 1;
  spec.depth = 15;
  spec.early_leaf = 0.0;
  spec.n_features = 4;
  auto const model = testing::RandomModel(spec);
  ASSERT_GT(model.trees[0].NumNodes(), 1 << 15);
  auto const rows = testing::RandomRows(2, 4, 3);
  ExpectNear(model, rows, 1e-5, [&](std::int64_t row) { return testing::LeafByLeaf(model, rows, row); });
}

/// A class without training rows has only single-leaf trees.
TEST_P(HostileShap, EmptyClass) {
  testing::ForestSpec spec;
  spec.n_classes = 3;
  spec.n_trees = 9;
  auto model = testing::RandomModel(spec);
  for (std::size_t t = 0; t < model.trees.size(); t += 3) {
    model.trees[t] = Tree();
    model.trees[t].SetLeafValue(0, -0.25F);
  }
  auto const rows = testing::RandomRows(5, 6, 4);
  ExpectNear(model, rows, 1e-6, [&](std::int64_t row) { return testing::BruteForce(model, rows, row); });
  auto const phi = Explain(model, rows, PredictKind::kContribution);
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t feature = 0; feature < 6; ++feature) EXPECT_EQ(phi[row * 21 + feature], 0.0F);
    EXPECT_EQ(phi[row * 21 + 6], -0.75F);
  }
}

/// Each row has one value in all columns: missing, both zeros, infinities, thresholds and their neighbours, and
/// categories that are fractions, negative, in no set, or too large for a set.
TEST_P(HostileShap, EdgeValuesEverywhere) {
  auto values = testing::SpecialValues();
  values.insert(values.end(), {testing::kNaN, testing::kInf, -testing::kInf, -1.5F, 0.999F, 3.5F, 69.0F, 69.99F, 70.0F,
                               1000000.0F, 1000000.9F, 16777215.0F, 16777216.0F, 4e9F, -4e9F});
  std::vector<float> cells;
  for (auto const value : values) cells.insert(cells.end(), 5, value);
  MemoryView const rows(cells, 5);
  for (auto const categorical : {0.0, 0.6}) {
    testing::ForestSpec spec;
    spec.n_features = 5;
    spec.n_trees = 4;
    spec.categorical = categorical;
    auto const model = testing::RandomModel(spec);
    ExpectNear(model, rows, 2e-6, [&](std::int64_t row) { return testing::BruteForce(model, rows, row); });
  }
}

/// A value equal to the threshold goes right, a zero of either sign is zero, and a missing value goes to the default.
TEST_P(HostileShap, OneSplitByHand) {
  Model model;
  model.n_features = 1;
  model.output_of_tree = {0};
  model.trees.emplace_back();
  auto& tree = model.trees[0];
  tree.ExpandNode(0, {0, 0.0F, true, 0.0F});
  tree.SetNodeStatistics(0, 0.0F, 4.0F);
  tree.SetNodeStatistics(1, 0.0F, 3.0F);
  tree.SetNodeStatistics(2, 0.0F, 1.0F);
  tree.SetLeafValue(1, 1.0F);
  tree.SetLeafValue(2, 5.0F);
  MemoryView const rows({0.0F, -0.0F, testing::kNaN, -1e-45F}, 1);
  EXPECT_EQ(Explain(model, rows, PredictKind::kContribution), (std::vector<float>{3, 2, 3, 2, -1, 2, -1, 2}));
}

TEST_P(HostileShap, DroppedTreesSayNothing) {
  testing::ForestSpec spec;
  spec.dart = true;
  auto model = testing::RandomModel(spec);
  model.tree_weights[1] = model.tree_weights[3] = 0.0F;
  auto without = model;
  for (std::size_t const tree : {3, 1}) {
    without.trees.erase(without.trees.begin() + static_cast<std::ptrdiff_t>(tree));
    without.tree_weights.erase(without.tree_weights.begin() + static_cast<std::ptrdiff_t>(tree));
    without.output_of_tree.pop_back();
  }
  auto const rows = testing::RandomRows(9, 6, 5);
  ExpectNear(model, rows, 1e-6, [&](std::int64_t row) { return testing::BruteForce(without, rows, row); });
}

TEST_P(HostileShap, EveryNumberOfRows) {
  testing::ForestSpec spec;
  spec.n_trees = 3;
  spec.depth = 3;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(130, 6, 6);
  for (auto const kind : {PredictKind::kContribution, PredictKind::kInteraction}) {
    auto const all = Explain(model, rows, kind);
    auto const width = static_cast<std::ptrdiff_t>(all.size() / 130);
    for (std::int64_t n_rows = 0; n_rows <= 130; ++n_rows) {
      std::vector<float> cells;
      for (std::int64_t cell = 0; cell < n_rows * 6; ++cell) cells.push_back(rows.At(cell / 6, cell % 6));
      auto const some = Explain(model, {cells, 6}, kind);
      ASSERT_EQ(some, std::vector<float>(all.begin(), all.begin() + n_rows * width)) << n_rows;
    }
  }
}

}  // namespace
}  // namespace kauri
