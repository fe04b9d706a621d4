/// The device's code on a host lane, compared with semivalues from their definition: all subsets, long double.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "predictor/forest/walk.h"
#include "predictor/lanes/host_lane.h"
#include "predictor/shap/shap_models.h"
#include "predictor/shap/shap_oracle.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::TreeGame;

struct Expected {
  std::vector<long double> banzhaf;  ///< [n_outputs, n_slots]
  std::vector<long double> alone;    ///< [n_outputs, n_slots]
  std::vector<long double> pairs;    ///< [n_pairs]
  double scale = 0.0;                ///< sum of the largest leaf of each tree
};

Expected FromDefinition(Model const& model, Forest const& forest, PathPairs const& path_pairs,
                        testing::MemoryView const& rows, std::int64_t row) {
  Expected expected;
  expected.banzhaf.resize(forest.n_outputs * forest.NumSlots());
  expected.alone.resize(expected.banzhaf.size());
  expected.pairs.resize(path_pairs.other.size());
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    TreeGame const game(model.trees[t], model.TreeWeight(static_cast<std::int64_t>(t)), rows, row);
    auto const output = model.output_of_tree[t];
    auto const slot = [&](std::size_t i) {
      return static_cast<std::uint32_t>(forest.slot_of_feature[game.Features()[i]]);
    };
    for (std::size_t i = 0; i < game.Features().size(); ++i) {
      auto const line = ToSize(output * forest.NumSlots() + slot(i));
      expected.banzhaf[line] += game.Banzhaf(i);
      expected.alone[line] += game.Alone(i);
      for (std::size_t j = 0; j < i; ++j) {
        auto const value = game.TaylorPair(i, j);
        auto const number = path_pairs.Number(output, slot(i), slot(j));
        if (number >= 0) {
          expected.pairs[number] += value;
        } else {
          EXPECT_NEAR(static_cast<double>(value), 0.0, 1e-15);
        }
      }
    }
    float largest = 0.0F;
    for (auto const value : forest.leaf_value) largest = std::max(largest, std::abs(value));
    expected.scale += static_cast<double>(largest);
  }
  return expected;
}

void ExpectNear(std::vector<double> const& values, std::vector<long double> const& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], static_cast<double>(expected[i]), tolerance) << "number " << i;
  }
}

/// Compares with the definition. tolerance: in units of the sum of each tree's largest leaf.
void ExpectDefinition(Model const& model, testing::MemoryView const& rows, double tolerance) {
  TreeRange const all{0, static_cast<std::int64_t>(model.trees.size())};
  auto const forest = CompileForest({}, model, all);
  auto const pairs = FindPathPairs({}, forest, all);
  auto const banzhaf = CompileShapProgram({}, forest, Semivalue::kBanzhaf, nullptr);
  auto const alone = CompileShapProgram({}, forest, Semivalue::kTaylorAlone, nullptr);
  auto const taylor = CompileShapProgram({}, forest, Semivalue::kTaylorPairs, &pairs);
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    SCOPED_TRACE("row " + std::to_string(row));
    std::vector<std::int32_t> keys(forest.NumSlots());
    ReadKeys(forest, rows, row, row + 1, 1, keys.data());
    auto const expected = FromDefinition(model, forest, pairs, rows, row);
    auto const allowed = tolerance * expected.scale;
    ExpectNear(testing::RunLane(banzhaf, forest, 0, keys).phi, expected.banzhaf, allowed);
    ExpectNear(testing::RunLane(alone, forest, 0, keys).phi, expected.alone, allowed);
    ExpectNear(testing::RunLane(taylor, forest, pairs.NumPairs(), keys).pairs, expected.pairs, allowed);
  }
}

TEST(ShapProgramSemivalues, FromTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto spec = testing::VariedSpec(seed, 2 + static_cast<std::uint32_t>(seed));
    spec.n_trees = 3;
    ExpectDefinition(testing::RandomModel(spec), testing::RandomRows(5, spec.n_features, seed), 4e-7);
  }
}

TEST(ShapProgramSemivalues, RepeatedFeatures) {
  for (double const categorical : {0.0, 0.6}) {
    ExpectDefinition(testing::RepeatingModel(9, categorical), testing::RandomRows(20, 2, 1), 1e-6);
  }
}

TEST(ShapProgramSemivalues, SingleLeavesStumpsAndChains) {
  for (std::int32_t const depth : {0, 1}) {
    ForestSpec spec;
    spec.depth = depth;
    ExpectDefinition(testing::RandomModel(spec), testing::RandomRows(5, 6, 1), 2e-7);
  }
  ExpectDefinition(testing::ChainModel(9, 9, 0.7F), testing::RandomRows(6, 9, 1), 4e-7);
  ExpectDefinition(testing::ChainModel(60, 4, 0.5F), testing::RandomRows(6, 4, 2), 4e-7);
}

/// Includes branches with zero cover: factors of 0 at t = 0.
TEST(ShapProgramSemivalues, BranchesWithoutCover) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    ForestSpec spec;
    spec.n_features = 1 + static_cast<std::uint32_t>(seed) % 4;
    spec.depth = 6;
    spec.seed = seed;
    auto model = testing::RandomModel(spec);
    testing::Random random(seed);
    for (auto& tree : model.trees) {
      for (std::int32_t node = tree.NumNodes() - 1; node >= 0; --node) {
        auto const at = ToSize(node);
        if (tree.IsLeaf(node)) {
          if (random.Below(2) == 0) tree.sum_hessian[at] = 0.0F;
        } else {
          tree.sum_hessian[at] = tree.sum_hessian[tree.left[at]] + tree.sum_hessian[tree.right[at]];
        }
      }
    }
    ExpectDefinition(model, testing::RandomRows(10, spec.n_features, seed), 1e-6);
  }
}

}  // namespace
}  // namespace kauri
