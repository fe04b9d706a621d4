#include "predictor/lanes/lane_batch.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <vector>

#include "predictor/predictor_fixtures.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::RandomModel;

/// A leaf with its data: tree, value, output, size of its table, slot and interval of each feature.
using Leaf = std::tuple<std::int64_t, double, std::int32_t, std::int64_t, std::vector<std::vector<std::int64_t>>>;

class Leaves {
 public:
  void Add(LaneBatch const& batch) {
    ASSERT_EQ(batch.sources.size(), batch.leaves.size());
    std::uint32_t next = 0;
    for (auto const& item : batch.items) {
      ASSERT_EQ(item.leaf_begin, next) << "items are neighbours";
      next = item.leaf_end;
      for (auto leaf = item.leaf_begin; leaf < item.leaf_end; ++leaf) AddLeaf(batch, item, leaf);
    }
    ASSERT_EQ(next, batch.leaves.size());
    ASSERT_EQ(batch.trees.back().table_end, batch.table_size);
  }
  std::vector<Leaf> const& All() const { return all_; }

 private:
  void AddLeaf(LaneBatch const& batch, LaneItem const& item, std::uint32_t number) {
    auto const& leaf = batch.leaves[number];
    ASSERT_EQ(batch.sources[number].first_place, item.first_place);
    LaneTree const* own = nullptr;
    for (auto const& tree : batch.trees) {
      if (tree.leaf_begin <= number && number < tree.leaf_end) own = &tree;
    }
    ASSERT_NE(own, nullptr);
    ASSERT_GE(leaf.begin, own->table_begin);
    ASSERT_LE(leaf.begin + TableSize(leaf.n_features), own->table_end);
    std::vector<std::vector<std::int64_t>> features;
    for (std::uint32_t i = 0; i < leaf.n_features; ++i) {
      auto const& feature = batch.features[leaf.first_feature + i];
      auto const slot = batch.slot_of_place[item.first_place + feature.Slot()];
      features.push_back({slot, feature.lower, feature.upper, feature.TakesMissing() ? 1 : 0});
    }
    all_.emplace_back(own->tree, batch.sources[number].value, item.output, TableSize(leaf.n_features), features);
  }

  std::vector<Leaf> all_;
};

TEST(LaneBatch, TheSameLeavesInBatchesOfAnySize) {
  ForestSpec spec;
  spec.n_trees = 6;
  spec.n_features = 9;
  spec.depth = 8;
  spec.n_classes = 3;
  spec.early_leaf = 0.15;
  auto const forest = CompileForest({}, RandomModel(spec), {0, spec.n_trees});
  PathCategories categories(forest.categories);
  auto const programs = CompilePaths(testing::Threads(2), forest, {0, spec.n_trees}, &categories);
  std::vector<Leaf> in_one;
  std::size_t most_batches = 0;
  for (auto const doubles : {std::numeric_limits<std::int64_t>::max(), std::int64_t{20000}, std::int64_t{1}}) {
    LaneBatchMaker maker(forest, nullptr, doubles);
    Leaves leaves;
    std::size_t n_batches = 1;
    for (std::int64_t tree = 0; tree < spec.n_trees; ++tree) {
      maker.AddTree(tree, programs[ToSize(tree)], {});
      for (auto const& batch : maker.TakeFull()) {
        EXPECT_GE(batch.table_size, doubles);
        EXPECT_LT(batch.items.size() > 1 ? batch.leaves[batch.items.back().leaf_begin].begin : 0, doubles);
        leaves.Add(batch);
        ++n_batches;
      }
      EXPECT_TRUE(maker.TakeFull().empty());
    }
    auto const last = maker.TakeLast();
    if (!last.items.empty()) leaves.Add(last);
    if (in_one.empty()) in_one = leaves.All();
    EXPECT_EQ(leaves.All(), in_one);
    EXPECT_GT(n_batches, most_batches);
    most_batches = n_batches;
  }
  std::size_t n_leaves = 0;
  for (auto const& program : programs) n_leaves += program.leaves.size();
  EXPECT_EQ(in_one.size(), n_leaves);
}

TEST(LaneBatch, TreesWithoutSplitsAreInNone) {
  ForestSpec spec;
  spec.depth = 0;
  auto const forest = CompileForest({}, RandomModel(spec), {0, spec.n_trees});
  PathCategories categories(forest.categories);
  LaneBatchMaker maker(forest, nullptr, 1);
  for (auto const& program : CompilePaths({}, forest, {0, spec.n_trees}, &categories)) maker.AddTree(0, program, {});
  EXPECT_TRUE(maker.TakeFull().empty());
  auto const last = maker.TakeLast();
  EXPECT_TRUE(last.items.empty() && last.trees.empty() && last.leaves.empty());
}

}  // namespace
}  // namespace kauri
