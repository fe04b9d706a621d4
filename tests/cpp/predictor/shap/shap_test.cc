#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "predictor/shap/contributions.h"
#include "predictor/shap/shap_models.h"
#include "predictor/shap/shap_oracle.h"
#include "predictor/shap/shap_quadrature.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::MemoryView;

using Explain = void (*)(Context const&, ForestTask const&, Span<float>);

void QuadratureContributions(Context const& ctx, ForestTask const& task, Span<float> out) {
  QuadratureValues(ctx, task, LazyQuadrature(), {Semivalue::kShapley, false}, out);
}

void QuadratureInteractions(Context const& ctx, ForestTask const& task, Span<float> out) {
  QuadratureValues(ctx, task, LazyQuadrature(), {Semivalue::kShapley, true}, out);
}

std::vector<float> ZeroStart(Model const& model) { return std::vector<float>(model.NumOutputs(), 0.0F); }

std::vector<float> RunExplain(Explain explain, Model const& model, MemoryView const& rows,
                              std::vector<float> const& start, int threads = 1) {
  TreeRange const trees{0, static_cast<std::int64_t>(model.trees.size())};
  auto const is_pairs =
      explain == &TreeShapInteractions || explain == &QuadratureInteractions || explain == &ApproxInteractions;
  auto const kind = is_pairs ? PredictKind::kInteraction : PredictKind::kContribution;
  auto const forest = CompileForest({}, model, trees);
  std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, trees), 123.0F);
  explain(testing::Threads(threads), {forest, rows, trees, {start, {}}}, out);
  return out;
}

/// One of the two exact methods; tolerance: relative to the sum of the trees' largest leaves.
struct Method {
  char const* name;
  Explain contributions;
  Explain interactions;
  long double tolerance;
};

class ExactShap : public ::testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(Methods, ExactShap,
                         ::testing::Values(Method{"TreeShap", &TreeShapContributions, &TreeShapInteractions, 1e-7L},
                                           Method{"Quadrature", &QuadratureContributions, &QuadratureInteractions,
                                                  2e-7L}),
                         [](auto const& method) { return method.param.name; });

/// Compares with all subsets, within float32 rounding.
void ExpectBruteForce(Method const& method, Model const& model, MemoryView const& rows) {
  auto const phi = RunExplain(method.contributions, model, rows, ZeroStart(model));
  auto const pairs = RunExplain(method.interactions, model, rows, ZeroStart(model));
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    auto const expected = testing::BruteForce(model, rows, row);
    auto const tolerance = method.tolerance * (expected.scale + 1e-30L);
    for (std::size_t i = 0; i < expected.phi.size(); ++i) {
      ASSERT_NEAR(phi[std::int64_t{row} * expected.phi.size() + i], static_cast<double>(expected.phi[i]),
                  static_cast<double>(tolerance))
          << "row " << row << " value " << i;
    }
    for (std::size_t i = 0; i < expected.pairs.size(); ++i) {
      ASSERT_NEAR(pairs[std::int64_t{row} * expected.pairs.size() + i], static_cast<double>(expected.pairs[i]),
                  static_cast<double>(tolerance))
          << "row " << row << " pair " << i;
    }
  }
}

TEST_P(ExactShap, EqualsAllSubsets) {
  testing::ForEachSmallModel(
      [](Model const& model, MemoryView const& rows) { ExpectBruteForce(GetParam(), model, rows); });
}

TEST_P(ExactShap, RepeatedFeatures) {
  ExpectBruteForce(GetParam(), testing::RepeatingModel(9), testing::RandomRows(20, 2, 1));
}

TEST_P(ExactShap, CategoricalDartAndMultiClass) {
  ExpectBruteForce(GetParam(), testing::CategoricalDartModel(), testing::RandomRows(20, 6, 2));
}

TEST_P(ExactShap, TreesOfOneLeaf) {
  Model model;
  model.n_features = 2;
  model.trees.emplace_back();
  model.trees.back().SetLeafValue(0, 3.5F);
  model.output_of_tree = {0};
  auto const phi = RunExplain(GetParam().contributions, model, testing::RandomRows(3, 2, 3), {1.0F});
  EXPECT_EQ(phi, (std::vector<float>{0, 0, 4.5F, 0, 0, 4.5F, 0, 0, 4.5F}));
}

TEST_P(ExactShap, ConjunctionByHand) {
  auto const model = testing::ConjunctionModel();
  MemoryView const rows({1.0F, 1.0F}, 2);
  EXPECT_EQ(RunExplain(GetParam().contributions, model, rows, {0.0F}), (std::vector<float>{0.375F, 0.375F, 0.25F}));
  EXPECT_EQ(RunExplain(GetParam().interactions, model, rows, {0.0F}),
            (std::vector<float>{0.25F, 0.125F, 0, 0.125F, 0.25F, 0, 0, 0, 0.25F}));
  EXPECT_EQ(RunExplain(&ApproxContributions, model, rows, {0.0F}), (std::vector<float>{0.25F, 0.5F, 0.25F}));
  EXPECT_EQ(RunExplain(&ApproxInteractions, model, rows, {0.0F}),
            (std::vector<float>{0.25F, 0, 0, 0, 0.5F, 0, 0, 0, 0.25F}));
}

/// Covers children with zero cover, parents with zero cover, and trees with zero cover.
TEST_P(ExactShap, ZeroCovers) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ForestSpec spec;
    spec.seed = seed;
    auto model = testing::RandomModel(spec);
    testing::Random random(seed);
    for (auto& tree : model.trees) {
      for (std::int32_t node = 1; node < tree.NumNodes(); ++node) {
        auto const parent = ToSize(tree.parent[node]);
        auto const sibling_is_empty = node % 2 == 0 && tree.sum_hessian[node - 1] == 0.0F;
        auto const cover = tree.sum_hessian[parent];
        if (seed == 5 || cover == 0.0F || (node % 2 == 1 && random.Below(3) == 0)) {
          tree.sum_hessian[node] = 0.0F;
        } else if (node % 2 == 1) {
          tree.sum_hessian[node] = cover * 0.25F;
        } else {
          tree.sum_hessian[node] = sibling_is_empty ? cover : cover * 0.75F;
        }
      }
      if (seed == 5) tree.sum_hessian[0] = 0.0F;
    }
    ExpectBruteForce(GetParam(), model, testing::RandomRows(15, 6, seed));
  }
}

TEST_P(ExactShap, CoversThatAreNotNumbersGiveNumbers) {
  auto const model = testing::ModelOfBadCovers();
  for (auto explain : {GetParam().contributions, GetParam().interactions, &ApproxContributions}) {
    for (auto value : RunExplain(explain, model, testing::RandomRows(20, 6, 4), {0.0F}))
      ASSERT_TRUE(std::isfinite(value));
  }
}

/// Checks that features sum to the margin, rows of the interactions to the contributions, and that both halves of a
/// pair have the same bits.
void ExpectConsistent(Method const& method, Model const& model, MemoryView const& rows, float tolerance) {
  auto const n_outputs = ToSize(model.NumOutputs());
  auto const width = ToSize(model.n_features) + 1;
  std::vector<float> const start(n_outputs, 0.75F);
  TreeRange const all{0, static_cast<std::int64_t>(model.trees.size())};
  auto const margins = testing::NaiveMargins(model, rows, all, testing::RepeatStart(start, rows.NumRows()));
  auto const pairs = RunExplain(method.interactions, model, rows, start);
  for (auto explain : {method.contributions, &ApproxContributions}) {
    auto const phi = RunExplain(explain, model, rows, start);
    for (std::size_t i = 0; i < margins.size(); ++i) {
      auto const* first = phi.data() + i * width;
      ASSERT_NEAR(std::accumulate(first, first + width, 0.0), margins[i], tolerance) << "row and output " << i;
    }
    if (explain != method.contributions) continue;
    for (std::size_t i = 0; i < phi.size(); ++i) {
      auto const* first = pairs.data() + i * width;
      ASSERT_NEAR(std::accumulate(first, first + width, 0.0), phi[i], tolerance) << "value " << i;
    }
  }
  for (std::size_t i = 0; i < margins.size() * width * width; ++i) {
    auto const a = i / width % width;
    auto const mirrored = i / (width * width) * width * width + i % width * width + a;
    ASSERT_EQ(pairs[i], pairs[mirrored]);
  }
}

TEST_P(ExactShap, SumsAndSymmetry) {
  ForestSpec spec;
  spec.n_features = 20;
  spec.depth = 10;
  spec.n_classes = 2;
  spec.n_trees = 10;
  ExpectConsistent(GetParam(), testing::RandomModel(spec), testing::RandomRows(40, 20, 5), 1e-5F);
}

/// With 64 levels on distinct features and even splits the weights stay well separated, so float64 suffices.
TEST_P(ExactShap, DeepChainsAddUp) {
  for (auto const& [depth, n_features] : {std::pair{24, 24}, {1500, 5}}) {
    Model model;
    model.n_features = n_features;
    model.trees.emplace_back();
    auto& tree = model.trees[0];
    std::int32_t node = 0;
    tree.SetNodeStatistics(0, 0.0F, 1000.0F);
    for (int level = 0; level < depth; ++level) {
      auto const cover = tree.sum_hessian[node];
      tree.ExpandNode(
          node, {static_cast<std::uint32_t>(level % n_features), static_cast<float>(level / n_features), false, 0.0F});
      auto const ratio = depth > 100 ? 0.999F : 0.6F;
      tree.SetNodeStatistics(tree.left[node], 0.0F, cover * (1.0F - ratio));
      tree.SetNodeStatistics(tree.right[node], 0.0F, cover * ratio);
      tree.SetLeafValue(tree.left[node], static_cast<float>(level % 7) - 3.0F);
      node = tree.right[node];
    }
    tree.SetLeafValue(node, 7.0F);
    model.output_of_tree = {0};
    std::vector<float> values;
    for (int row = 0; row < 4; ++row) {
      for (int f = 0; f < n_features; ++f)
        values.push_back(row == 3 ? 1e6F : static_cast<float>((row * 37 + f * 11) % 300));
    }
    ExpectConsistent(GetParam(), model, {values, n_features}, 1e-4F);
  }
}

TEST_P(ExactShap, UnusedFeaturesGetExactlyNothing) {
  ForestSpec spec;
  spec.n_features = 4;
  auto model = testing::RandomModel(spec);
  model.n_features = 9;
  for (auto& tree : model.trees) {
    for (auto& feature : tree.split_feature) feature = feature * 2 + 1;
  }
  auto const rows = testing::RandomRows(10, 9, 6);
  auto const phi = RunExplain(GetParam().contributions, model, rows, {0.0F});
  auto const pairs = RunExplain(GetParam().interactions, model, rows, {0.0F});
  for (std::size_t i = 0; i < phi.size(); ++i) {
    if (i % 10 % 2 == 0) {
      ASSERT_EQ(phi[i], 0.0F);
    }
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto const a = i / 10 % 10;
    auto const b = i % 10;
    if (a % 2 == 0 || b % 2 == 0) {
      ASSERT_EQ(pairs[i], 0.0F);
    }
    if ((a == 9 || b == 9) && a != b) {
      ASSERT_EQ(pairs[i], 0.0F);
    }
  }
}

TEST_P(ExactShap, SwappingIdenticalColumnsSwapsTheirShares) {
  ForestSpec spec;
  auto const model = testing::RandomModel(spec);
  auto swapped = model;
  for (auto& tree : swapped.trees) {
    for (auto& feature : tree.split_feature) feature = feature < 2 ? 1 - feature : feature;
  }
  std::vector<float> values(60);
  testing::Random random(7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 6 == 1 ? values[i - 1] : random.Normal();
  MemoryView const rows(values, 6);
  auto const phi = RunExplain(GetParam().contributions, model, rows, {0.0F});
  auto const other = RunExplain(GetParam().contributions, swapped, rows, {0.0F});
  for (std::size_t row = 0; row < 10; ++row) {
    EXPECT_EQ(phi[row * 7], other[row * 7 + 1]);
    EXPECT_EQ(phi[row * 7 + 1], other[row * 7]);
  }
}

TEST_P(ExactShap, BaseMarginOfRowMovesTheBiasOnly) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(33, 6, 8);
  auto const forest = CompileForest({}, model, {0, 5});
  std::vector<float> start(66);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i);
  for (auto explain : {GetParam().contributions, &ApproxContributions}) {
    auto const plain = RunExplain(explain, model, rows, ZeroStart(model));
    std::vector<float> out(plain.size());
    explain({}, {forest, rows, {0, 5}, {{}, start}}, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 7 == 6) {
        ASSERT_NEAR(out[i], plain[i] + start[i / 7], 1e-5);
      } else {
        ASSERT_EQ(out[i], plain[i]);
      }
    }
  }
}

TEST_P(ExactShap, RangesOfTreesAddUp) {
  ForestSpec spec;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(17, 6, 9);
  auto const whole = RunExplain(GetParam().contributions, model, rows, {0.0F});
  auto const forest = CompileForest({}, model, {0, 5});
  std::vector<float> const start{0.0F};
  std::vector<float> sum(whole.size(), 0.0F);
  for (auto const range : {TreeRange{0, 2}, TreeRange{2, 3}, TreeRange{3, 5}, TreeRange{5, 5}}) {
    std::vector<float> part(whole.size());
    GetParam().contributions({}, {forest, rows, range, {start, {}}}, part);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i], whole[i], 1e-5);
}

TEST_P(ExactShap, SameBitsForAnyThreadCountAndRowCount) {
  ForestSpec spec;
  spec.categorical = 0.2;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(257, 6, 10);
  for (auto explain : {GetParam().contributions, GetParam().interactions, &ApproxContributions, &ApproxInteractions}) {
    auto const one = RunExplain(explain, model, rows, {0.5F}, 1);
    EXPECT_EQ(RunExplain(explain, model, rows, {0.5F}, 8), one);
    for (std::int64_t n_rows : {0, 1, 31, 32, 33, 64, 65}) {
      std::vector<float> values;
      for (std::int64_t cell = 0; cell < n_rows * 6; ++cell) values.push_back(rows.At(cell / 6, cell % 6));
      auto const some = RunExplain(explain, model, {values, 6}, {0.5F}, 8);
      EXPECT_EQ(some, std::vector<float>(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(some.size())));
    }
  }
}

/// Computes Saabas values by following the row's path, with expectations from the definition.
TEST(Saabas, FollowsThePath) {
  ForestSpec spec;
  spec.n_trees = 1;
  auto const model = testing::RandomModel(spec);
  auto const& tree = model.trees[0];
  auto const rows = testing::RandomRows(30, 6, 11);
  std::vector<double> mean(tree.left.size());
  for (auto node = tree.left.size(); node-- > 0;) {
    mean[node] = tree.split_value[node];
    if (tree.IsLeaf(static_cast<std::int32_t>(node))) continue;
    mean[node] = 0.0;
    for (auto child : {ToSize(tree.left[node]), ToSize(tree.right[node])}) {
      mean[node] += mean[child] * tree.sum_hessian[child] / tree.sum_hessian[node];
    }
  }
  auto const out = RunExplain(&ApproxContributions, model, rows, {2.0F});
  for (std::int64_t row = 0; row < 30; ++row) {
    std::vector<double> expected(7, 0.0);
    expected[6] = mean[0] + 2.0;
    std::int32_t node = 0;
    while (!tree.IsLeaf(node)) {
      auto const feature = tree.split_feature[node];
      auto const child = (testing::NaiveGoesLeft(tree, node, rows.At(row, feature)) ? tree.left : tree.right)[node];
      expected[feature] += mean[child] - mean[node];
      node = child;
    }
    for (std::size_t i = 0; i < 7; ++i) ASSERT_NEAR(out[std::int64_t{row} * 7 + i], expected[i], 1e-5);
  }
}

}  // namespace
}  // namespace kauri
