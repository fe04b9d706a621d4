/// The published operators of the interleaved phase: alone, on the paper's worked examples, and against the product's
/// results for the same entries.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "exact/entries/published_operators.h"
#include "exact/split/exact_split_fixture.h"

namespace kauri::testing {
namespace {

TEST(PublishedFlags, OfOneBit) {
  for (int bit = 0; bit < 64; ++bit) {
    auto const flags = FlagOf(bit);
    for (int other = 0; other < 64; ++other) EXPECT_EQ(CheckBit(flags, other), bit == other) << bit << ", " << other;
  }
  EXPECT_EQ(FlagOf(kSegmentBit), 0x8000000000000000U);
  EXPECT_EQ(FlagsOf(-1, true), 0x8000000000000000U);
  EXPECT_EQ(FlagsOf(32, false), 0x100000000U);
}

/// Equation 5.
TEST(PublishedFlags, OperatorIsAssociativeAndResets) {
  Random random(1);
  auto const draw = [&random] {
    return FlagsOf(static_cast<int>(random.Below(34)) - 1, random.Below(3) == 0) |
           FlagsOf(static_cast<int>(random.Below(33)), false);
  };
  for (int i = 0; i < 2000; ++i) {
    auto const a = draw();
    auto const b = draw();
    auto const c = draw();
    ASSERT_EQ(Combine(Combine(a, b), c), Combine(a, Combine(b, c)));
    ASSERT_EQ(Combine(a, b), CheckBit(b, 63) ? b : a | b);
  }
}

/// Nodes and values of a column, in the order of the values.
struct Column {
  std::vector<std::int32_t> node;  ///< below 0: none
  std::vector<float> value;
  std::vector<FixedPair> pair;
};

/// The results of scanning the column, for each entry.
struct Scanned {
  std::vector<FixedSum> before;        ///< sum of the entry's node, without the entry
  std::vector<std::uint8_t> is_first;  ///< whether it is the first of its value in its node
};

/// Computes equation 5, one entry after another. loses_segments: does the same as the published code, whose flag is
/// never set.
std::vector<std::uint8_t> FirstsOnHost(Column const& column, bool loses_segments) {
  std::vector<std::uint8_t> firsts;
  BitFlagSet before = 0;
  for (std::size_t i = 0; i < column.node.size(); ++i) {
    auto const is_new = !loses_segments && (i == 0 || column.value[i] != column.value[i - 1]);
    auto const node = column.node[i];
    firsts.push_back(node >= 0 && IsFirstOfValue(before, node, is_new) ? 1 : 0);
    before = Combine(before, FlagsOf(node, is_new));
  }
  return firsts;
}

struct ColumnArrays {
  std::int32_t const* node;
  float const* value;
  FixedPair const* pair;
  std::int64_t n;
};

__device__ BitFlagSet ScanFlags(BitFlagSet flags) {
  for (unsigned step = 1; step < 32; step *= 2) {
    BitFlagSet const other = __shfl_up_sync(cuda::kAllLanes, flags, step);
    if (cuda::Lane() >= static_cast<int>(step)) flags = Combine(other, flags);
  }
  return flags;
}

/// Runs algorithm 6 by one warp, in tiles of 32: a masked scan for each node (listing 5), with the running sums of the
/// tiles before; then the scan of the flags.
__global__ void PublishedMultiscan(ColumnArrays column, int n_nodes, FixedSum* sums, std::uint8_t* is_first) {
  __shared__ std::int64_t gradients[cuda::kMostInterleavedNodes];
  __shared__ std::int64_t hessians[cuda::kMostInterleavedNodes];
  if (cuda::Lane() < n_nodes) gradients[cuda::Lane()] = hessians[cuda::Lane()] = 0;
  __syncwarp();
  BitFlagSet carry = 0;
  for (std::int64_t begin = 0; begin < column.n; begin += 32) {
    std::int64_t const i = begin + cuda::Lane();
    bool const exists = i < column.n;
    int const node = exists ? column.node[i] : -1;
    FixedPair const pair = exists ? column.pair[i] : FixedPair{0, 0};
    FixedSum before{0, 0};
    for (int bucket = 0; bucket < n_nodes; ++bucket) {
      bool const is_active = node == bucket;
      FixedSum const own = is_active ? FixedSum{pair.gradient, pair.hessian} : FixedSum{0, 0};
      FixedSum const scanned = cuda::InclusiveScan(own);
      FixedSum const earlier{gradients[bucket], hessians[bucket]};
      if (is_active) before = earlier + (scanned - own);
      __syncwarp();
      if (cuda::Lane() == 31) {
        gradients[bucket] += scanned.gradient;
        hessians[bucket] += scanned.hessian;
      }
      __syncwarp();
    }
    bool const is_new = exists && (i == 0 || column.value[i] != column.value[i - 1]);
    BitFlagSet const through = Combine(carry, ScanFlags(FlagsOf(node, is_new)));
    BitFlagSet const left = __shfl_up_sync(cuda::kAllLanes, through, 1);
    BitFlagSet const flags_before = cuda::Lane() == 0 ? carry : left;
    carry = __shfl_sync(cuda::kAllLanes, through, 31);
    if (!exists) continue;
    sums[i] = before;
    is_first[i] = node >= 0 && IsFirstOfValue(flags_before, node, is_new) ? 1 : 0;
  }
}

class PublishedTest : public SplitTest {
 protected:
  Scanned Scan(Column const& column, std::int32_t n_nodes) const {
    auto const n = column.node.size();
    auto const node = cuda::ToDevice(Cuda(), column.node);
    auto const value = cuda::ToDevice(Cuda(), column.value);
    auto const pair = cuda::ToDevice(Cuda(), column.pair);
    cuda::Buffer<FixedSum> sums(Cuda(), n);
    cuda::Buffer<std::uint8_t> firsts(Cuda(), n);
    ColumnArrays const arrays{node.data(), value.data(), pair.data(), static_cast<std::int64_t>(n)};
    cuda::Launch(Cuda(), 1, 32, PublishedMultiscan, arrays, n_nodes, sums.data(), firsts.data());
    return {Fetch(Cuda(), sums), Fetch(Cuda(), firsts)};
  }

  /// Returns the best splits of all nodes over the boundaries found by the published operators, by the host's formula.
  std::vector<SplitCandidate> PublishedSplits(Level const& level) const {
    std::vector<SplitCandidate> best(static_cast<std::size_t>(level.n_nodes));
    for (std::size_t feature = 0; feature < level.NumFeatures(); ++feature) {
      auto const column = ColumnOf(level, feature);
      auto const scanned = Scan(column, level.n_nodes);
      EXPECT_EQ(scanned.is_first, FirstsOnHost(column, false)) << "feature " << feature;
      std::vector<float> last(best.size(), -INFINITY);
      for (std::size_t i = 0; i < column.node.size(); ++i) {
        if (column.node[i] < 0) continue;
        auto const node = static_cast<std::size_t>(column.node[i]);
        if (scanned.is_first[i] != 0 && last[node] != -INFINITY) {
          Offer(level, feature, node, {scanned.before[i], last[node], column.value[i]}, &best[node]);
        }
        last[node] = column.value[i];
      }
    }
    return best;
  }

  static Column ColumnOf(Level const& level, std::size_t feature) {
    Column column;
    for (auto const entry : level.columns[feature]) {
      column.node.push_back(level.node_of_row[entry.row]);
      column.value.push_back(entry.value);
      column.pair.push_back(level.pairs[entry.row]);
    }
    return column;
  }

 private:
  struct Cut {
    FixedSum left;
    float low;
    float high;
  };

  /// Considers a cut of a column without missing values, whose missing rows go left.
  static void Offer(Level const& level, std::size_t feature, std::size_t node, Cut const& cut, SplitCandidate* best) {
    auto const totals = TotalsOf(level, {}, node);
    auto const right = totals.sum - cut.left;
    if (!HasEnoughHessian(cut.left, level.param) || !HasEnoughHessian(right, level.param)) return;
    auto const gain = SplitGain(cut.left, right, level.param, totals.bounds, 0) - totals.gain;
    auto const id = static_cast<std::uint32_t>(IdOf(feature));
    SplitCandidate const found{gain, id, MidpointThreshold(cut.low, cut.high), true, cut.left, right};
    if (gain >= kMinLossChange / 2.0 && IsBetter(found, *best)) *best = found;
  }
};

/// Table 5: the inclusive scan of ones over interleaved sequences.
TEST_F(PublishedTest, Table5) {
  Column const column{{0, 0, 1, 0, 1, 1}, {0, 0, 0, 0, 0, 0}, std::vector<FixedPair>(6, {1, 1})};
  std::vector<std::int64_t> scan;
  for (auto const& sum : Scan(column, 2).before) scan.push_back(sum.gradient + 1);
  EXPECT_EQ(scan, (std::vector<std::int64_t>{1, 2, 1, 3, 2, 3}));
}

/// Table 12, whose nodes 1 and 2 are 0 and 1 here: f0 of instances 0, 2, 3, f2 of instances 2, 0, 1, 3. All values
/// differ, so each is the first of its value; the sums before are counts here.
TEST_F(PublishedTest, Table12) {
  std::vector<FixedPair> const ones(4, {1, 1});
  auto const f0 = Scan({{1, 0, 1}, {0.1F, 0.5F, 0.9F}, {ones.begin(), ones.begin() + 3}}, 2);
  auto const f2 = Scan({{0, 1, 0, 1}, {3.1F, 3.6F, 3.9F, 4.7F}, ones}, 2);
  EXPECT_EQ(f0.is_first, (std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_EQ(f2.is_first, (std::vector<std::uint8_t>{1, 1, 1, 1}));
  auto const counts = [](Scanned const& scanned) {
    std::vector<std::int64_t> found;
    for (auto const& sum : scanned.before) found.push_back(sum.hessian);
    return found;
  };
  EXPECT_EQ(counts(f0), (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(counts(f2), (std::vector<std::int64_t>{0, 0, 1, 1}));
}

/// Tables 12 and 13: columns before and after they are sorted by node.
TEST_F(PublishedTest, Table13) {
  Level level;
  level.n_nodes = 2;
  level.node_of_row = {1, 0, 0, 1};
  level.pairs.assign(4, {1, 1});
  level.columns = {{{0, 0.1F}, {2, 0.5F}, {3, 0.9F}}, {{3, 5.2F}}, {{2, 3.1F}, {0, 3.6F}, {1, 3.9F}, {3, 4.7F}}};
  level.SortColumns();
  auto const sorted = LayOut(level, true);
  std::vector<float> values;
  for (auto const value : sorted.values) {
    if (value != kPadding) values.push_back(value);
  }
  EXPECT_EQ(values, (std::vector<float>{0.5F, 0.1F, 0.9F, 5.2F, 3.1F, 3.9F, 3.6F, 4.7F}));
  auto entries = MakeDeviceLevel(Cuda(), LayOut(level, false), level.both_ways);
  auto const nodes = cuda::ToDevice(Cuda(), NarrowNodes(level));
  cuda::Buffer<std::int64_t> segments(Cuda(), sorted.segments.size());
  cuda::Buffer<std::uint32_t> counts(Cuda(), static_cast<std::size_t>(entries.chunk.n_column_tiles) * 2);
  cuda::Buffer<std::int64_t> totals(Cuda(), 6);
  cuda::SortByNode(Cuda(),
                   {entries.chunk.Columns(), 2, entries.workspace.Region(0), entries.workspace.Region(1), nodes.data(),
                    entries.chunk.feature_begin.data(), counts.data(), totals.data()},
                   segments.data());
  EXPECT_EQ(Fetch(Cuda(), segments), sorted.segments);
  auto const found = Fetch(Cuda(), entries.workspace.values);
  auto const region = static_cast<std::size_t>(entries.workspace.region_size);
  for (std::size_t i = 0; i < region; ++i) EXPECT_EQ(found[region + i], sorted.values[i]) << "entry " << i;
}

/// Compares sums and boundaries with a loop over the entries, and the splits from them with the product's: all numbers
/// of nodes, ties within and across nodes, entries without a node.
TEST_F(PublishedTest, WhatTheProductFinds) {
  for (auto const n_nodes : {1U, 2U, 3U, 4U, 8U, 16U, 31U, 32U}) {
    for (auto const n_distinct : {0U, 3U, 40U}) {
      SCOPED_TRACE(::testing::Message() << n_nodes << " nodes, " << n_distinct << " values");
      std::vector<std::int64_t> sizes(n_nodes, 90);
      sizes[0] = 700;
      auto const level = MakeLevel({sizes, 150, 2, 0.0, n_distinct, n_distinct == 3, 50 + n_nodes});
      auto const column = ColumnOf(level, 0);
      auto const scanned = Scan(column, level.n_nodes);
      std::vector<FixedSum> running(n_nodes);
      for (std::size_t i = 0; i < column.node.size(); ++i) {
        if (column.node[i] < 0) continue;
        auto& sum = running[static_cast<std::size_t>(column.node[i])];
        ASSERT_TRUE(scanned.before[i] == sum) << "entry " << i;
        sum += column.pair[i];
      }
      ExpectSameSplits(PublishedSplits(level), Compare(Phase::kInterleaved, level));
    }
  }
}

/// With the flag that the published code loses, only the first entry of each node would be a boundary. The test above
/// would detect it.
TEST(PublishedFlags, TheLostFlagLosesBoundaries) {
  Random random(3);
  Column column;
  for (int i = 0; i < 300; ++i) {
    column.node.push_back(static_cast<std::int32_t>(random.Below(4)));
    column.value.push_back(static_cast<float>(i / 5));
  }
  auto const right = FirstsOnHost(column, false);
  auto const lost = FirstsOnHost(column, true);
  EXPECT_EQ(std::count(lost.begin(), lost.end(), 1), 4);
  EXPECT_GT(std::count(right.begin(), right.end(), 1), 150);
}

}  // namespace
}  // namespace kauri::testing
