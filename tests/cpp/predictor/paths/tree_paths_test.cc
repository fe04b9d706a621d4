#include "predictor/paths/tree_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "predictor/forest/walk.h"
#include "predictor/lanes/host_warp.h"
#include "predictor/predictor_fixtures.h"
#include "predictor/shap/shap_recursive.h"

namespace kauri {
namespace {

using testing::ForestSpec;

TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

std::vector<std::int32_t> KeysOf(Forest const& forest, testing::MemoryView const& rows, std::int64_t row) {
  std::vector<std::int32_t> keys(forest.NumSlots());
  ReadKeys(forest, rows, row, row + 1, 1, keys.data());
  return keys;
}

/// Checks that exactly one leaf has a path that accepts all features of the row: the row's leaf. The zero fractions of
/// all leaves sum to 1.
void ExpectPathsOfTree(Forest const& forest, std::int64_t tree, Tree const& original, testing::MemoryView const& rows,
                       PathCategories* categories) {
  auto const edges = FindEdges(forest, tree, categories);
  double whole = 0.0;
  std::vector<std::uint32_t> leaf_of_row(rows.NumRows(), kNoEdge);
  for (std::uint32_t node = 0; node < edges.parent.size(); ++node) {
    if (!forest.IsLeaf(tree, node)) continue;
    double chance = 1.0;
    std::set<std::uint32_t> slots;
    std::vector<PathFeature> path;
    ForEachPathEdge(edges, node, [&](std::uint32_t edge) {
      chance *= edges.zero_fraction[edge];
      slots.insert(edges.feature[edge].Slot());
      path.push_back(edges.feature[edge]);
    });
    std::vector<PathFeature> again;
    if (path.size() <= kMostPathFeatures) {
      ForEachShortPathEdge(edges.parent.data(), edges.earlier.data(), node,
                           [&](std::uint32_t edge) { again.push_back(edges.feature[edge]); });
      ASSERT_EQ(again.size(), path.size());
      ASSERT_EQ(std::memcmp(again.data(), path.data(), path.size() * sizeof(PathFeature)), 0);
    }
    whole += chance;
    ASSERT_EQ(slots.size(), path.size()) << "a feature is on a path once";
    ASSERT_EQ(ToSize(edges.n_features[node]), path.size());
    std::set<std::uint32_t> split_on;
    for (auto at = node; at != 0; at = edges.parent[at]) split_on.insert(forest.Node(tree, edges.parent[at]).slot);
    ASSERT_EQ(slots, split_on);
    for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
      auto const keys = KeysOf(forest, rows, row);
      auto const follows = std::all_of(path.begin(), path.end(), [&](PathFeature const& feature) {
        return Follows(feature, keys[feature.Slot()], categories->View());
      });
      if (!follows) continue;
      ASSERT_EQ(leaf_of_row[row], kNoEdge) << "row " << row << " follows two paths";
      leaf_of_row[row] = node;
    }
  }
  EXPECT_NEAR(whole, 1.0, 1e-6);
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    ASSERT_NE(leaf_of_row[row], kNoEdge);
    auto const id = forest.node_id[(forest.tree_begin[tree]) + leaf_of_row[row]];
    ASSERT_EQ(id, testing::NaiveLeaf(original, rows, row)) << "row " << row;
  }
}

TEST(TreePaths, RowsFollowOnePath) {
  for (double const categorical : {0.0, 0.5, 1.0}) {
    for (std::uint32_t const n_features : {1U, 2U, 12U}) {
      ForestSpec spec;
      spec.categorical = categorical;
      spec.n_features = n_features;
      spec.n_trees = 3;
      spec.depth = 7;
      auto const model = testing::RandomModel(spec);
      auto const rows = testing::RandomRows(60, n_features, 17);
      auto const forest = CompileForest({}, model, AllTrees(model));
      PathCategories categories(forest.categories);
      for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
        SCOPED_TRACE("categorical " + std::to_string(categorical) + ", features " + std::to_string(n_features));
        ExpectPathsOfTree(forest, tree, model.trees[tree], rows, &categories);
      }
    }
  }
}

/// Tests a root with f0 < 0.5 (figure 1 of Mitchell et al. 2022): for values that are present, [-inf, 0.5) goes left
/// and [0.5, inf) right. A second split on f0 further down leaves one element with the narrower range and the product
/// of the fractions.
TEST(TreePaths, ElementsOfAPathByHand) {
  Model model;
  model.n_features = 2;
  model.output_of_tree = {0};
  Tree tree;
  tree.SetNodeStatistics(0, 0.0F, 100.0F);
  auto const split = [&](std::int32_t node, Tree::Split const& at, float left, float right) {
    tree.ExpandNode(node, at);
    tree.SetNodeStatistics(tree.left[node], 0.0F, left);
    tree.SetNodeStatistics(tree.right[node], 0.0F, right);
  };
  split(0, {0, 0.5F, true, 0.0F}, 60.0F, 40.0F);
  split(1, {1, 3.0F, true, 0.0F}, 15.0F, 45.0F);
  split(4, {0, 0.25F, false, 0.0F}, 9.0F, 36.0F);
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) tree.SetLeafValue(node, static_cast<float>(node));
  }
  model.trees = {tree};
  auto const packed = PackPaths({}, CompileForest({}, model, {0, 1}), {0, 1}, BinPacking::kNone);
  ASSERT_EQ(packed.bin_begin, (std::vector<std::int64_t>{0, 2, 5, 8, 11})) << "leaves 2, 3, 5 and 6";
  auto const lowest = std::numeric_limits<std::int32_t>::min();
  auto const above_all = kMissingKey;
  auto const expect = [&](std::size_t at, std::uint32_t slot, std::int32_t lower, std::int32_t upper, float share,
                          bool takes_missing) {
    auto const& element = packed.elements[at];
    EXPECT_EQ(element.Slot(), slot) << at;
    EXPECT_EQ(element.lower, lower) << at;
    EXPECT_EQ(element.upper, upper) << at;
    EXPECT_EQ(element.zero_fraction, share) << at;
    EXPECT_EQ(element.TakesMissing(), takes_missing) << at;
    EXPECT_FALSE(element.HasCategories()) << at;
  };
  expect(1, 0, KeyOf(0.5F), above_all, 0.4F, false);  // leaf 2
  expect(3, 1, lowest, KeyOf(3.0F), 0.25F, true);     // leaf 3, the lowest split first
  expect(4, 0, lowest, KeyOf(0.5F), 0.6F, true);
  expect(6, 0, lowest, KeyOf(0.25F), static_cast<float>(0.2 * 0.6), false);  // leaf 5: f0 is split twice
  expect(7, 1, KeyOf(3.0F), above_all, 0.75F, false);
  expect(9, 0, KeyOf(0.25F), KeyOf(0.5F), static_cast<float>(0.8 * 0.6), true);  // leaf 6
  expect(10, 1, KeyOf(3.0F), above_all, 0.75F, false);
  std::vector<float> const leaves{2.0F, 3.0F, 5.0F, 6.0F};
  for (std::size_t path = 0; path < leaves.size(); ++path) {
    auto const& root = packed.elements[packed.bin_begin[path]];
    EXPECT_EQ(root.Slot(), kRootSlot);
    EXPECT_EQ(std::memcmp(&root.lower, &leaves[path], sizeof(float)), 0) << "the leaf's value";
    EXPECT_EQ(root.zero_fraction, 1.0F);
  }
}

TEST(PackedPaths, LengthsUpToAWarp) {
  auto const longest = testing::ChainModel(31, 31, 0.6F);
  auto const packed = PackPaths({}, CompileForest({}, longest, {0, 1}), {0, 1}, BinPacking::kBestFitDecreasing);
  EXPECT_EQ(packed.bin_begin[1], 32);
  EXPECT_EQ(packed.elements.size(), 31U * 32U / 2U + 31U + 32U) << "2 .. 32 elements, and 32 once more";
  auto const deep = testing::ChainModel(200, 31, 0.9F);
  EXPECT_NO_THROW(PackPaths({}, CompileForest({}, deep, {0, 1}), {0, 1}, BinPacking::kNone));
  auto const too_long = testing::ChainModel(32, 32, 0.6F);
  try {
    PackPaths({}, CompileForest({}, too_long, {0, 1}), {0, 1}, BinPacking::kBestFitDecreasing);
    FAIL() << "no error";
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
    EXPECT_NE(std::string(error.what()).find("32. Use shap_method=quadrature"), std::string::npos) << error.what();
  }
}

TEST(PackedPaths, SameForAnyThreadCount) {
  ForestSpec spec;
  spec.n_trees = 20;
  auto const model = testing::RandomModel(spec);
  auto const forest = CompileForest({}, model, AllTrees(model));
  auto const one = PackPaths(testing::Threads(1), forest, {3, 17}, BinPacking::kBestFitDecreasing);
  auto const many = PackPaths(testing::Threads(8), forest, {3, 17}, BinPacking::kBestFitDecreasing);
  EXPECT_EQ(one.bin_begin, many.bin_begin);
  ASSERT_EQ(one.elements.size(), many.elements.size());
  EXPECT_EQ(std::memcmp(one.elements.data(), many.elements.data(), one.elements.size() * sizeof(PathFeature)), 0);
  EXPECT_GT(one.utilisation, 0.5);
}

/// Compares the kernel's code in host lanes with the recursive algorithm in float64.
/// tolerance: for float32, in units of the sum of each tree's largest leaf.
void ExpectWarpsAgree(Model const& model, testing::MemoryView const& rows, double tolerance) {
  auto const forest = CompileForest({}, model, AllTrees(model));
  auto const n_slots = ToSize(forest.NumSlots());
  double scale = 0.0;
  for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
    auto const* first = forest.leaf_value.data() + forest.tree_begin[tree];
    auto const* last = forest.leaf_value.data() + forest.tree_begin[tree + 1];
    auto const smaller = [](float a, float b) { return std::abs(a) < std::abs(b); };
    scale += std::abs(static_cast<double>(*std::max_element(first, last, smaller)));
  }
  for (auto const method : {BinPacking::kBestFitDecreasing, BinPacking::kNone}) {
    auto const packed = PackPaths({}, forest, AllTrees(model), method);
    for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
      auto const keys = KeysOf(forest, rows, row);
      auto const sums = testing::RunWarps(packed, forest, keys);
      testing::WarpSums expected{std::vector<double>(sums.phi.size()), std::vector<double>(sums.pairs.size())};
      TreeShap shap(forest);
      for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
        auto const output = ToSize(forest.output_of_tree[tree]);
        shap.AddInteractions(tree, keys.data(), expected.phi.data() + output * n_slots,
                             expected.pairs.data() + output * n_slots * n_slots);
      }
      for (std::size_t i = 0; i < sums.phi.size(); ++i) {
        ASSERT_NEAR(sums.phi[i], expected.phi[i], tolerance * scale) << "row " << row << " slot " << i;
      }
      for (std::size_t i = 0; i < sums.pairs.size(); ++i) {
        ASSERT_NEAR(sums.pairs[i], expected.pairs[i], tolerance * scale) << "row " << row << " pair " << i;
      }
    }
  }
}

TEST(PathWarp, AgreesWithTheRecursiveAlgorithm) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    ForestSpec spec;
    spec.seed = seed;
    spec.depth = 3 + static_cast<std::int32_t>(seed);
    spec.n_features = 3 * static_cast<std::uint32_t>(seed);
    spec.categorical = seed == 2 ? 0.5 : 0.0;
    spec.n_classes = seed == 3 ? 3 : 0;
    spec.dart = seed == 4;
    ExpectWarpsAgree(testing::RandomModel(spec), testing::RandomRows(9, spec.n_features, seed), 1e-6);
  }
}

TEST(PathWarp, SingleLeavesAndFullWarps) {
  ForestSpec leaves;
  leaves.depth = 0;
  ExpectWarpsAgree(testing::RandomModel(leaves), testing::RandomRows(3, 6, 1), 0.0);
  // Subtractions lose digits with length: 2e-7 of the value with 16 features, 1e-5 with 31.
  ExpectWarpsAgree(testing::ChainModel(31, 31, 0.6F), testing::RandomRows(6, 31, 2), 1e-5);
  ExpectWarpsAgree(testing::ChainModel(60, 16, 0.8F), testing::RandomRows(6, 16, 3), 2e-6);
}

TEST(PathWarp, ChildrenWithoutCover) {
  ForestSpec spec;
  auto model = testing::RandomModel(spec);
  testing::Random random(1);
  for (auto& tree : model.trees) {
    for (auto& cover : tree.sum_hessian) cover = random.Below(3) == 0 ? 0.0F : cover;
  }
  ExpectWarpsAgree(model, testing::RandomRows(12, 6, 4), 1e-6);
}

}  // namespace
}  // namespace kauri
