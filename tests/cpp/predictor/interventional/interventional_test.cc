#include "predictor/interventional/interventional.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include "kauri/registry.h"
#include "predictor/interventional/background_tree.h"
#include "predictor/interventional/interventional_fixtures.h"
#include "predictor/interventional/interventional_oracle.h"
#include "predictor/predictors.h"
#include "predictor/shap/shap_models.h"

namespace kauri {
namespace {

using testing::AllTrees;
using testing::Explain;
using testing::ForestSpec;
using testing::MemoryView;
using testing::RandomModel;
using testing::RandomRows;
using testing::Rows;
using testing::ZeroStart;

/// Allows the float32 rounding error of the largest possible sum of all trees.
void ExpectBruteForce(Model const& model, MemoryView const& rows, MemoryView const& background) {
  auto const phi = Explain(model, rows, background);
  double scale = 1e-30;
  for (auto const& tree : model.trees) {
    float largest = 0.0F;
    for (auto const value : tree.split_value)
      largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0.0F);
    scale += std::min(10.0, static_cast<double>(largest));  // thresholds are among the values
  }
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    auto const expected = testing::BruteInterventional(model, AllTrees(model), rows, row, background);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(phi[std::int64_t{row} * expected.size() + i], static_cast<double>(expected[i]), 1e-7 * scale)
          << "row " << row << " value " << i;
    }
  }
}

TEST(Interventional, EqualsAllCoalitions) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    ForestSpec spec;
    spec.seed = seed;
    spec.n_trees = 3;
    spec.depth = static_cast<std::int32_t>(seed);
    spec.n_features = 2 + static_cast<std::uint32_t>(seed);
    auto const n_background = static_cast<std::int64_t>(1 + seed * 3 % 7);
    ExpectBruteForce(RandomModel(spec), RandomRows(8, spec.n_features, seed + 100),
                     RandomRows(n_background, spec.n_features, seed + 200));
  }
}

/// Uses two features in deep trees: nearly every split repeats one.
TEST(Interventional, RepeatedFeatures) {
  ForestSpec spec;
  spec.n_features = 2;
  spec.depth = 10;
  spec.n_trees = 3;
  ExpectBruteForce(RandomModel(spec), RandomRows(20, 2, 1), RandomRows(9, 2, 2));
}

TEST(Interventional, CategoricalDartAndMultiClass) {
  ForestSpec spec;
  spec.categorical = 0.5;
  spec.dart = true;
  spec.n_classes = 3;
  spec.n_trees = 7;
  ExpectBruteForce(RandomModel(spec), RandomRows(15, 6, 3), RandomRows(11, 6, 4));
}

/// Paths of 13 features are too long for tables.
TEST(Interventional, PathsWithoutTables) {
  static_assert(kMostPartFeatures < 13);
  auto const chain = testing::ChainModel(13, 13, 0.6F);
  ExpectBruteForce(chain, RandomRows(4, 13, 5), RandomRows(3, 13, 6));
  auto const repeated = testing::ChainModel(26, 13, 0.6F);
  ExpectBruteForce(repeated, RandomRows(2, 13, 5), RandomRows(3, 13, 6));
}

/// Worked by hand: 'a and b' for (1, 1) against (0, 0), (1, 0) and (0, 0) again. Against (0, 0) both features share 1
/// evenly; against (1, 0) b gets all of it.
TEST(Interventional, ConjunctionByHand) {
  auto model = testing::ConjunctionModel();
  model.trees[0].SetLeafValue(4, 3.0F);
  MemoryView const background({0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F}, 2);
  EXPECT_EQ(Explain(model, MemoryView({1.0F, 1.0F}, 2), background), (std::vector<float>{1.0F, 2.0F, 0.0F}));
  MemoryView const other({1.0F, 1.0F}, 2);
  EXPECT_EQ(Explain(model, MemoryView({0.0F, 0.0F}, 2), other), (std::vector<float>{-1.5F, -1.5F, 3.0F}));
}

TEST(Interventional, TreesOfOneLeafAndNoTrees) {
  Model model;
  model.n_features = 2;
  model.trees.emplace_back();
  model.trees.back().SetLeafValue(0, 3.5F);
  model.output_of_tree = {0};
  std::vector<float> const start{1.0F};
  auto const rows = RandomRows(2, 2, 7);
  EXPECT_EQ(Explain(model, rows, rows, {start, {}}, {0, 1}), (std::vector<float>{0, 0, 4.5F, 0, 0, 4.5F}));
  EXPECT_EQ(Explain(model, rows, rows, {start, {}}, {1, 1}), (std::vector<float>{0, 0, 1.0F, 0, 0, 1.0F}));
}

/// Checks that the features sum to the margin, and that the bias is the mean margin of the background.
void ExpectAddsUp(Model const& model, MemoryView const& rows, MemoryView const& background, double tolerance) {
  auto const width = ToSize(model.n_features) + 1;
  auto const n_outputs = ToSize(model.NumOutputs());
  auto const margins =
      testing::NaiveMargins(model, rows, AllTrees(model), testing::RepeatStart(ZeroStart(model), rows.NumRows()));
  auto const of_background = testing::NaiveMargins(model, background, AllTrees(model),
                                                   testing::RepeatStart(ZeroStart(model), background.NumRows()));
  std::vector<double> means(n_outputs, 0.0);
  for (std::size_t i = 0; i < of_background.size(); ++i) {
    means[i % n_outputs] += static_cast<double>(of_background[i]) / static_cast<double>(background.NumRows());
  }
  auto const phi = Explain(model, rows, background);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    auto const* first = phi.data() + i * width;
    ASSERT_NEAR(std::accumulate(first, first + width, 0.0), margins[i], tolerance) << "row and output " << i;
    ASSERT_NEAR(first[width - 1], means[i % n_outputs], tolerance);
  }
}

TEST(Interventional, AddsUp) {
  ForestSpec spec;
  spec.n_features = 20;
  spec.depth = 13;
  spec.n_classes = 2;
  spec.n_trees = 4;
  spec.early_leaf = 0.3;
  ExpectAddsUp(RandomModel(spec), RandomRows(40, 20, 8), RandomRows(300, 20, 9), 1e-5);
  ExpectAddsUp(testing::ChainModel(24, 24, 0.6F), RandomRows(20, 24, 10), RandomRows(30, 24, 11), 1e-4);
  ExpectAddsUp(testing::ChainModel(150, 150, 0.6F), RandomRows(10, 150, 10), RandomRows(30, 150, 11), 1e-4);
  ExpectAddsUp(testing::ChainModel(600, 5, 0.6F), RandomRows(20, 5, 12), RandomRows(30, 5, 13), 1e-4);
}

/// With 3,000 splits on a few features or on many, the time grows with the square of the depth and not with its cube,
/// which took twenty seconds for these nine pairs.
TEST(Interventional, DeepChainsTakeLittleTime) {
  constexpr double kMostSeconds = 6.0;  // processor time, including sanitizers
  for (auto const n_features : {5, 1500}) {
    auto const model = testing::ChainModel(3000, n_features, 0.999F);
    auto const begin = std::clock();
    Explain(model, RandomRows(3, static_cast<std::uint32_t>(n_features), 1),
            RandomRows(3, static_cast<std::uint32_t>(n_features), 2));
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kMostSeconds) << n_features;
  }
}

/// A chain of 70 features with non-zero value only in the last leaf: with one background row the values are (a-1)! b! /
/// (a+b)!.
TEST(Interventional, LongPathsByTheFormula) {
  auto model = testing::ChainModel(70, 70, 0.6F);
  auto& tree = model.trees[0];
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) tree.SetLeafValue(node, node == tree.NumNodes() - 1 ? 1.0F : 0.0F);
  }
  for (int const a : {1, 2, 5}) {
    for (int const b : {0, 1, 3}) {
      std::vector<float> row(70, 100.0F);
      std::vector<float> other(70, 100.0F);
      for (int i = 0; i < a; ++i) other[3 * i + 30] = -100.0F;
      for (int i = 0; i < b; ++i) row[7 * i] = -100.0F;
      auto const phi = Explain(model, MemoryView(row, 70), MemoryView(other, 70));
      for (int f = 0; f < 70; ++f) {
        auto const is_a = other[f] < 0.0F;
        auto const is_b = row[f] < 0.0F;
        auto const k = is_a ? a : b;
        auto const size = std::tgamma(k) * std::tgamma(a + b - k + 1) / std::tgamma(a + b + 1);
        ASSERT_NEAR(phi[f], is_a ? size : is_b ? -size : 0.0, 1e-7) << "a " << a << " b " << b << " feature " << f;
      }
    }
  }
}

/// Covers unused features, and features for which row and background satisfy the same splits.
TEST(Interventional, FeaturesWithoutEffectGetExactlyNothing) {
  ForestSpec spec;
  spec.n_features = 8;
  spec.depth = 8;
  auto model = RandomModel(spec);
  model.n_features = 10;
  auto const all = RandomRows(30, 10, 14);
  std::vector<float> values;
  for (std::int64_t cell = 0; cell < 300; ++cell) {
    values.push_back(cell % 10 == 3 || cell % 10 == 5 ? all.At(0, cell % 10) : all.At(cell / 10, cell % 10));
  }
  MemoryView const rows(values, 10);
  auto const phi = Explain(model, rows, Rows(rows, {4, 8, 15, 16, 23}));
  float largest = 0.0F;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    auto const feature = i % 11;
    if (feature == 3 || feature == 5 || feature == 8 || feature == 9) {
      ASSERT_EQ(phi[i], 0.0F) << "value " << i;
    }
    largest = std::max(largest, std::abs(phi[i]));
  }
  EXPECT_GT(largest, 0.1F);
  auto const itself = Explain(model, Rows(rows, {4}), Rows(rows, {4}));
  EXPECT_EQ(std::count(itself.begin(), itself.end(), 0.0F), 10);
}

/// A row that occurs twice in the background has twice the weight.
TEST(Interventional, MeanOverTheBackground) {
  ForestSpec spec;
  spec.n_features = 14;
  spec.depth = 12;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(9, 14, 15);
  auto const background = RandomRows(3, 14, 16);
  auto const twice = Explain(model, rows, Rows(background, {0, 1, 2, 2}));
  std::vector<std::vector<float>> alone;
  for (std::int64_t other = 0; other < 3; ++other) alone.push_back(Explain(model, rows, Rows(background, {other})));
  for (std::size_t i = 0; i < twice.size(); ++i) {
    ASSERT_NEAR(twice[i], 0.25 * (alone[0][i] + alone[1][i]) + 0.5 * alone[2][i], 1e-6);
  }
}

TEST(Interventional, BaseMarginOfRowMovesTheBiasOnly) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(33, 6, 17);
  auto const background = RandomRows(5, 6, 18);
  std::vector<float> start(66);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i);
  auto const plain = Explain(model, rows, background);
  auto const moved = Explain(model, rows, background, {{}, start}, AllTrees(model));
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (i % 7 == 6) {
      ASSERT_NEAR(moved[i], plain[i] + start[i / 7], 1e-5);
    } else {
      ASSERT_EQ(moved[i], plain[i]);
    }
  }
}

TEST(Interventional, RangesOfTreesAddUp) {
  auto const model = RandomModel({});
  auto const rows = RandomRows(17, 6, 19);
  auto const background = RandomRows(8, 6, 20);
  auto const whole = Explain(model, rows, background);
  auto const start = ZeroStart(model);
  std::vector<float> sum(whole.size(), 0.0F);
  for (auto const range : {TreeRange{0, 2}, TreeRange{2, 3}, TreeRange{3, 5}, TreeRange{5, 5}}) {
    auto const part = Explain(model, rows, background, {start, {}}, range);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i], whole[i], 1e-5);
}

TEST(Interventional, SameBitsForAnyThreadCountBatchAndOrderOfBackground) {
  ForestSpec spec;
  spec.n_features = 16;
  spec.depth = 14;
  spec.n_trees = 3;
  spec.early_leaf = 0.3;
  spec.categorical = 0.2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(600, 16, 21);
  auto const background = RandomRows(700, 16, 22);
  auto const one = Explain(model, rows, background, 1);
  EXPECT_EQ(Explain(model, rows, background, 8), one);
  for (std::int64_t const n_rows : {0, 1, 31, 255, 256, 257}) {
    std::vector<std::int64_t> chosen(n_rows);
    std::iota(chosen.begin(), chosen.end(), std::int64_t{40});
    auto const some = Explain(model, Rows(rows, chosen), background, 3);
    auto const first = one.begin() + 40 * 17;
    EXPECT_EQ(some, std::vector<float>(first, first + static_cast<std::ptrdiff_t>(some.size())));
  }
  std::vector<std::int64_t> backwards(700);
  std::iota(backwards.rbegin(), backwards.rend(), std::int64_t{0});
  EXPECT_EQ(Explain(model, rows, Rows(background, backwards)), one);
}

TEST(Interventional, ThroughThePredictor) {
  Registry<PredictorFactory> registry("predictor");
  RegisterPredictors(&registry);
  auto const predictor = registry.Find("cpu_predictor").make({});
  auto const model = RandomModel({});
  auto const compiled = predictor->Compile({}, model, {1, 4});
  auto const rows = RandomRows(3, 6, 23);
  auto const background = RandomRows(4, 6, 24);
  auto const start = ZeroStart(model);
  std::vector<float> out(21);
  predictor->PredictInterventional({}, *compiled, {rows, {2, 4}, {start, {}}}, background, out);
  EXPECT_EQ(out, Explain(model, rows, background, {start, {}}, {2, 4}));
  auto const run = [&](DataView const& others, std::size_t size) {
    predictor->PredictInterventional({}, *compiled, {rows, {2, 4}, {start, {}}}, others, Span<float>(out.data(), size));
  };
  MemoryView const none({}, 6);
  auto const message = MessageOf(ErrorKind::kData, [&] { run(none, 21); });
  EXPECT_NE(message.find("background has 0 rows"), std::string::npos) << message;
  EXPECT_NE(MessageOf(ErrorKind::kInternal, [&] { run(background, 20); }).find("20 floats"), std::string::npos);
}

}  // namespace
}  // namespace kauri
