/// \file Split finding on a level: by trying every split on the host, and by either phase on the device.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cuda/exact/split/find_split.h"
#include "exact/exact_fixture.h"

namespace kauri::testing {

/// The parameters of split finding on a level.
struct Condition {
  std::vector<double> floors;         ///< [n_nodes]; empty: the floors of a new level of a tree
  std::vector<std::uint8_t> allowed;  ///< [n_nodes, number of ids]; empty: every node may use every feature
  std::vector<std::int8_t> signs;     ///< [number of ids], monotone constraints; empty: none
  std::vector<WeightBounds> bounds;   ///< [n_nodes]; empty: none
};

/// Returns the number of ids; features of a level have the odd ids.
inline std::size_t NumIds(Level const& level) { return 2 * level.NumFeatures() + 1; }
inline std::size_t IdOf(std::size_t feature) { return 2 * feature + 1; }

inline double FloorOf(Condition const& condition, std::size_t node) {
  return condition.floors.empty() ? kMinLossChange / 2.0 : condition.floors[node];
}

inline cuda::NodeTotals TotalsOf(Level const& level, Condition const& condition, std::size_t node) {
  cuda::NodeTotals totals;
  totals.sum = level.SumOf(static_cast<std::int32_t>(node));
  if (!condition.bounds.empty()) totals.bounds = condition.bounds[node];
  totals.gain = NodeGain(totals.sum, level.param, totals.bounds);
  return totals;
}

/// Returns the best split, by trying every split. entries: of one node and one feature, ascending by value.
inline SplitCandidate NaiveSplit(Level const& level, std::size_t feature, std::vector<ColumnEntry> const& entries,
                                 cuda::NodeTotals const& node, int sign, double floor) {
  SplitCandidate best;
  auto const& param = level.param;
  auto const total = node.sum;
  auto const consider = [&](FixedSum left, float threshold, bool default_left) {
    auto const right = total - left;
    if (!HasEnoughHessian(left, param) || !HasEnoughHessian(right, param)) return;
    auto const loss_change = SplitGain(left, right, param, node.bounds, sign) - node.gain;
    auto const id = static_cast<std::uint32_t>(IdOf(feature));
    SplitCandidate const candidate{loss_change, id, threshold, default_left, left, right};
    if (loss_change >= floor && IsBetter(candidate, best)) best = candidate;
  };
  if (entries.empty()) return best;
  FixedSum present;
  for (auto const entry : entries) present += level.pairs[entry.row];
  for (auto const default_left : {false, true}) {
    if (!default_left && level.both_ways[feature] == 0) continue;
    auto left = default_left ? total - present : FixedSum();
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
      left += level.pairs[entries[i].row];
      auto const low = entries[i].value;
      auto const high = entries[i + 1].value;
      if (low != high) consider(left, MidpointThreshold(low, high), default_left);
    }
  }
  auto const largest = entries.back().value;
  auto const smallest = entries.front().value;
  if (level.both_ways[feature] != 0 && largest < FLT_MAX) {
    consider(present, std::min(largest + (std::fabs(largest) + 1e-6F), FLT_MAX), false);
  }
  consider(total - present, std::max(smallest - (std::fabs(smallest) + 1e-6F), -FLT_MAX), true);
  return best;
}

/// Returns the best split of every node.
inline std::vector<SplitCandidate> NaiveSplits(Level const& level, Condition const& condition) {
  std::vector<SplitCandidate> best(level.n_nodes);
  for (std::size_t node = 0; node < best.size(); ++node) {
    auto const totals = TotalsOf(level, condition, node);
    for (std::size_t feature = 0; feature < level.NumFeatures(); ++feature) {
      if (!condition.allowed.empty() && condition.allowed[node * NumIds(level) + IdOf(feature)] == 0) continue;
      auto const entries = level.EntriesOf(feature, static_cast<std::int32_t>(node));
      int const sign = condition.signs.empty() ? 0 : condition.signs[IdOf(feature)];
      auto const found = NaiveSplit(level, feature, entries, totals, sign, FloorOf(condition, node));
      if (IsBetter(found, best[node])) best[node] = found;
    }
  }
  return best;
}

enum class Phase { kSorted, kInterleaved };

inline std::vector<std::uint8_t> NarrowNodes(Level const& level) {
  std::vector<std::uint8_t> nodes;
  for (auto const node : level.node_of_row) {
    nodes.push_back(node == kFinished ? cuda::kInactive : static_cast<std::uint8_t>(node));
  }
  return nodes;
}

/// The data of a question on the device, for all chunks.
struct DeviceCondition {
  cuda::Buffer<cuda::NodeTotals> nodes;
  cuda::Buffer<std::uint8_t> allowed;
  cuda::Buffer<std::int8_t> signs;
  cuda::Buffer<double> floors;
  cuda::Buffer<SplitCandidate> best;
};

inline DeviceCondition MakeDeviceCondition(cuda::CudaContext const& cuda, Level const& level,
                                           Condition const& condition) {
  std::vector<cuda::NodeTotals> nodes;
  std::vector<double> floors;
  for (std::size_t node = 0; node < static_cast<std::size_t>(level.n_nodes); ++node) {
    nodes.push_back(TotalsOf(level, condition, node));
    floors.push_back(FloorOf(condition, node));
  }
  return {cuda::ToDevice(cuda, nodes), cuda::ToDevice(cuda, condition.allowed), cuda::ToDevice(cuda, condition.signs),
          cuda::ToDevice(cuda, floors), cuda::ToDevice(cuda, std::vector<SplitCandidate>(nodes.size()))};
}

inline cuda::SplitTask TaskOf(Level const& level, DeviceLevel const& entries, DeviceCondition const& condition) {
  auto const& chunk = entries.chunk;
  cuda::SplitTask task;
  task.table = chunk.Table();
  task.table.n_nodes = level.n_nodes;
  task.entries = entries.workspace.Region(0);
  task.n_entries = chunk.n_entries;
  task.param = level.param;
  task.screen = cuda::MakeScreen(level.param, static_cast<std::int64_t>(level.pairs.size()));
  task.nodes = condition.nodes.data();
  task.both_ways = chunk.both_ways.data();
  task.feature_ids = chunk.feature_ids.data();
  task.allowed = condition.allowed.data();
  task.signs = condition.signs.data();
  task.n_all_features = static_cast<std::int32_t>(NumIds(level));
  task.floors = condition.floors.data();
  return task;
}

/// Improves the question's best splits by one chunk's.
inline void FindOnDevice(cuda::CudaContext const& cuda, Phase phase, Level const& level, DeviceLevel* entries,
                         DeviceCondition const& condition) {
  auto& chunk = entries->chunk;
  if (phase == Phase::kSorted) cuda::SumSegments(cuda, entries->workspace, &chunk);
  auto const task = TaskOf(level, *entries, condition);
  if (phase == Phase::kSorted) {
    cuda::FindSplits(cuda, task, entries->workspace.ReserveSplit(cuda, chunk), condition.best.data());
    return;
  }
  auto const nodes = cuda::ToDevice(cuda, NarrowNodes(level));
  auto const scratch = entries->workspace.ReserveInterleaved(cuda, chunk, 1, level.n_nodes);
  cuda::FindSplitsInterleaved(cuda, task, chunk.Columns(), nodes.data(), scratch, condition.best.data());
}

inline void ExpectSameSplits(std::vector<SplitCandidate> const& expected, std::vector<SplitCandidate> const& found) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t node = 0; node < expected.size(); ++node) {
    SCOPED_TRACE("node " + std::to_string(node));
    EXPECT_EQ(expected[node].feature, found[node].feature);
    EXPECT_EQ(expected[node].loss_change, found[node].loss_change);
    EXPECT_EQ(expected[node].threshold, found[node].threshold);
    EXPECT_EQ(expected[node].default_left, found[node].default_left);
    EXPECT_TRUE(expected[node].left == found[node].left);
    EXPECT_TRUE(expected[node].right == found[node].right);
  }
}

class SplitTest : public DeviceTest {
 protected:
  /// Expects the naive splits from the device, and no floor above the loss change that its node has reached. Returns
  /// the splits.
  std::vector<SplitCandidate> Compare(Phase phase, Level const& level, Condition const& condition = {}) const {
    auto const on_device = MakeDeviceCondition(Cuda(), level, condition);
    auto entries = MakeDeviceLevel(Cuda(), LayOut(level, phase == Phase::kSorted), level.both_ways);
    FindOnDevice(Cuda(), phase, level, &entries, on_device);
    auto found = Fetch(Cuda(), on_device.best);
    ExpectSameSplits(NaiveSplits(level, condition), found);
    auto const floors = Fetch(Cuda(), on_device.floors);
    for (std::size_t node = 0; node < found.size(); ++node) {
      EXPECT_GE(floors[node], FloorOf(condition, node));
      EXPECT_LE(floors[node], std::max(FloorOf(condition, node), found[node].loss_change));
    }
    return found;
  }
};

/// Does the same as SplitTest, for each phase.
class SplitPhaseTest : public SplitTest, public ::testing::WithParamInterface<Phase> {
 protected:
  std::vector<SplitCandidate> Compare(Level const& level, Condition const& condition = {}) const {
    return SplitTest::Compare(GetParam(), level, condition);
  }
};

}  // namespace kauri::testing
