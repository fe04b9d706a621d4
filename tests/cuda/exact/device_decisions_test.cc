/// The device's decisions of a level, compared with decisions made node by node.
#include "cuda/exact/device_decisions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/device_fixture.h"
#include "tree/split_rules.h"

namespace kauri {
namespace {

/// A level with the decisions about it.
struct Decided {
  std::vector<cuda::NodeMove> moves;
  std::vector<std::int32_t> parents;
  std::vector<std::int32_t> ids;  ///< of the next level's nodes
  std::vector<FixedSum> sums;
};

class NaiveTree {
 public:
  Decided Decide(GainParam const& gain, std::vector<std::int32_t> const& ids, std::vector<SplitCandidate> const& best,
                 bool is_last) {
    Decided decided;
    for (std::size_t node = 0; node < ids.size(); ++node) {
      cuda::NodeMove move;
      move.left = move.right = ~ids[node];
      if (best[node].IsValid() && static_cast<float>(best[node].loss_change) > kMinLossChange) {
        move.feature = static_cast<std::int32_t>(best[node].feature);
        move.threshold = best[node].threshold;
        move.default_left = best[node].default_left ? 1 : 0;
        auto const add = [&](FixedSum sum, int side) {
          auto const id = n_nodes_++;
          auto const hessian = static_cast<double>(sum.hessian) * gain.unit.hessian;
          if (is_last || sum.hessian < 2 || hessian < 2.0 * (1.0 - 1e-9) * gain.min_child_weight) return ~id;
          decided.parents.push_back(2 * static_cast<std::int32_t>(node) + side);
          decided.ids.push_back(id);
          decided.sums.push_back(sum);
          return static_cast<std::int32_t>(decided.ids.size()) - 1;
        };
        move.left = add(best[node].left, 0);
        move.right = add(best[node].right, 1);
      }
      decided.moves.push_back(move);
    }
    return decided;
  }

 private:
  std::int32_t n_nodes_ = 1;
};

/// Returns a random split of a node with this sum: none, one with too little gain, or one with hessians from 0 on.
SplitCandidate RandomSplit(FixedSum sum, testing::Random* random) {
  SplitCandidate split;
  auto const kind = random->Below(20);
  if (kind == 0) return split;
  split.loss_change = kind == 1 ? 1e-6 : 0.1 + random->Uniform();
  split.feature = 3 * random->Below(20) + 1;
  split.threshold = random->Normal();
  split.default_left = random->Below(2) == 0;
  auto const hessian = static_cast<std::int64_t>(random->Uniform() * static_cast<double>(sum.hessian + 1));
  split.left = {static_cast<std::int64_t>(random->Below(1000)) - 500, kind == 2 ? 1 : hessian};
  split.right = sum - split.left;
  return split;
}

class DeviceDecisionsTest : public testing::DeviceTest {
 protected:
  /// Returns features 1, 4, 7, ... 58 in two chunks, and some features on which no node splits.
  std::vector<cuda::Chunk> Chunks() const {
    std::vector<cuda::Chunk> chunks(2);
    for (std::int32_t feature = 0; feature < 60; ++feature) {
      if (feature % 3 != 2) chunks[feature < 30 ? 0 : 1].features.push_back(feature);
    }
    for (auto& chunk : chunks) chunk.feature_ids = cuda::ToDevice(Cuda(), chunk.features);
    Cuda().Synchronize();  // for the features
    return chunks;
  }

  template <typename T>
  std::vector<T> Read(T const* from, std::size_t size) const {
    return cuda::ToHost(Cuda(), from, size);
  }

  void ExpectMoves(cuda::DeviceDecisions const& decisions, std::vector<cuda::Chunk> const& chunks,
                   Decided const& expected) const {
    auto const n_nodes = expected.moves.size();
    auto const moves = Read(decisions.Moves(), n_nodes);
    for (std::size_t node = 0; node < n_nodes; ++node) {
      ASSERT_EQ(moves[node].feature, expected.moves[node].feature) << node;
      ASSERT_EQ(moves[node].threshold, expected.moves[node].threshold) << node;
      ASSERT_EQ(moves[node].default_left, expected.moves[node].default_left) << node;
      ASSERT_EQ(moves[node].left, expected.moves[node].left) << node;
      ASSERT_EQ(moves[node].right, expected.moves[node].right) << node;
    }
    EXPECT_EQ(Read(decisions.ParentOfChild(), expected.parents.size()), expected.parents);
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      auto const winners = Read(decisions.Winners(chunk), n_nodes);
      auto const& features = chunks[chunk].features;
      for (std::size_t node = 0; node < n_nodes; ++node) {
        auto const feature = expected.moves[node].feature;
        auto const here = std::find(features.begin(), features.end(), feature);
        auto const place = here == features.end() ? -1 : static_cast<std::int32_t>(here - features.begin());
        ASSERT_EQ(winners[node], place) << node << " in chunk " << chunk;
      }
    }
  }

  void ExpectNodes(cuda::DeviceDecisions const& decisions, GainParam const& gain, Decided const& expected) const {
    auto const n_nodes = static_cast<std::size_t>(decisions.NumNodes());
    ASSERT_EQ(n_nodes, expected.ids.size());
    auto const nodes = decisions.Nodes();
    EXPECT_EQ(Read(nodes.ids, n_nodes), expected.ids);
    EXPECT_EQ(Read(nodes.floors, n_nodes), std::vector<double>(n_nodes, kMinLossChange / 2.0));
    auto const totals = Read(nodes.nodes, n_nodes);
    auto const best = Read(nodes.best, n_nodes);
    for (std::size_t node = 0; node < n_nodes; ++node) {
      ASSERT_EQ(totals[node].sum, expected.sums[node]) << node;
      ASSERT_EQ(totals[node].gain, NodeGain(expected.sums[node], gain, {})) << node;
      ASSERT_EQ(totals[node].bounds.lower, -kInfinity);
      ASSERT_EQ(totals[node].bounds.upper, kInfinity);
      ASSERT_FALSE(best[node].IsValid()) << node;
      ASSERT_EQ(best[node].loss_change, 0.0) << node;
    }
  }

  /// Grows a tree of random splits; returns the number of nodes by level.
  std::vector<std::int32_t> Grow(GainParam const& gain, FixedSum root, std::size_t most_levels, std::uint64_t seed,
                                 cuda::DeviceDecisions* decisions) const {
    testing::Random random(seed);
    auto const chunks = Chunks();
    NaiveTree naive;
    Decided level;
    level.ids = {0};
    level.sums = {root};
    std::vector<std::vector<SplitCandidate>> all;
    std::vector<std::int32_t> sizes;
    decisions->Start(Cuda(), gain, root);
    while (decisions->NumNodes() > 0) {
      ExpectNodes(*decisions, gain, level);
      sizes.push_back(decisions->NumNodes());
      std::vector<SplitCandidate> splits;
      for (auto const sum : level.sums) splits.push_back(RandomSplit(sum, &random));
      cuda::CopyToDevice(Cuda(), splits.data(), splits.size(), decisions->Nodes().best);
      auto const is_last = sizes.size() == most_levels;
      decisions->Decide(Cuda(), gain, chunks, is_last);
      level = naive.Decide(gain, level.ids, splits, is_last);
      ExpectMoves(*decisions, chunks, level);
      decisions->EndLevel();
      all.push_back(std::move(splits));
    }
    EXPECT_TRUE(level.ids.empty());
    ExpectSplits(decisions->ReadTree(Cuda()), all);
    return sizes;
  }

  static void ExpectSplits(std::vector<std::vector<SplitCandidate>> const& read,
                           std::vector<std::vector<SplitCandidate>> const& expected) {
    ASSERT_EQ(read.size(), expected.size());
    for (std::size_t level = 0; level < read.size(); ++level) {
      ASSERT_EQ(read[level].size(), expected[level].size()) << level;
      for (std::size_t node = 0; node < read[level].size(); ++node) {
        EXPECT_EQ(read[level][node].loss_change, expected[level][node].loss_change);
        EXPECT_EQ(read[level][node].feature, expected[level][node].feature);
        EXPECT_EQ(read[level][node].left, expected[level][node].left);
      }
    }
  }
};

GainParam Gain(double min_child_weight) {
  GainParam gain;
  gain.lambda = 0.5;
  gain.alpha = 0.25;
  gain.unit = {0x1p-10, 0x1p-8};
  gain.min_child_weight = min_child_weight;
  return gain;
}

/// Includes levels with more nodes than a block has threads. One object decides tree after tree.
TEST_F(DeviceDecisionsTest, AsOneNodeAfterTheOther) {
  cuda::DeviceDecisions decisions(0);
  std::int32_t most_nodes = 0;
  std::size_t most_levels = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (auto const weight : {0.0, 0.3}) {
      SCOPED_TRACE(seed);
      auto const sizes = Grow(Gain(weight), {1000, std::int64_t{1} << 30}, seed % 3 == 2 ? 4 : 15, seed, &decisions);
      most_levels = std::max(most_levels, sizes.size());
      for (auto const size : sizes) most_nodes = std::max(most_nodes, size);
    }
  }
  EXPECT_GT(most_nodes, 600);
  EXPECT_EQ(most_levels, 15U);
}

TEST_F(DeviceDecisionsTest, StumpsAndTreesWithoutSplits) {
  cuda::DeviceDecisions decisions(0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(Grow(Gain(1.0), {-7, 100000}, 1, seed, &decisions), std::vector<std::int32_t>{1});
  }
}

/// Hessians just enough for two children, one step less, and children that are not searched further.
TEST_F(DeviceDecisionsTest, HessiansAtTheLimit) {
  auto const gain = Gain(1.0);  // 256 steps
  cuda::DeviceDecisions decisions(0);
  for (std::int64_t const left : {511, 512, 1}) {
    decisions.Start(Cuda(), gain, {0, 1023});
    SplitCandidate split;
    split.loss_change = 1.0;
    split.feature = 1;
    split.left = {5, left};
    split.right = {-5, 1023 - left};
    cuda::CopyToDevice(Cuda(), &split, 1, decisions.Nodes().best);
    decisions.Decide(Cuda(), gain, Chunks(), false);
    decisions.EndLevel();
    EXPECT_EQ(decisions.NumNodes(), 1) << left;
    EXPECT_EQ(Read(decisions.ParentOfChild(), 1).front(), left == 512 ? 0 : 1);
    EXPECT_EQ(Read(decisions.Nodes().ids, 1).front(), left == 512 ? 1 : 2);
  }
}

}  // namespace
}  // namespace kauri
