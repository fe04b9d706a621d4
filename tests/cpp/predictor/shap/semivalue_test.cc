#include <hwy/targets.h>

#include <numeric>
#include <string>

#include "predictor/shap/semivalue_check.h"
#include "predictor/shap/shap_models.h"

namespace kauri {
namespace {

using testing::AllTreesOf;
using testing::ExpectDefinition;
using testing::ForestSpec;
using testing::MakeCpuPredictor;
using testing::MemoryView;
using testing::Predict;
using testing::RowsOf;

TEST(Semivalues, ConjunctionByHand) {
  auto const model = testing::ConjunctionModel();
  MemoryView const rows({1.0F, 1.0F}, 2);
  EXPECT_EQ(Predict(model, rows, PredictKind::kBanzhaf), (std::vector<float>{0.375F, 0.375F, 0.25F}));
  EXPECT_EQ(Predict(model, rows, PredictKind::kTaylorInteraction),
            (std::vector<float>{0.25F, 0.125F, 0, 0.125F, 0.25F, 0, 0, 0, 0.25F}));
}

/// Tests the majority of three with even covers at (1, 1, 1), for which the values differ from Shapley's. f is 1/2 for
/// no known feature, 3/4 for one, 1 for two and three.
TEST(Semivalues, MajorityByHand) {
  Model model;
  model.n_features = 3;
  model.trees.emplace_back();
  auto& tree = model.trees[0];
  for (auto const& [node, feature] : {std::pair{0, 0U}, {1, 1U}, {2, 1U}, {4, 2U}, {5, 2U}}) {
    tree.ExpandNode(node, {feature, 0.5F, false, 0.0F});
  }
  for (auto const& [node, cover] : {std::pair{0, 8.0F},
                                    {1, 4.0F},
                                    {2, 4.0F},
                                    {3, 2.0F},
                                    {4, 2.0F},
                                    {5, 2.0F},
                                    {6, 2.0F},
                                    {7, 1.0F},
                                    {8, 1.0F},
                                    {9, 1.0F},
                                    {10, 1.0F}}) {
    tree.SetNodeStatistics(node, 0.0F, cover);
  }
  for (auto const& [node, value] : {std::pair{3, 0.0F}, {6, 1.0F}, {7, 0.0F}, {8, 1.0F}, {9, 0.0F}, {10, 1.0F}}) {
    tree.SetLeafValue(node, value);
  }
  model.output_of_tree = {0};
  MemoryView const rows({1.0F, 1.0F, 1.0F}, 3);
  auto const banzhaf = Predict(model, rows, PredictKind::kBanzhaf);  // (1/4 + 1/4 + 1/4 + 0) / 4
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(banzhaf[i], 0.1875F);
  EXPECT_FLOAT_EQ(banzhaf[3], 0.5F);
  auto const taylor = Predict(model, rows, PredictKind::kTaylorInteraction);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(taylor[i * 5], 0.25F);
  // 2/3 (0 + -1/4 / 2), halved; everything sums to 1/2 + 3/4 - 3/12 = 1.
  EXPECT_NEAR(taylor[1], -1.0F / 24.0F, 1e-8);
  EXPECT_NEAR(std::accumulate(taylor.begin(), taylor.end(), 0.0), 1.0, 1e-6);
}

TEST(Semivalues, EqualAllCoalitions) {
  testing::ForEachSmallModel(
      [](Model const& model, MemoryView const& rows) { ExpectDefinition(model, rows, testing::AllCoalitions); });
}

TEST(Semivalues, RepeatedFeatures) {
  ExpectDefinition(testing::RepeatingModel(9), testing::RandomRows(20, 2, 1), testing::AllCoalitions);
}

TEST(Semivalues, CategoricalDartAndMultiClass) {
  ExpectDefinition(testing::CategoricalDartModel(), testing::RandomRows(20, 6, 2), testing::AllCoalitions);
}

/// Returns a model with zero-cover branches, also on features that are split again below them, and with zero-cover
/// parents.
Model ModelWithoutCovers(std::uint64_t seed) {
  ForestSpec spec;
  spec.seed = seed;
  spec.depth = 6;
  spec.n_features = 4;
  auto model = testing::RandomModel(spec);
  testing::Random random(seed);
  for (auto& tree : model.trees) {
    for (std::int32_t node = 1; node < tree.NumNodes(); node += 2) {
      float const share[] = {0.0F, 1.0F, 0.25F, 0.5F};
      auto const cover = tree.sum_hessian[tree.parent[node]];
      tree.sum_hessian[node] = cover * share[random.Below(4)];
      tree.sum_hessian[node + 1] = cover - tree.sum_hessian[node];
    }
  }
  return model;
}

TEST(Semivalues, ZeroCovers) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ExpectDefinition(ModelWithoutCovers(seed), testing::RandomRows(15, 4, seed), testing::AllCoalitions);
  }
}

TEST(Semivalues, CoversThatAreNotNumbersGiveNumbers) {
  auto const model = testing::ModelOfBadCovers();
  for (auto kind : {PredictKind::kBanzhaf, PredictKind::kTaylorInteraction}) {
    for (auto value : Predict(model, testing::RandomRows(20, 6, 4), kind)) ASSERT_TRUE(std::isfinite(value));
  }
}

/// The matrix sums to the margin, its halves have the same bits, and the rows of unused features are zero.
TEST(ShapleyTaylor, AddsUpToTheMarginAndIsSymmetric) {
  ForestSpec spec;
  spec.n_features = 20;
  spec.depth = 10;
  spec.n_classes = 2;
  spec.n_trees = 10;
  auto model = testing::RandomModel(spec);
  model.n_features = 22;
  auto const rows = testing::RandomRows(40, 22, 5);
  std::vector<float> start(80);
  std::iota(start.begin(), start.end(), -3.0F);
  auto const margins = testing::NaiveMargins(model, rows, AllTreesOf(model), start);
  auto const taylor = Predict(model, rows, PredictKind::kTaylorInteraction, AllTreesOf(model), start);
  std::size_t const width = 23;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    auto const* matrix = taylor.data() + i * width * width;
    ASSERT_NEAR(std::accumulate(matrix, matrix + width * width, 0.0), margins[i], 2e-5) << i;
    for (std::size_t a = 0; a < width; ++a) {
      for (std::size_t b = 0; b < width; ++b) {
        ASSERT_EQ(matrix[a * width + b], matrix[b * width + a]);
        if ((a >= 20 || b >= 20) && (a != 22 || b != 22)) {
          ASSERT_EQ(matrix[a * width + b], 0.0F);
        }
      }
    }
  }
}

/// In trees of one feature the only coalition is the empty one.
TEST(Banzhaf, OfOneFeatureIsItsShapleyValue) {
  ForestSpec spec;
  spec.n_features = 1;
  spec.depth = 4;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(40, 1, 3);
  auto const banzhaf = Predict(model, rows, PredictKind::kBanzhaf);
  auto const shapley = Predict(model, rows, PredictKind::kContribution);
  for (std::size_t i = 0; i < banzhaf.size(); ++i) ASSERT_NEAR(banzhaf[i], shapley[i], 1e-6);
}

TEST(Semivalues, BiasIsThatOfContributions) {
  ForestSpec spec;
  spec.n_classes = 3;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(3, 6, 3);
  std::vector<float> const start{1.0F, -2.0F, 0.25F};
  TreeRange const trees{1, 4};
  auto const shapley = Predict(model, rows, PredictKind::kContribution, trees, start);
  auto const banzhaf = Predict(model, rows, PredictKind::kBanzhaf, trees, start);
  auto const taylor = Predict(model, rows, PredictKind::kTaylorInteraction, trees, start);
  for (std::size_t i = 6; i < shapley.size(); i += 7) {
    ASSERT_EQ(banzhaf[i], shapley[i]);
    ASSERT_EQ(taylor[i / 7 * 49 + 48], shapley[i]);
  }
}

TEST(Semivalues, RangesOfTreesAreModelsOfTheirOwn) {
  ForestSpec spec;
  spec.n_classes = 2;
  spec.n_trees = 6;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(17, 6, 9);
  auto part = model;
  part.trees.assign(model.trees.begin() + 2, model.trees.begin() + 4);
  part.output_of_tree.assign(model.output_of_tree.begin() + 2, model.output_of_tree.begin() + 4);
  for (auto kind : {PredictKind::kBanzhaf, PredictKind::kTaylorInteraction}) {
    EXPECT_EQ(Predict(model, rows, kind, {2, 4}), Predict(part, rows, kind));
    for (auto value : Predict(model, rows, kind, {3, 3})) ASSERT_EQ(value, 0.0F);
  }
}

TEST(Semivalues, TreesOfOneLeaf) {
  Model model;
  model.n_features = 2;
  model.trees.emplace_back();
  model.trees.back().SetLeafValue(0, 3.5F);
  model.output_of_tree = {0};
  auto const rows = testing::RandomRows(2, 2, 3);
  EXPECT_EQ(Predict(model, rows, PredictKind::kBanzhaf), (std::vector<float>{0, 0, 3.5F, 0, 0, 3.5F}));
  EXPECT_EQ(Predict(model, RowsOf(rows, 0, 1), PredictKind::kTaylorInteraction),
            (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 3.5F}));
}

/// Uses shallow and deep trees, categorical ones and long paths: all methods of traversal, and few rows by levels.
TEST(Semivalues, SameBitsForAnyBatchAndThreadCount) {
  Model model;
  model.n_features = 30;
  for (auto const& [depth, categorical, n_features] :
       {std::tuple{1, 0.0, 30U}, {3, 0.0, 3U}, {8, 0.1, 20U}, {10, 0.0, 5U}, {9, 0.0, 30U}}) {
    ForestSpec spec;
    spec.n_trees = 3;
    spec.depth = depth;
    spec.categorical = categorical;
    spec.n_features = n_features;
    spec.early_leaf = 0.1;
    for (auto& tree : testing::RandomModel(spec).trees) model.trees.push_back(std::move(tree));
  }
  for (auto& tree : testing::ChainModel(30, 30, 0.7F).trees) model.trees.push_back(std::move(tree));
  model.output_of_tree.assign(model.trees.size(), 0);
  auto const rows = testing::RandomRows(100, 30, 6);
  for (auto kind : {PredictKind::kBanzhaf, PredictKind::kTaylorInteraction}) {
    auto const all = Predict(model, rows, kind);
    auto const width = OutputWidth(model, kind, AllTreesOf(model));
    EXPECT_EQ(Predict(model, rows, kind, AllTreesOf(model), {}, 4), all);
    for (std::int64_t n_rows : {0, 1, 2, 3, 4, 5, 16, 17, 33}) {
      auto const some = Predict(model, RowsOf(rows, 7, 7 + n_rows), kind);
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 7 * width)) << n_rows;
    }
  }
}

/// Tests the vector code of every target that this processor supports.
TEST(Semivalues, EveryTargetEqualsAllCoalitions) {
  ForestSpec spec;
  spec.depth = 6;
  spec.n_features = 9;
  spec.categorical = 0.1;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(18, 9, 7);
  auto const supported = hwy::SupportedTargets();
  for (auto targets = supported; targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    ExpectDefinition(model, rows, testing::AllCoalitions);
    ExpectDefinition(model, RowsOf(rows, 0, 3), testing::AllCoalitions);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Semivalues, TheRecursionNamesTheOtherMethod) {
  auto const model = testing::RandomModel({});
  auto const predictor = MakeCpuPredictor({{"shap_method", "treeshap"}});
  auto const compiled = predictor->Compile({}, model, {0, 5});
  std::vector<float> const start{0.0F};
  std::vector<float> out(49);
  for (auto const& [kind, size] : {std::pair{PredictKind::kBanzhaf, 7}, {PredictKind::kTaylorInteraction, 49}}) {
    try {
      predictor->Predict({}, *compiled, {testing::RandomRows(1, 6, 1), {0, 5}, {start, {}}}, kind,
                         {out.data(), ToSize(size)});
      ADD_FAILURE() << "no error";
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
      EXPECT_NE(std::string(error.what()).find("shap_method=quadrature"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace kauri
