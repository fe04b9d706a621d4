#include "predictor/lanes/path_pairs.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "predictor/predictor_fixtures.h"

namespace kauri {
namespace {

using testing::ForestSpec;

/// A set of (output, slot, other slot) with slot < other.
using PairSet = std::set<std::pair<std::int64_t, std::pair<std::uint32_t, std::uint32_t>>>;

/// Collects all pairs of slots on every path from the root to a leaf.
void NaivePairs(Forest const& forest, std::int64_t tree, std::uint32_t node, std::set<std::uint32_t> above,
                PairSet* found) {
  auto const split = forest.Node(tree, node);
  if (split.left != node) {
    above.insert(split.slot);
    NaivePairs(forest, tree, split.left, above, found);
    NaivePairs(forest, tree, split.left + 1, above, found);
    return;
  }
  for (auto const a : above) {
    for (auto const b : above) {
      if (a < b) found->insert({forest.output_of_tree[tree], {a, b}});
    }
  }
}

void ExpectNaive(ForestSpec const& spec, TreeRange trees) {
  auto const model = testing::RandomModel(spec);
  auto const forest = CompileForest({}, model, {0, static_cast<std::int64_t>(model.trees.size())});
  PairSet expected;
  std::set<std::size_t> used;
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    NaivePairs(forest, tree, 0, {}, &expected);
    auto const n_nodes = forest.tree_begin[tree + 1] - forest.tree_begin[tree];
    for (std::uint32_t node = 0; node < n_nodes; ++node) {
      auto const line = forest.output_of_tree[tree] * forest.NumSlots();
      if (!forest.IsLeaf(tree, node)) used.insert(static_cast<std::size_t>(line) + forest.Node(tree, node).slot);
    }
  }
  auto const pairs = FindPathPairs({}, forest, trees);
  EXPECT_EQ(pairs.NumPairs(), static_cast<std::int64_t>(expected.size()));
  std::int32_t next = 0;
  for (auto const& [output, pair] : expected) {  // in the order of their numbers
    EXPECT_EQ(pairs.Number(output, pair.first, pair.second), next);
    EXPECT_EQ(pairs.Number(output, pair.second, pair.first), next++);
  }
  for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
    for (std::uint32_t a = 0; a < forest.NumSlots(); ++a) {
      EXPECT_EQ(pairs.is_used[output * forest.NumSlots() + a],
                used.count(static_cast<std::size_t>(output * forest.NumSlots() + a)));
      for (auto b = a + 1; b < forest.NumSlots(); ++b) {
        auto const is_expected = expected.count({output, {a, b}}) == 1;
        EXPECT_EQ(pairs.Number(output, a, b) >= 0, is_expected) << output << ": " << a << ", " << b;
      }
    }
  }
}

TEST(PathPairs, AsOnAllPaths) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ForestSpec spec;
    spec.seed = seed;
    spec.n_trees = 4;
    spec.depth = static_cast<std::int32_t>(seed);
    spec.n_features = seed % 2 == 0 ? 5 : 40;
    spec.n_classes = seed == 3 ? 3 : 0;
    ExpectNaive(spec, {0, 4});
    ExpectNaive(spec, {1, 3});
    ExpectNaive(spec, {2, 2});
  }
}

TEST(PathPairs, SingleLeavesAndStumpsHaveNone) {
  for (std::int32_t const depth : {0, 1}) {
    ForestSpec spec;
    spec.depth = depth;
    ExpectNaive(spec, {0, 5});
  }
}

/// Uses more trees than are merged at once.
TEST(PathPairs, ManyTrees) {
  ForestSpec spec;
  spec.n_trees = 600;
  spec.depth = 3;
  spec.n_features = 60;
  ExpectNaive(spec, {0, 600});
}

}  // namespace
}  // namespace kauri
