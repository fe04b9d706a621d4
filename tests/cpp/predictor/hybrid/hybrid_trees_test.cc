/// Trees on hybrid rows, compared with traversals of those rows by the definition of a tree.
#include "predictor/hybrid/hybrid_trees.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "predictor/forest/walk.h"
#include "predictor/predictor_fixtures.h"
#include "support/error.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::MemoryView;
using testing::NaiveMargins;
using testing::RandomModel;
using testing::RandomRows;

TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

/// A model, and the player of each feature.
class Scene {
 public:
  Scene(Model given, std::vector<std::int32_t> player_of_feature, std::int32_t n_players, NodeLayout layout)
      : model(std::move(given)),
        forest(CompileForest({}, model, AllTrees(model), layout)),
        own{0, forest.NumTrees()},
        leaves(forest, own),
        player_of(std::move(player_of_feature)) {
    for (auto const feature : forest.feature_of_slot) player_of_slot.push_back(player_of[feature]);
    task = std::make_unique<HybridTask>(HybridTask{forest, own, leaves, player_of_slot, n_players});
  }

  std::vector<std::int32_t> Keys(MemoryView const& rows, std::int64_t row) const {
    std::vector<std::int32_t> keys(ToSize(forest.NumSlots()));
    ReadKeys(forest, rows, row, row + 1, 1, keys.data());
    return keys;
  }

  /// Returns the margins of a hybrid row, from its definition.
  std::vector<float> Naive(MemoryView const& x, MemoryView const& r, std::vector<std::uint8_t> const& mask) const {
    std::vector<float> values;
    for (std::int64_t feature = 0; feature < model.n_features; ++feature) {
      auto const player = player_of[ToSize(feature)];
      values.push_back((player >= 0 && mask[ToSize(player)] != 0 ? x : r).At(0, feature));
    }
    MemoryView const hybrid(values, model.n_features);
    return NaiveMargins(model, hybrid, AllTrees(model), std::vector<float>(ToSize(model.NumOutputs()), 0.0F));
  }

  Model model;
  Forest forest;
  TreeRange own;
  FixedLeaves leaves;
  std::vector<std::int32_t> player_of;
  std::vector<std::int32_t> player_of_slot;
  std::unique_ptr<HybridTask> task;
};

MemoryView OneRow(std::int64_t n_cols, std::uint64_t seed) { return RandomRows(1, n_cols, seed); }

void ExpectHybridMargins(Scene const& scene, std::uint64_t seed) {
  auto const d = scene.task->n_players;
  auto const n_outputs = scene.forest.n_outputs;
  auto const x = OneRow(scene.model.n_features, 2 * seed);
  auto const r = OneRow(scene.model.n_features, 2 * seed + 1);
  HybridTrees trees(*scene.task);
  trees.Compile(scene.Keys(r, 0).data(), scene.Keys(x, 0).data());  // an earlier pair leaves no state behind
  trees.Compile(scene.Keys(x, 0).data(), scene.Keys(r, 0).data());
  std::vector<std::uint32_t> order(ToSize(d));
  std::vector<std::uint32_t> rank(ToSize(d));
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(d); ++k)
    order[k] = (k * 7 + 3) % static_cast<std::uint32_t>(d);
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(d); ++k) rank[order[k]] = k;
  std::vector<std::int64_t> of_order(ToSize((d + 1) * n_outputs));
  trees.SumOrder(rank.data(), of_order);
  std::vector<std::uint8_t> mask(ToSize(d), 0);
  for (std::int32_t k = 0; k <= d; ++k) {
    if (k > 0) mask[order[ToSize(k - 1)]] = 1;
    auto const expected = scene.Naive(x, r, mask);
    std::vector<std::int64_t> of_mask(ToSize(n_outputs));
    trees.SumMask(mask.data(), of_mask);
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      auto const sum = of_order[ToSize(k * n_outputs + output)];
      EXPECT_EQ(of_mask[ToSize(output)], sum);
      EXPECT_NEAR(scene.leaves.ValueOf(sum, output), expected[ToSize(output)], 2e-5) << "k=" << k;
    }
  }
}

/// Makes each feature a player.
std::vector<std::int32_t> Alone(std::int64_t n_features) {
  std::vector<std::int32_t> players(ToSize(n_features));
  for (std::size_t i = 0; i < players.size(); ++i) players[i] = static_cast<std::int32_t>(i);
  return players;
}

TEST(HybridTrees, AreWalksOfHybridRows) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ForestSpec spec;
    spec.n_trees = 7;
    spec.depth = 6;
    spec.n_features = 5 + static_cast<std::uint32_t>(seed % 12);
    spec.n_classes = seed % 3 == 0 ? 3 : 0;
    spec.categorical = seed % 2 == 0 ? 0.3 : 0.0;
    spec.dart = seed % 5 == 0;
    spec.seed = seed;
    auto const d = static_cast<std::int32_t>(spec.n_features);
    auto const layout = seed % 4 == 0 ? NodeLayout::kWide : NodeLayout::kSmallest;
    if (d % 7 == 0) continue;  // the orders of the test need a number that is not a multiple of 7
    ExpectHybridMargins(Scene(RandomModel(spec), Alone(d), d, layout), seed);
  }
}

TEST(HybridTrees, PlayersOfSeveralFeatures) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ForestSpec spec;
    spec.depth = 7;
    spec.n_features = 8;
    spec.seed = seed;
    // Two groups, a single feature, and a feature that stays at the background's value.
    ExpectHybridMargins(Scene(RandomModel(spec), {0, 1, 0, 2, 1, -1, 0, 1}, 3, NodeLayout::kSmallest), seed);
  }
}

TEST(HybridTrees, DeepChainsNeedNoDeepStack) {
  ExpectHybridMargins(Scene(testing::ChainModel(20000, 3, 0.5F), Alone(3), 3, NodeLayout::kSmallest), 4);
}

TEST(HybridTrees, AModelWithoutSplits) {
  Model model;
  model.n_features = 2;
  model.output_of_tree = {0};
  model.trees.emplace_back();
  model.trees[0].SetLeafValue(0, 1.5F);
  Scene const scene(std::move(model), Alone(2), 2, NodeLayout::kSmallest);
  HybridTrees trees(*scene.task);
  trees.Compile(nullptr, nullptr);
  std::vector<std::uint32_t> const rank{1, 0};
  std::vector<std::int64_t> sums(3);
  trees.SumOrder(rank.data(), sums);
  for (auto const sum : sums) EXPECT_EQ(scene.leaves.ValueOf(sum, 0), 1.5);
}

/// One output with huge leaves takes no precision from the others.
TEST(HybridTrees, OutputsOfOtherMagnitudes) {
  ForestSpec spec;
  spec.n_classes = 3;
  spec.n_features = 5;
  auto large = RandomModel(spec);
  for (std::size_t tree = 0; tree < large.trees.size(); ++tree) {
    auto& grown = large.trees[tree];
    for (std::int32_t node = 0; large.output_of_tree[tree] == 0 && node < grown.NumNodes(); ++node) {
      if (grown.IsLeaf(node)) grown.SetLeafValue(node, std::ldexp(1.0F, 100));
    }
  }
  auto const x = OneRow(spec.n_features, 1);
  auto const r = OneRow(spec.n_features, 2);
  auto const of_output = [&](Model model, std::int64_t output) {
    Scene const scene(std::move(model), Alone(5), 5, NodeLayout::kSmallest);
    HybridTrees trees(*scene.task);
    trees.Compile(scene.Keys(x, 0).data(), scene.Keys(r, 0).data());
    std::vector<std::int64_t> sums(3);
    std::vector<std::uint8_t> const mask(5, 1);
    trees.SumMask(mask.data(), sums);
    return scene.leaves.ValueOf(sums[ToSize(output)], output);
  };
  for (std::int64_t output = 1; output < 3; ++output) {
    auto const expected = of_output(RandomModel(spec), output);
    EXPECT_NE(expected, 0.0);
    EXPECT_EQ(of_output(large, output), expected);
  }
}

TEST(HybridTrees, LeavesThatAreNotFiniteAreRefused) {
  auto model = RandomModel({});
  for (std::int32_t node = 0; node < model.trees[2].NumNodes(); ++node) {
    if (model.trees[2].IsLeaf(node)) model.trees[2].SetLeafValue(node, testing::kInf);
  }
  auto const forest = CompileForest({}, model, AllTrees(model));
  auto const call = [&] { FixedLeaves(forest, {0, forest.NumTrees()}); };
  ExpectParts(MessageOf(ErrorKind::kModel, call), {"tree 2", "inf"});
}

}  // namespace
}  // namespace kauri
