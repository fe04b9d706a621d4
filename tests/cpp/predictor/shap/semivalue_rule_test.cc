#include <string>

#include "predictor/shap/quadrature_rule.h"
#include "predictor/shap/semivalue_check.h"

namespace kauri {
namespace {

TEST(SemivalueNodes, IntegrateTheirMeasures) {
  auto const banzhaf = SemivalueNodes(Semivalue::kBanzhaf, 7);
  EXPECT_EQ(banzhaf.node, std::vector<double>{0.5});
  EXPECT_EQ(banzhaf.weight, std::vector<double>{1.0});
  auto const alone = SemivalueNodes(Semivalue::kTaylorAlone, 7);
  EXPECT_EQ(alone.node, std::vector<double>{0.0});
  EXPECT_EQ(alone.complement, std::vector<double>{1.0});
  for (std::int32_t order : {1, 2, 3, 8, 9, 32}) {
    auto const pairs = SemivalueNodes(Semivalue::kTaylorPairs, order);
    // A path of 2 * order features leaves a product of degree 2 * order - 2.
    for (std::int32_t degree = 0; degree <= 2 * order - 2; ++degree) {
      double sum = 0.0;
      for (std::size_t q = 0; q < pairs.node.size(); ++q) sum += pairs.weight[q] * std::pow(pairs.node[q], degree);
      // 2 Int (1 - t) t^d = 2 / (d + 1) / (d + 2)
      ASSERT_NEAR(sum * (degree + 1) * (degree + 2) / 2, 1.0, 1e-11) << order << " points, degree " << degree;
    }
  }
}

TEST(SemivalueRule, StaysWithinFloats) {
  for (auto const semivalue : {Semivalue::kBanzhaf, Semivalue::kTaylorPairs}) {
    for (std::int32_t order = 1; order <= 40; ++order) {
      auto const rule = MakeQuadratureRule(semivalue, order);
      EXPECT_EQ(rule.points, semivalue == Semivalue::kBanzhaf ? 1 : order);
      EXPECT_EQ(rule.IsUnit(), order <= kMaxUnitOrder);
      for (auto const* values : {&rule.weight, &rule.power, &rule.power_alpha, &rule.power_beta, &rule.half_scale}) {
        for (auto value : *values) ASSERT_TRUE(std::isnormal(value)) << order;
      }
      EXPECT_GE(rule.power.size(), ToSize((rule.IsUnit() ? 2 * order : 1) * rule.points));
    }
  }
}

/// The error by number of distinct features on a path. The rows follow the chain everywhere, nowhere, at every second
/// level, and everywhere except once.
class SemivalueErrors : public ::testing::TestWithParam<std::int32_t> {};

TEST_P(SemivalueErrors, AreThoseOfFloat32) {
  auto const depth = GetParam();
  auto const is_long = depth > 64;
  std::vector<float> values;
  for (int row = 0; row < 4; ++row) {
    if (is_long && row != 0) continue;  // the oracle is slow
    for (std::int32_t level = 0; level < depth; ++level) {
      auto const follows = row == 0 || (row == 2 && level % 2 == 0) || (row == 3 && level != depth / 2);
      values.push_back(follows ? 1.0F : -2.0F);
    }
  }
  for (auto const ratio : is_long ? std::vector<float>{0.9F} : std::vector<float>{0.99F, 0.9F, 0.5F, 0.1F}) {
    auto model = testing::ChainModel(depth, depth, ratio);
    auto& tree = model.trees[0];
    tree.sum_hessian[0] = 1e30F;  // 64 tenths of it are still representable
    for (std::int32_t left = 1; left < tree.NumNodes(); left += 2) {
      auto const cover = tree.sum_hessian[tree.parent[left]];
      tree.sum_hessian[left] = cover * (1.0F - ratio);
      tree.sum_hessian[left + 1] = cover * ratio;
      tree.SetLeafValue(left, 0.0F);
    }
    auto const errors = testing::ExpectDefinition(model, {values, depth}, testing::SemivaluesByLeaf,
                                                  depth > 2 * kMaxUnitOrder ? 2e-6 : 1e-6);
    RecordProperty("banzhaf_" + std::to_string(ratio), std::to_string(errors.banzhaf * 1e9) + "e-9");
    RecordProperty("taylor_" + std::to_string(ratio), std::to_string(errors.taylor * 1e9) + "e-9");
  }
}

INSTANTIATE_TEST_SUITE_P(Features, SemivalueErrors, ::testing::Values(1, 2, 3, 8, 15, 16, 17, 32, 33, 64, 127));

}  // namespace
}  // namespace kauri
