/// Banzhaf values and interactions of every kind against a background.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "predictor/interventional/interventional_fixtures.h"
#include "predictor/interventional/interventional_oracle.h"
#include "predictor/shap/shap_models.h"
#include "predictor/vector_fixture.h"

namespace kauri {
namespace {

using testing::Against;
using testing::ForestSpec;
using testing::MemoryView;
using testing::RandomModel;
using testing::RandomRows;
using testing::Rows;

class BackgroundKind : public ::testing::TestWithParam<PredictKind> {
 protected:
  /// Allows the float32 rounding error of the largest possible sum of all trees.
  static void ExpectAllCoalitions(Model const& model, MemoryView const& rows, MemoryView const& background) {
    auto const found = Against(model, GetParam(), rows, background);
    for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
      auto const expected = testing::BruteAgainst(model, GetParam(), rows, row, background);
      long double scale = 1e-3L;
      for (auto const value : expected) scale = std::max(scale, std::abs(value));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(found[ToSize(row) * expected.size() + i], static_cast<double>(expected[i]),
                    3e-7 * static_cast<double>(scale))
            << "row " << row << " value " << i;
      }
    }
  }
};

TEST_P(BackgroundKind, EqualsAllCoalitions) {
  for (std::uint64_t seed = 1; seed <= 7; ++seed) {
    ForestSpec spec;
    spec.seed = seed;
    spec.n_trees = 3;
    spec.depth = static_cast<std::int32_t>(seed);
    spec.n_features = 2 + static_cast<std::uint32_t>(seed);
    auto const n_background = static_cast<std::int64_t>(1 + seed * 3 % 7);
    ExpectAllCoalitions(RandomModel(spec), RandomRows(6, spec.n_features, seed + 100),
                        RandomRows(n_background, spec.n_features, seed + 200));
  }
}

TEST_P(BackgroundKind, RepeatedFeatures) {
  ForestSpec spec;
  spec.n_features = 3;
  spec.depth = 10;
  spec.n_trees = 3;
  ExpectAllCoalitions(RandomModel(spec), RandomRows(20, 3, 1), RandomRows(9, 3, 2));
}

TEST_P(BackgroundKind, CategoricalDartAndMultiClass) {
  ForestSpec spec;
  spec.categorical = 0.5;
  spec.dart = true;
  spec.n_classes = 3;
  spec.n_trees = 7;
  ExpectAllCoalitions(RandomModel(spec), RandomRows(15, 6, 3), RandomRows(11, 6, 4));
}

/// Paths of 11 features have tables of parts, paths of 13 none.
TEST_P(BackgroundKind, LongPaths) {
  ExpectAllCoalitions(testing::ChainModel(11, 11, 0.6F), RandomRows(3, 11, 5), RandomRows(5, 11, 6));
  ExpectAllCoalitions(testing::ChainModel(26, 13, 0.6F), RandomRows(2, 13, 5), RandomRows(3, 13, 6));
}

TEST_P(BackgroundKind, SameBitsForAnyThreadCountBatchAndOrderOfBackground) {
  ForestSpec spec;
  spec.n_features = 16;
  spec.depth = 14;
  spec.n_trees = 3;
  spec.early_leaf = 0.3;
  spec.categorical = 0.2;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(300, 16, 21);
  auto const background = RandomRows(200, 16, 22);
  auto const one = Against(model, GetParam(), rows, background);
  EXPECT_EQ(Against(model, GetParam(), rows, background, 3), one);
  auto const width = one.size() / 300;
  for (std::int64_t const n_rows : {0, 1, 31, 200}) {
    std::vector<std::int64_t> chosen(n_rows);
    std::iota(chosen.begin(), chosen.end(), std::int64_t{40});
    auto const some = Against(model, GetParam(), Rows(rows, chosen), background, 3);
    auto const first = one.begin() + static_cast<std::ptrdiff_t>(40 * width);
    EXPECT_EQ(some, std::vector<float>(first, first + static_cast<std::ptrdiff_t>(some.size())));
  }
  std::vector<std::int64_t> backwards(200);
  std::iota(backwards.rbegin(), backwards.rend(), std::int64_t{0});
  EXPECT_EQ(Against(model, GetParam(), rows, Rows(background, backwards)), one);
}

/// Feature 3 has the same value in all rows, so no split on it differs; features 8 and 9 are not used.
TEST_P(BackgroundKind, FeaturesWithoutEffectGetExactlyNothing) {
  ForestSpec spec;
  spec.n_features = 8;
  spec.depth = 11;
  spec.early_leaf = 0.1;
  auto model = RandomModel(spec);
  model.n_features = 10;
  auto const all = RandomRows(30, 10, 14);
  std::vector<float> values;
  for (std::int64_t cell = 0; cell < 300; ++cell) {
    values.push_back(all.At(cell % 10 == 3 ? 0 : cell / 10, cell % 10));
  }
  MemoryView const rows(values, 10);
  auto const found = Against(model, GetParam(), rows, Rows(rows, {4, 8, 15, 16, 23}));
  auto const of_pairs = IsOfPairs(GetParam());
  auto const is_idle = [](std::size_t feature) { return feature == 3 || feature == 8 || feature == 9; };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!is_idle(i % 11) && !(of_pairs && is_idle(i / 11 % 11))) continue;
    ASSERT_EQ(found[i], 0.0F) << "value " << i;
  }
}

TEST_P(BackgroundKind, TreesOfOneLeafAndNoFeatures) {
  Model model;
  model.n_features = 2;
  model.trees.emplace_back();
  model.trees.back().SetLeafValue(0, 3.5F);
  model.output_of_tree = {0};
  auto const rows = RandomRows(1, 2, 7);
  std::vector<float> expected(IsOfPairs(GetParam()) ? 9 : 3, 0.0F);
  expected.back() = 3.5F;
  EXPECT_EQ(Against(model, GetParam(), rows, rows), expected);
}

INSTANTIATE_TEST_SUITE_P(All, BackgroundKind,
                         ::testing::Values(PredictKind::kInteraction, PredictKind::kBanzhaf,
                                           PredictKind::kTaylorInteraction, PredictKind::kBanzhafInteraction));

/// Sums the matrix's rows, [n_rows * n_outputs, width].
std::vector<double> RowSums(std::vector<float> const& matrices, std::size_t width) {
  std::vector<double> sums;
  for (std::size_t first = 0; first < matrices.size(); first += width) {
    sums.push_back(std::accumulate(matrices.begin() + static_cast<std::ptrdiff_t>(first),
                                   matrices.begin() + static_cast<std::ptrdiff_t>(first + width), 0.0));
  }
  return sums;
}

/// 24 features on a path are too many for coalitions, and 9 to 12 have tables of parts.
TEST(BackgroundKinds, RowsAddUpToValuesAndMatricesToMargins) {
  ForestSpec spec;
  spec.n_features = 20;
  spec.depth = 13;
  spec.n_classes = 2;
  spec.n_trees = 4;
  spec.early_leaf = 0.3;
  for (auto const& model : {RandomModel(spec), testing::ChainModel(70, 70, 0.6F)}) {
    auto const width = ToSize(model.n_features) + 1;
    auto const rows = RandomRows(40, static_cast<std::uint32_t>(model.n_features), 8);
    auto const background = RandomRows(300, static_cast<std::uint32_t>(model.n_features), 9);
    auto const expect_sums = [&](PredictKind pairs, PredictKind values) {
      auto const sums = RowSums(Against(model, pairs, rows, background), width);
      auto const expected = Against(model, values, rows, background);
      for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], expected[i], 4e-6) << "value " << i;
    };
    expect_sums(PredictKind::kInteraction, PredictKind::kContribution);
    expect_sums(PredictKind::kBanzhafInteraction, PredictKind::kBanzhaf);
    auto const totals = RowSums(Against(model, PredictKind::kTaylorInteraction, rows, background), width * width);
    auto const margins = testing::NaiveMargins(model, rows, testing::AllTrees(model),
                                               testing::RepeatStart(testing::ZeroStart(model), rows.NumRows()));
    for (std::size_t i = 0; i < totals.size(); ++i) ASSERT_NEAR(totals[i], margins[i], 1e-5) << "value " << i;
  }
}

/// 'a and b' for (1, 1): against (0, 0) the two features interact, against (1, 0) they do not.
TEST(BackgroundKinds, ConjunctionByHand) {
  auto model = testing::ConjunctionModel();
  model.trees[0].SetLeafValue(4, 4.0F);
  MemoryView const background({0.0F, 0.0F, 1.0F, 0.0F}, 2);
  MemoryView const row({1.0F, 1.0F}, 2);
  EXPECT_EQ(Against(model, PredictKind::kBanzhaf, row, background), (std::vector<float>{1, 3, 0}));
  std::vector<float> const pairs{0, 1, 0, 1, 2, 0, 0, 0, 0};
  EXPECT_EQ(Against(model, PredictKind::kInteraction, row, background), pairs);
  EXPECT_EQ(Against(model, PredictKind::kBanzhafInteraction, row, background), pairs);
  EXPECT_EQ(Against(model, PredictKind::kTaylorInteraction, row, background), pairs);
}

constexpr PredictKind kAllKinds[] = {PredictKind::kContribution, PredictKind::kInteraction, PredictKind::kBanzhaf,
                                     PredictKind::kBanzhafInteraction, PredictKind::kTaylorInteraction};

/// Returns a forest with leaves of all forms.
ForestSpec SpecOfAllForms() {
  ForestSpec spec;
  spec.n_features = 16;
  spec.depth = 14;
  spec.early_leaf = 0.3;
  return spec;
}

/// The other output does not change a bit of the values, however large it is.
TEST(BackgroundKinds, OutputsOfAnySize) {
  auto spec = SpecOfAllForms();
  spec.n_classes = 2;
  auto const rows = RandomRows(20, spec.n_features, 8);
  auto const background = RandomRows(50, spec.n_features, 9);
  for (auto const& model : {RandomModel(spec), testing::VectorModel(2, false, spec)}) {
    auto large = model;
    testing::ScaleLeaves(0, 1e20F, &large);
    auto alone = model;
    testing::ScaleLeaves(0, 0.0F, &alone);
    for (auto const kind : kAllKinds) {
      auto const values = Against(large, kind, rows, background, 3);
      auto const expected = Against(alone, kind, rows, background);
      auto const width = values.size() / (2 * ToSize(rows.NumRows()));
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i / width % 2 == 0) continue;
        ASSERT_EQ(values[i], expected[i]) << "value " << i;
      }
    }
  }
}

/// Leaves of 1e-36 have values of that size.
TEST(BackgroundKinds, LeavesOfAnySize) {
  auto const spec = SpecOfAllForms();
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(20, spec.n_features, 8);
  auto const background = RandomRows(50, spec.n_features, 9);
  for (auto const exponent : {-120, 120}) {
    auto scaled = model;
    testing::ScaleLeaves(0, std::ldexp(1.0F, exponent), &scaled);
    for (auto const kind : kAllKinds) {
      auto const values = Against(scaled, kind, rows, background);
      auto const expected = Against(model, kind, rows, background);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR(std::ldexp(static_cast<double>(values[i]), -exponent), expected[i], 1e-6) << "value " << i;
      }
    }
  }
}

TEST(BackgroundKinds, RefusesLeavesThatOverflow) {
  auto model = RandomModel({});
  auto const rows = RandomRows(2, model.n_features, 8);
  testing::ScaleLeaves(0, 1e37F, &model);
  model.tree_weights = {1.0F, 1e3F};
  auto const message = MessageOf(ErrorKind::kModel, [&] { Against(model, PredictKind::kBanzhaf, rows, rows); });
  EXPECT_NE(message.find("tree 1 has a leaf that is infinite times the weight"), std::string::npos) << message;
}

TEST(BackgroundKinds, PredictorsSayWhatTheyCompute) {
  auto const predictor = testing::MakeCpuPredictor();
  EXPECT_TRUE(predictor->Computes(PredictKind::kBanzhafInteraction, true));
  EXPECT_TRUE(predictor->Computes(PredictKind::kApproxContribution, false));
  EXPECT_FALSE(predictor->Computes(PredictKind::kApproxContribution, true));
}

}  // namespace
}  // namespace kauri
