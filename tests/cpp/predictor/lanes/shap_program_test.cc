#include "predictor/lanes/shap_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "predictor/forest/walk.h"
#include "predictor/lanes/host_lane.h"
#include "predictor/shap/shap_models.h"
#include "predictor/shap/shap_recursive.h"

namespace kauri {
namespace {

using testing::ForestSpec;

TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

/// Returns the sum over trees of the largest leaf, the scale for rounding errors.
double Scale(Forest const& forest) {
  double scale = 0.0;
  for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
    float largest = 0.0F;
    for (auto node = forest.tree_begin[tree]; node < forest.tree_begin[tree + 1]; ++node) {
      largest = std::max(largest, std::abs(forest.leaf_value[node]));
    }
    scale += static_cast<double>(largest);
  }
  return scale;
}

testing::LaneSums Recursive(Forest const& forest, PathPairs const& pairs, std::vector<std::int32_t> const& keys) {
  auto const n_slots = ToSize(forest.NumSlots());
  testing::LaneSums sums{std::vector<double>(ToSize(forest.n_outputs) * n_slots),
                         std::vector<double>(pairs.other.size())};
  std::vector<double> matrices(ToSize(forest.n_outputs) * n_slots * n_slots);
  TreeShap shap(forest);
  for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
    auto const output = ToSize(forest.output_of_tree[tree]);
    shap.AddInteractions(tree, keys.data(), sums.phi.data() + output * n_slots,
                         matrices.data() + output * n_slots * n_slots);
  }
  for (std::size_t cell = 0; cell < matrices.size(); ++cell) {
    auto const line = static_cast<std::int64_t>(cell / n_slots);
    auto const a = static_cast<std::uint32_t>(line % pairs.n_slots);
    auto const number = pairs.Number(line / pairs.n_slots, a, static_cast<std::uint32_t>(cell % n_slots));
    if (matrices[cell] != 0.0) sums.pairs.at(ToSize(number)) = matrices[cell];
  }
  return sums;
}

void ExpectNear(std::vector<double> const& values, std::vector<double> const& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], tolerance) << "number " << i;
}

/// Compares the device's code on a host lane with the recursive algorithm in float64.
/// tolerance: in units of the sum of each tree's largest leaf. A term passes through about four roundings per level,
/// each of 6e-8, which partly cancel.
void ExpectLanesAgree(Model const& model, testing::MemoryView const& rows, double tolerance) {
  auto const forest = CompileForest({}, model, AllTrees(model));
  auto const path_pairs = FindPathPairs({}, forest, AllTrees(model));
  auto const values = CompileShapProgram({}, forest, Semivalue::kShapley, nullptr);
  auto const pairs = CompileShapProgram({}, forest, Semivalue::kShapley, &path_pairs);
  auto const allowed = tolerance * Scale(forest);
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    SCOPED_TRACE("row " + std::to_string(row));
    std::vector<std::int32_t> keys(forest.NumSlots());
    ReadKeys(forest, rows, row, row + 1, 1, keys.data());
    auto const expected = Recursive(forest, path_pairs, keys);
    ExpectNear(testing::RunLane(values, forest, 0, keys).phi, expected.phi, allowed);
    auto const with_pairs = testing::RunLane(pairs, forest, path_pairs.NumPairs(), keys);
    ExpectNear(with_pairs.phi, expected.phi, allowed);
    ExpectNear(with_pairs.pairs, expected.pairs, allowed);
  }
}

TEST(ShapProgram, AgreesWithTheRecursiveAlgorithm) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto const spec = testing::VariedSpec(seed, 2 * static_cast<std::uint32_t>(seed));
    ExpectLanesAgree(testing::RandomModel(spec), testing::RandomRows(9, spec.n_features, seed), 4e-7);
  }
}

TEST(ShapProgram, RepeatedFeatures) {
  for (double const categorical : {0.0, 0.6}) {
    ExpectLanesAgree(testing::RepeatingModel(10, categorical), testing::RandomRows(20, 2, 1), 1e-6);
  }
}

TEST(ShapProgram, SingleLeavesAndStumps) {
  for (std::int32_t const depth : {0, 1}) {
    ForestSpec spec;
    spec.depth = depth;
    ExpectLanesAgree(testing::RandomModel(spec), testing::RandomRows(5, 6, 1), 2e-7);
  }
}

/// Covers of children do not sum to their parent's: less, zero, and more.
TEST(ShapProgram, CoversThatDoNotAddUp) {
  ForestSpec spec;
  spec.n_features = 4;
  auto model = testing::RandomModel(spec);
  testing::Random random(1);
  for (auto& tree : model.trees) {
    for (auto& cover : tree.sum_hessian) {
      auto const kind = random.Below(4);
      cover = kind == 0 ? 0.0F : kind == 1 ? cover * 0.5F : kind == 2 ? cover * 1.25F : cover;
    }
  }
  // If ratios sum to more than 1, expectations exceed the leaves.
  ExpectLanesAgree(model, testing::RandomRows(15, 4, 4), 4e-6);
}

/// Tests several passes over the tree, and stacks of any depth.
TEST(ShapProgram, LongPathsAndDeepTrees) {
  ExpectLanesAgree(testing::ChainModel(17, 17, 0.7F), testing::RandomRows(6, 17, 1), 4e-7);
  ExpectLanesAgree(testing::ChainModel(32, 32, 0.7F), testing::RandomRows(6, 32, 2), 4e-7);
  ExpectLanesAgree(testing::ChainModel(33, 33, 0.7F), testing::RandomRows(4, 33, 3), 1e-6);
  ExpectLanesAgree(testing::ChainModel(300, 5, 0.98F), testing::RandomRows(4, 5, 4), 2e-6);
}

TEST(ShapProgram, ShapesOfPasses) {
  auto const expect = [](std::int32_t n_features, std::int32_t points, std::int32_t passes) {
    auto const shape = PassShapeFor(Semivalue::kShapley, n_features);
    EXPECT_EQ(shape.points, points) << n_features;
    EXPECT_EQ(shape.passes, passes) << n_features;
    EXPECT_GE(2 * shape.points * shape.passes, n_features);
  };
  expect(0, 2, 1);
  expect(4, 2, 1);
  expect(5, 4, 1);
  expect(8, 4, 1);
  expect(12, 6, 1);
  expect(16, 8, 1);
  expect(17, 6, 2);
  expect(32, 8, 2);
  expect(33, 6, 3);
  expect(127, 8, 8);
}

TEST(ShapProgram, SameForAnyThreadCount) {
  ForestSpec spec;
  spec.n_trees = 60;
  spec.n_classes = 2;
  spec.n_features = 20;
  spec.depth = 9;
  auto const model = testing::RandomModel(spec);
  auto const forest = CompileForest({}, model, AllTrees(model));
  for (bool const with_pairs : {false, true}) {
    auto const pairs = FindPathPairs(testing::Threads(8), forest, AllTrees(model));
    EXPECT_EQ(pairs.other, FindPathPairs(testing::Threads(1), forest, AllTrees(model)).other);
    auto const* given = with_pairs ? &pairs : nullptr;
    auto const one = CompileShapProgram(testing::Threads(1), forest, Semivalue::kShapley, given);
    auto const many = CompileShapProgram(testing::Threads(8), forest, Semivalue::kShapley, given);
    ASSERT_EQ(one.nodes.size(), many.nodes.size());
    EXPECT_EQ(std::memcmp(one.nodes.data(), many.nodes.data(), one.nodes.size() * sizeof(ProgramNode)), 0);
    EXPECT_EQ(one.inverses, many.inverses);
    ASSERT_EQ(one.partners.size(), many.partners.size());
    for (std::size_t i = 0; i < one.partners.size(); ++i) {
      ASSERT_EQ(one.partners[i].state, many.partners[i].state);
      ASSERT_EQ(one.partners[i].pair, many.partners[i].pair);
    }
    EXPECT_EQ(one.slot_of_place, many.slot_of_place);
    EXPECT_GT(one.batches.size(), 2U);
  }
}

}  // namespace
}  // namespace kauri
