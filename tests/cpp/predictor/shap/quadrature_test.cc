#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "predictor/shap/contributions.h"
#include "predictor/shap/quadrature_rule.h"
#include "predictor/shap/shap_oracle.h"
#include "predictor/shap/shap_quadrature.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::MemoryView;

struct Values {
  std::vector<float> phi;    ///< for one output
  std::vector<float> pairs;  ///< [n_rows, n_features + 1, n_features + 1]
};

Values Explain(Model const& model, MemoryView const& rows, int threads = 1) {
  TreeRange const trees{0, static_cast<std::int64_t>(model.trees.size())};
  auto const forest = CompileForest({}, model, trees);
  auto const width = ToSize(model.n_features) + 1;
  std::vector<float> const start(model.NumOutputs(), 0.0F);
  Values values;
  values.phi.resize(ToSize(rows.NumRows() * model.NumOutputs()) * width, 99.0F);
  values.pairs.resize(values.phi.size() * width, 99.0F);
  auto const ctx = testing::Threads(threads);
  ForestTask const task{forest, rows, trees, {start, {}}};
  LazyQuadrature const lazy;
  QuadratureValues(ctx, task, lazy, {Semivalue::kShapley, false}, values.phi);
  QuadratureValues(ctx, task, lazy, {Semivalue::kShapley, true}, values.pairs);
  return values;
}

TEST(QuadratureRule, IntegratesPolynomialsExactly) {
  for (std::int32_t n : {1, 2, 3, 5, 8, 16, 32, 100}) {
    auto const rule = MakeGaussLegendre(n);
    ASSERT_TRUE(std::is_sorted(rule.node.begin(), rule.node.end()));
    for (std::int32_t degree = 0; degree < 2 * n; ++degree) {
      double sum = 0.0;
      double mirrored = 0.0;
      for (std::size_t q = 0; q < rule.node.size(); ++q) {
        sum += rule.weight[q] * std::pow(rule.node[q], degree);
        mirrored += rule.weight[q] * std::pow(rule.complement[q], degree);
      }
      ASSERT_NEAR(sum * (degree + 1), 1.0, 1e-12) << n << " nodes, degree " << degree;
      ASSERT_NEAR(mirrored * (degree + 1), 1.0, 1e-12) << n << " nodes, degree " << degree;
    }
  }
}

TEST(QuadratureRule, ScalesStayWithinFloats) {
  for (std::int32_t points = 1; points <= 40; ++points) {
    auto const rule = MakeQuadratureRule(Semivalue::kShapley, points);
    EXPECT_EQ(PointsFor(2 * points), points);
    EXPECT_EQ(PointsFor(2 * points - 1), points);
    for (auto const* values : {&rule.power, &rule.power_alpha, &rule.power_beta, &rule.beta, &rule.half_scale}) {
      for (auto value : *values) ASSERT_TRUE(std::isnormal(value)) << points;
    }
    if (points > kMaxUnitOrder) continue;
    EXPECT_EQ(rule.alpha, std::vector<float>(points, 1.0F));
    EXPECT_TRUE(std::isfinite(std::pow(1.0F + rule.beta.back(), 2.0F * static_cast<float>(points))));
  }
}

/// Returns a chain with a left leaf at every level and distinct features. ratio: share of the cover that stays on the
/// chain; 0: a random share.
Model ChainModel(std::int32_t depth, float ratio) {
  testing::Random random(static_cast<std::uint64_t>(depth));
  Model model;
  model.n_features = depth;
  model.trees.emplace_back();
  model.output_of_tree = {0};
  auto& tree = model.trees[0];
  std::int32_t node = 0;
  tree.SetNodeStatistics(0, 0.0F, 1e30F);  // 64 tenths of it are still representable
  for (std::int32_t level = 0; level < depth; ++level) {
    auto const cover = tree.sum_hessian[node];
    tree.ExpandNode(node, {static_cast<std::uint32_t>(level), 0.0F, false, 0.0F});
    auto const kept = ratio > 0.0F ? ratio : static_cast<float>(0.05 + 0.9 * random.Uniform());
    tree.SetNodeStatistics(tree.left[node], 0.0F, cover * (1.0F - kept));
    tree.SetNodeStatistics(tree.right[node], 0.0F, cover * kept);
    tree.SetLeafValue(tree.left[node], 0.0F);
    node = tree.right[node];
  }
  tree.SetLeafValue(node, 1.0F);
  return model;
}

/// Returns rows that follow the chain everywhere, nowhere, at every second level, and everywhere except once.
MemoryView ChainRows(std::int32_t depth) {
  std::vector<float> values;
  for (int row = 0; row < 4; ++row) {
    for (std::int32_t level = 0; level < depth; ++level) {
      auto const follows = row == 0 || (row == 2 && level % 2 == 0) || (row == 3 && level != depth / 2);
      values.push_back(follows ? 1.0F : -1.0F);
    }
  }
  return {values, depth};
}

/// Largest error relative to the row's largest value.
struct Errors {
  double phi = 0.0;
  double pairs = 0.0;
};

double RelativeError(std::vector<long double> const& exact, float const* found) {
  long double scale = 1e-30L;
  long double worst = 0.0L;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    scale = std::max(scale, std::abs(exact[i]));
    worst = std::max(worst, std::abs(exact[i] - static_cast<long double>(found[i])));
  }
  return static_cast<double>(worst / scale);
}

Errors LargestErrors(Model const& model, MemoryView const& rows) {
  auto const values = Explain(model, rows);
  Errors errors;
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    auto const exact = testing::LeafByLeaf(model, rows, row);
    errors.phi = std::max(errors.phi, RelativeError(exact.phi, values.phi.data() + ToSize(row) * exact.phi.size()));
    errors.pairs =
        std::max(errors.pairs, RelativeError(exact.pairs, values.pairs.data() + ToSize(row) * exact.pairs.size()));
  }
  return errors;
}

/// The error by number of distinct features on a path, which UNWIND loses to cancellation from 40 on (reference:
/// Bernstein coefficients in long double, positive terms only). Constants are float32, so equal covers at all levels
/// round alike and their errors add up; with random covers they hardly do.
class ErrorByFeatures : public ::testing::TestWithParam<std::int32_t> {};

TEST_P(ErrorByFeatures, IsThatOfFloat32) {
  auto const is_long = GetParam() > 2 * kMaxUnitOrder;
  for (auto const ratio : {0.0F, 0.99F, 0.9F, 0.5F, 0.1F}) {
    auto const errors = LargestErrors(ChainModel(GetParam(), ratio), ChainRows(GetParam()));
    auto const name = std::to_string(ratio);
    RecordProperty("contributions_" + name, std::to_string(errors.phi * 1e9) + "e-9");
    RecordProperty("interactions_" + name, std::to_string(errors.pairs * 1e9) + "e-9");
    EXPECT_LT(errors.phi, is_long && ratio > 0.0F ? 2e-6 : 1e-6) << "cover ratio " << ratio;
    EXPECT_LT(errors.pairs, is_long ? 6e-6 : 1e-6) << "cover ratio " << ratio;
  }
}

INSTANTIATE_TEST_SUITE_P(Features, ErrorByFeatures, ::testing::Values(1, 2, 3, 7, 8, 15, 16, 17, 18, 24, 32, 33, 64));

/// Returns trees of all kinds that have their own code path: one leaf, one split, few and many splits, categorical
/// splits, more features on a path than the unrolled kernels support, more splits than a flush.
Model MixedModel() {
  Model model;
  model.n_features = 40;
  for (auto const& [depth, categorical, n_features] :
       {std::tuple{0, 0.0, 40U}, {1, 0.0, 40U}, {3, 0.0, 3U}, {8, 0.1, 20U}, {10, 0.0, 5U}, {11, 0.0, 40U}}) {
    ForestSpec spec;
    spec.n_trees = 3;
    spec.depth = depth;
    spec.categorical = categorical;
    spec.n_features = n_features;
    spec.early_leaf = 0.1;
    spec.seed = static_cast<std::uint64_t>(depth) + 20;
    for (auto& tree : testing::RandomModel(spec).trees) model.trees.push_back(std::move(tree));
  }
  for (auto& tree : ChainModel(40, 0.7F).trees) model.trees.push_back(std::move(tree));
  model.output_of_tree.assign(model.trees.size(), 0);
  return model;
}

TEST(Quadrature, MixedTreesEqualTheRecursion) {
  auto const model = MixedModel();
  auto const rows = testing::RandomRows(40, 40, 5);
  TreeRange const trees{0, static_cast<std::int64_t>(model.trees.size())};
  auto const forest = CompileForest({}, model, trees);
  std::vector<float> const start{0.0F};
  auto const values = Explain(model, rows);
  std::vector<float> phi(values.phi.size());
  std::vector<float> pairs(values.pairs.size());
  TreeShapContributions({}, {forest, rows, trees, {start, {}}}, phi);
  TreeShapInteractions({}, {forest, rows, trees, {start, {}}}, pairs);
  for (std::size_t i = 0; i < phi.size(); ++i) ASSERT_NEAR(values.phi[i], phi[i], 5e-6) << i;
  for (std::size_t i = 0; i < pairs.size(); ++i) ASSERT_NEAR(values.pairs[i], pairs[i], 5e-6) << i;
}

/// Tests few rows, whole vectors, one more row, and several blocks; alone and with others; any number of threads.
TEST(Quadrature, SameBitsForAnyBatch) {
  auto const model = MixedModel();
  auto const rows = testing::RandomRows(300, 40, 6);
  auto const all = Explain(model, rows);
  EXPECT_EQ(Explain(model, rows, 8).phi, all.phi);
  EXPECT_EQ(Explain(model, rows, 8).pairs, all.pairs);
  for (std::int64_t n_rows : {0, 1, 2, 4, 5, 15, 16, 17, 32, 33, 257}) {
    std::int64_t const first = n_rows < 40 ? 7 : 0;
    std::vector<float> values;
    for (auto cell = first * 40; cell < (first + n_rows) * 40; ++cell) values.push_back(rows.At(cell / 40, cell % 40));
    auto const some = Explain(model, {values, 40});
    EXPECT_TRUE(std::equal(some.phi.begin(), some.phi.end(), all.phi.begin() + first * 41)) << n_rows;
    EXPECT_TRUE(std::equal(some.pairs.begin(), some.pairs.end(), all.pairs.begin() + first * 41 * 41)) << n_rows;
  }
}

/// Tests the vector code of every target that this processor supports.
TEST(Quadrature, EveryTargetEqualsAllSubsets) {
  ForestSpec spec;
  spec.depth = 6;
  spec.n_features = 9;
  spec.categorical = 0.1;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(37, 9, 7);
  auto const supported = hwy::SupportedTargets();
  for (auto targets = supported; targets != 0; targets &= targets - 1) {
    auto const target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (std::int64_t n_rows : {3, 37}) {
      MemoryView const some(
          [&] {
            std::vector<float> values;
            for (std::int64_t cell = 0; cell < n_rows * 9; ++cell) values.push_back(rows.At(cell / 9, cell % 9));
            return values;
          }(),
          9);
      auto const values = Explain(model, some);
      for (std::int64_t row = 0; row < n_rows; ++row) {
        auto const exact = testing::BruteForce(model, rows, row);
        EXPECT_LT(RelativeError(exact.phi, values.phi.data() + row * 10), 1e-6) << hwy::TargetName(target);
        EXPECT_LT(RelativeError(exact.pairs, values.pairs.data() + row * 100), 1e-6) << hwy::TargetName(target);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Quadrature, IsLinearInTheTrees) {
  auto model = MixedModel();
  auto const rows = testing::RandomRows(20, 40, 8);
  auto const whole = Explain(model, rows);
  for (std::size_t t = 0; t < model.trees.size(); ++t) model.tree_weights.push_back(-2.0F);  // exact in binary
  auto const scaled = Explain(model, rows);
  for (std::size_t i = 0; i < whole.phi.size(); ++i) ASSERT_EQ(scaled.phi[i], -2.0F * whole.phi[i]);
  for (std::size_t i = 0; i < whole.pairs.size(); ++i) ASSERT_EQ(scaled.pairs[i], -2.0F * whole.pairs[i]);
}

/// A repeated split has no effect: its second copy sends all rows one way.
TEST(Quadrature, TheSameSplitAgainChangesNothing) {
  Model model = ChainModel(6, 0.6F);
  auto repeated = model;
  auto& tree = repeated.trees[0];
  auto const last = tree.NumNodes() - 1;
  tree.ExpandNode(last, {2, 0.0F, false, 0.0F});  // the same split as the chain's on feature 2
  tree.SetNodeStatistics(last + 1, 0.0F, 0.0F);
  tree.SetNodeStatistics(last + 2, 0.0F, tree.sum_hessian[last]);
  tree.SetLeafValue(last + 1, 5.0F);
  tree.SetLeafValue(last + 2, 1.0F);
  auto const once = Explain(model, ChainRows(6));
  auto const twice = Explain(repeated, ChainRows(6));
  for (std::size_t i = 0; i < once.phi.size(); ++i) ASSERT_NEAR(once.phi[i], twice.phi[i], 1e-7);
  for (std::size_t i = 0; i < once.pairs.size(); ++i) ASSERT_NEAR(once.pairs[i], twice.pairs[i], 1e-7);
}

}  // namespace
}  // namespace kauri
