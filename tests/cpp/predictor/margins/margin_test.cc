#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <vector>

#include "predictor/margins/margins.h"
#include "predictor/predictor_fixtures.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::MemoryView;

constexpr std::array kAllPaths{MarginPath::kAuto, MarginPath::kRows, MarginPath::kTiles, MarginPath::kTreeTops};

TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

std::vector<float> StartOf(Model const& model) {
  std::vector<float> start;
  for (std::int64_t k = 0; k < model.NumOutputs(); ++k) start.push_back(0.1F + static_cast<float>(k));
  return start;
}

std::vector<float> Margins(Forest const& forest, MemoryView const& rows, TreeRange trees, MarginStart const& start,
                           MarginPath path, int threads) {
  std::vector<float> out(rows.NumRows() * forest.n_outputs);
  PredictMargins(testing::Threads(threads), {forest, rows, trees, start}, BuildTreeTops(forest), path, out);
  return out;
}

/// Checks that every code path, both layouts, and 1 and 8 threads give the bits of the naive traversal.
void ExpectNaive(Model const& model, MemoryView const& rows) {
  auto const start = StartOf(model);
  auto const expected =
      testing::NaiveMargins(model, rows, AllTrees(model), testing::RepeatStart(start, rows.NumRows()));
  for (auto layout : {NodeLayout::kSmallest, NodeLayout::kWide}) {
    auto const forest = CompileForest({}, model, AllTrees(model), layout);
    ASSERT_EQ(forest.is_wide, layout == NodeLayout::kWide);
    for (auto path : kAllPaths) {
      if (path == MarginPath::kTreeTops && BuildTreeTops(forest).code_bytes == 0) continue;
      for (int threads : {1, 8}) {
        ASSERT_EQ(Margins(forest, rows, AllTrees(model), {start, {}}, path, threads), expected)
            << "path " << static_cast<int>(path) << " threads " << threads << " wide " << forest.is_wide;
      }
    }
  }
}

class MarginDepth : public ::testing::TestWithParam<std::int32_t> {};

TEST_P(MarginDepth, EqualsNaiveTraversal) {
  ForestSpec spec;
  spec.depth = GetParam();
  spec.n_trees = 20;
  spec.early_leaf = spec.depth > 9 ? 0.35 : 0.1;
  ExpectNaive(testing::RandomModel(spec), testing::RandomRows(300, 6, 2));
}

INSTANTIATE_TEST_SUITE_P(Depths, MarginDepth, ::testing::Values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 14));

class MarginRows : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(MarginRows, EveryRowCount) {
  ForestSpec spec;
  spec.depth = 7;
  ExpectNaive(testing::RandomModel(spec), testing::RandomRows(GetParam(), 6, 3));
}

INSTANTIATE_TEST_SUITE_P(Counts, MarginRows,
                         ::testing::Values(0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 511,
                                           512, 513, 1025));

TEST(Margin, SingleRowsWithCodesInOneToFourRegistersAndWithout) {
  for (std::uint32_t const n_features : {3U, 12U, 20U, 30U, 40U}) {
    for (std::int32_t const depth : {4, 6, 8}) {
      ForestSpec spec;
      spec.n_features = n_features;
      spec.depth = depth;
      spec.n_trees = 75;
      auto const model = testing::RandomModel(spec);
      ExpectNaive(model, testing::RandomRows(5, n_features, 12));
      auto const tree_tops = BuildTreeTops(CompileForest({}, model, AllTrees(model)));
      EXPECT_EQ(tree_tops.row.IsEmpty(), tree_tops.columns.size() > kMaxRowColumns || tree_tops.code_bytes != 1);
      EXPECT_EQ(tree_tops.row.IsEmpty(), n_features == 40);
      EXPECT_EQ(tree_tops.row.value.empty(), n_features == 40 || depth > 6);
    }
  }
}

TEST(Margin, MultiClassAndDart) {
  ForestSpec spec;
  spec.n_trees = 12;
  spec.n_classes = 4;
  spec.dart = true;
  ExpectNaive(testing::RandomModel(spec), testing::RandomRows(130, 6, 4));
}

TEST(Margin, Categorical) {
  ForestSpec spec;
  spec.categorical = 0.5;
  spec.n_trees = 10;
  spec.depth = 8;
  auto const model = testing::RandomModel(spec);
  ASSERT_EQ(BuildTreeTops(CompileForest({}, model, AllTrees(model))).code_bytes, 0);
  ExpectNaive(model, testing::RandomRows(500, 6, 5));
}

/// Worked by hand: the set {1, 33} goes right.
TEST(Margin, CategoryRules) {
  Model model;
  model.n_features = 1;
  model.trees.emplace_back();
  auto& tree = model.trees[0];
  tree.ExpandNode(0, {0, testing::kNaN, false, 0.0F});
  tree.is_categorical[0] = 1;
  tree.category_begin = {0, 0, 0};
  tree.category_count = {2, 0, 0};
  tree.categories = {1, 33};
  tree.SetLeafValue(1, -1.0F);
  tree.SetLeafValue(2, 1.0F);
  model.output_of_tree = {0};
  std::vector<float> const left{0.0F,  2.0F,  32.0F,       34.0F,         1000.0F,
                                -1.0F, -0.5F, 16777216.0F, testing::kInf, -testing::kInf};
  std::vector<float> const right{1.0F, 1.75F, 33.0F, 33.5F, testing::kNaN};
  auto const forest = CompileForest({}, model, {0, 1});
  std::vector<float> const start{0.0F};
  EXPECT_EQ(Margins(forest, {left, 1}, {0, 1}, {start, {}}, MarginPath::kAuto, 1),
            std::vector<float>(left.size(), -1.0F));
  EXPECT_EQ(Margins(forest, {right, 1}, {0, 1}, {start, {}}, MarginPath::kAuto, 1),
            std::vector<float>(right.size(), 1.0F));
}

TEST(Margin, ValueEqualToThresholdGoesRight) {
  Model model;
  model.n_features = 1;
  for (auto default_left : {true, false}) {
    for (auto threshold : testing::SpecialValues()) {
      model.trees.emplace_back();
      model.trees.back().ExpandNode(0, {0, threshold, default_left, 0.0F});
      model.trees.back().SetLeafValue(1, 1.0F);
      model.trees.back().SetLeafValue(2, 2.0F);
      model.output_of_tree.push_back(0);
    }
  }
  auto values = testing::SpecialValues();
  values.insert(values.end(), {testing::kInf, -testing::kInf, testing::kNaN});
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    auto one = model;
    one.trees = {model.trees[t]};
    one.output_of_tree = {0};
    ExpectNaive(one, {values, 1});
  }
  ExpectNaive(model, {values, 1});
}

/// A column with more than 255 thresholds needs 16-bit codes.
TEST(Margin, CodesOfTwoBytes) {
  ForestSpec spec;
  spec.n_features = 2;
  spec.n_trees = 250;
  spec.special_thresholds = false;
  auto const model = testing::RandomModel(spec);
  ASSERT_EQ(BuildTreeTops(CompileForest({}, model, AllTrees(model))).code_bytes, 2);
  ExpectNaive(model, testing::RandomRows(200, 2, 6));
}

/// Tests 255 thresholds, the largest count that a byte holds, and one more.
TEST(Margin, FullCodeRange) {
  for (int n_thresholds : {255, 256}) {
    Model model;
    model.n_features = 1;
    for (int i = 0; i < n_thresholds; ++i) {
      model.trees.emplace_back();
      model.trees.back().ExpandNode(0, {0, static_cast<float>(i), false, 0.0F});
      model.trees.back().SetLeafValue(1, 1.0F);
      model.trees.back().SetLeafValue(2, 2.0F);
      model.output_of_tree.push_back(0);
    }
    ASSERT_EQ(BuildTreeTops(CompileForest({}, model, AllTrees(model))).code_bytes, n_thresholds == 255 ? 1 : 2);
    std::vector<float> values{testing::kNaN, testing::kInf, -testing::kInf};
    for (int i = -2; i < 600; ++i) values.push_back(static_cast<float>(i) / 2.0F);
    ExpectNaive(model, {values, 1});
  }
}

/// The bits are the same for all vector instruction sets.
TEST(Margin, EveryVectorTarget) {
  ForestSpec spec;
  spec.n_trees = 30;
  spec.n_features = 3;
  spec.depth = 7;
  auto const small = testing::RandomModel(spec);
  spec.n_trees = 400;
  auto const large = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(200, 3, 13);
  for (auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    ExpectNaive(small, rows);
    ExpectNaive(large, rows);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

TEST(Margin, TreesOfOneLeaf) {
  Model model;
  model.n_features = 3;
  for (auto value : {0.5F, -2.0F}) {
    model.trees.emplace_back();
    model.trees.back().SetLeafValue(0, value);
    model.output_of_tree.push_back(0);
  }
  ExpectNaive(model, testing::RandomRows(70, 3, 7));
}

/// A one-sided chain, too deep for recursion.
TEST(Margin, DeepChain) {
  Model model;
  model.n_features = 1;
  model.trees.emplace_back();
  auto& tree = model.trees[0];
  std::int32_t node = 0;
  for (int level = 0; level < 3000; ++level) {
    tree.ExpandNode(node, {0, static_cast<float>(level), level % 2 == 0, 0.0F});
    tree.SetLeafValue(tree.left[node], static_cast<float>(-level));
    node = tree.right[node];
  }
  tree.SetLeafValue(node, 7.0F);
  model.output_of_tree = {0};
  std::vector<float> values{testing::kNaN, testing::kInf};
  for (int i = 0; i < 100; ++i) values.push_back(static_cast<float>(i) * 31.5F);
  ExpectNaive(model, {values, 1});
}

TEST(Margin, SubrangesOfTreesAndOfCompiledTrees) {
  ForestSpec spec;
  spec.n_trees = 40;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(100, 6, 8);
  std::vector<float> const start{0.25F};
  auto const forest = CompileForest({}, model, {10, 35});
  for (auto const range : {TreeRange{10, 35}, TreeRange{12, 13}, TreeRange{20, 35}, TreeRange{15, 15}}) {
    auto const expected = testing::NaiveMargins(model, rows, range, testing::RepeatStart(start, 100));
    for (auto path : kAllPaths) {
      EXPECT_EQ(Margins(forest, rows, {range.begin - 10, range.end - 10}, {start, {}}, path, 1), expected);
    }
  }
}

TEST(Margin, StartOfRowMayBeTheOutput) {
  ForestSpec spec;
  spec.n_classes = 3;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(90, 6, 9);
  std::vector<float> start(270);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i) * 0.37F;
  auto const expected = testing::NaiveMargins(model, rows, AllTrees(model), start);
  auto const forest = CompileForest({}, model, AllTrees(model));
  for (auto path : kAllPaths) {
    EXPECT_EQ(Margins(forest, rows, AllTrees(model), {{}, start}, path, 2), expected);
    auto in_place = start;
    PredictMargins(testing::Threads(2), {forest, rows, AllTrees(model), {{}, in_place}}, BuildTreeTops(forest), path,
                   in_place);
    EXPECT_EQ(in_place, expected);
  }
}

TEST(Margin, EveryWayToReadRows) {
  ForestSpec spec;
  spec.n_features = 200;
  spec.depth = 3;
  auto model = testing::RandomModel(spec);
  for (std::int64_t n_cols : {200, 230, 50}) {
    auto rows = testing::RandomRows(600, n_cols, 10);
    ExpectNaive(model, rows);
    rows.zero_copy = true;
    ExpectNaive(model, rows);
    rows.zero_copy = false;
    rows.by_feature = true;
    ExpectNaive(model, rows);
  }
}

/// A model with very many columns: rows are copied in pieces.
TEST(Margin, WideRows) {
  ForestSpec spec;
  spec.n_features = 60000;
  auto const model = testing::RandomModel(spec);
  ExpectNaive(model, testing::RandomRows(40, 60000, 11));
}

/// Returns trees with `n_conditions` different tests, in the same order on every path; each path has most of them.
Model ModelOfConditions(std::int32_t n_conditions, std::int64_t n_trees, std::uint64_t seed) {
  testing::Random random(seed);
  Model model;
  model.n_features = 6;
  for (std::int64_t number = 0; number < n_trees; ++number) {
    Tree tree;
    std::vector<std::int32_t> level{0};
    for (std::int32_t asked = 0; asked < n_conditions; ++asked) {
      Tree::Split const condition{random.Below(6), static_cast<float>(random.Below(2000)) / 1000.0F - 1.0F,
                                  random.Below(2) == 0, 0.0F};
      std::vector<std::int32_t> next;
      for (auto const node : level) {
        if (asked > 0 && random.Below(6) == 0) {  // reused for the next test
          next.push_back(node);
          continue;
        }
        tree.ExpandNode(node, condition);
        next.insert(next.end(), {tree.left[node], tree.right[node]});
      }
      level = next;
    }
    for (auto const leaf : level) tree.SetLeafValue(leaf, static_cast<float>(random.Below(1000)) / 77.0F);
    model.trees.push_back(tree);
    model.output_of_tree.push_back(0);
  }
  return model;
}

TEST(Margin, TreesOfFewConditions) {
  for (std::int32_t const n_conditions : {1, 2, 3, 4, 5, 6, 7}) {
    for (std::int64_t const n_trees : {3, 80}) {
      auto const model = ModelOfConditions(n_conditions, n_trees, static_cast<std::uint64_t>(n_conditions));
      for (std::int64_t const n_rows : {1, 64, 300}) ExpectNaive(model, testing::RandomRows(n_rows, 6, 13));
      auto const forest = CompileForest({}, model, AllTrees(model));
      auto const tree_tops = BuildTreeTops(forest);
      auto const n_asked = std::count_if(tree_tops.trees.begin(), tree_tops.trees.end(),
                                         [](TreeTopsTree const& tree) { return tree.has_conditions; });
      EXPECT_EQ(n_asked > n_trees / 2, n_conditions >= 3 && n_conditions <= 6) << n_conditions;
    }
  }
}

/// A single deeper tree, or one with more tests, among others does not change the layout of the others.
TEST(Margin, TreesOfFewConditionsAmongOthers) {
  for (std::int32_t const depth : {5, 8}) {
    auto model = ModelOfConditions(6, 40, 3);
    ForestSpec spec;
    spec.depth = depth;
    spec.n_trees = 3;
    auto const others = testing::RandomModel(spec);
    model.trees.insert(model.trees.begin() + 20, others.trees.begin(), others.trees.end());
    model.output_of_tree.insert(model.output_of_tree.end(), 3, 0);
    for (std::int64_t const n_rows : {1, 130}) ExpectNaive(model, testing::RandomRows(n_rows, 6, 14));
    auto const tree_tops = BuildTreeTops(CompileForest({}, model, AllTrees(model)));
    auto const asks = [](TreeTopsTree const& tree) { return tree.has_conditions; };
    EXPECT_EQ(std::any_of(tree_tops.trees.begin(), tree_tops.trees.end(), asks), depth == 5);
  }
}

TEST(Leaf, NodeIdsOfTheModel) {
  for (double categorical : {0.0, 0.4}) {
    ForestSpec spec;
    spec.categorical = categorical;
    spec.depth = 8;
    auto const model = testing::RandomModel(spec);
    auto const rows = testing::RandomRows(133, 6, 12);
    auto const forest = CompileForest({}, model, {1, 5});
    std::vector<float> out(133 * 3);
    PredictLeaves(testing::Threads(4), {forest, rows, {1, 4}, {}}, out);
    for (std::int64_t row = 0; row < 133; ++row) {
      for (std::int64_t t = 0; t < 3; ++t) {
        auto const expected = testing::NaiveLeaf(model.trees[t + 2], rows, row);
        ASSERT_EQ(out[row * 3 + t], static_cast<float>(expected));
      }
    }
  }
}

}  // namespace
}  // namespace kauri
