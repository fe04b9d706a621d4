/// The conditions under which top levels of trees (crowns) are built and used.
#include "predictor/margins/tree_tops.h"

#include <gtest/gtest.h>

#include <array>

#include "predictor/predictor_fixtures.h"

namespace kauri {
namespace {

using testing::ForestSpec;

TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

TEST(TreeTops, PaysForManyTreesOnly) {
  ForestSpec spec;
  spec.n_trees = 200;
  auto const model = testing::RandomModel(spec);
  auto const forest = CompileForest({}, model, AllTrees(model));
  auto const tree_tops = BuildTreeTops(forest);
  EXPECT_TRUE(TreeTopsPays(forest, tree_tops, {0, 200}));
  EXPECT_FALSE(TreeTopsPays(forest, tree_tops, {0, 2}));
}

TEST(TreeTops, IsNotBuiltWhereItDoesNotPay) {
  int n_left_out = 0;
  int n_built = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    ForestSpec spec;
    spec.n_trees = std::array{1, 2, 5, 30, 200}[seed % 5];
    spec.depth = std::array{1, 3, 6, 9}[seed / 5 % 4];
    spec.seed = seed;
    auto const model = testing::RandomModel(spec);
    auto const forest = CompileForest({}, model, AllTrees(model));
    auto const tree_tops = BuildTreeTops(forest);
    auto const is_left_out = TreeTopsIfItPays(forest).code_bytes == 0;
    EXPECT_FALSE(is_left_out && TreeTopsPays(forest, tree_tops, AllTrees(model))) << seed;
    n_left_out += is_left_out ? 1 : 0;
    n_built += is_left_out ? 0 : 1;
  }
  EXPECT_GT(n_left_out, 10);
  EXPECT_GT(n_built, 10);
}

}  // namespace
}  // namespace kauri
