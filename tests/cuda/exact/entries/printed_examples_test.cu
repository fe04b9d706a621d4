/// The printed examples of Mitchell & Frank 2017 for scans, sorting and positions: figures 3 to 7, tables 5, 6, 9 and
/// 12 to 18.
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/partition.h"
#include "cuda/exact/entries/positions.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "exact/exact_fixture.h"
#include "exact/split/exact_split_fixture.h"

namespace kauri::testing {
namespace {

constexpr unsigned kWarp = 32;

/// Scans a warp's items by sequence, one sequence after the other, with the items of other sequences masked off
/// (listing 5). sums (out): [32], of each item's own sequence; total (out): of all items.
__global__ void ScanSequencesKernel(std::int32_t const* sequence, std::int32_t n_sequences, std::int64_t* sums,
                                    std::int64_t* total) {
  std::int32_t const own = sequence[threadIdx.x];
  FixedSum const one{own >= 0 ? 1 : 0, 0};
  for (std::int32_t other = 0; other < n_sequences; ++other) {
    FixedSum const scanned = cuda::InclusiveScan(own == other ? one : FixedSum{});
    if (own == other) sums[threadIdx.x] = scanned.gradient;
  }
  FixedSum const all = cuda::WarpSum(one);
  if (threadIdx.x == 0) *total = all.gradient;
}

class PrintedExamplesTest : public DeviceTest {
 protected:
  struct Scanned {
    std::vector<std::int64_t> sums;
    std::int64_t total;
  };
  /// Scans ones in these sequences, each sequence by itself.
  Scanned ScanOnes(std::vector<std::int32_t> sequence, std::int32_t n_sequences) const {
    auto const n_items = sequence.size();
    sequence.resize(kWarp, -1);
    auto const on_device = cuda::ToDevice(Cuda(), sequence);
    cuda::Buffer<std::int64_t> sums(Cuda(), kWarp);
    cuda::Buffer<std::int64_t> total(Cuda(), 1);
    cuda::Launch(Cuda(), 1, kWarp, ScanSequencesKernel, on_device.data(), n_sequences, sums.data(), total.data());
    return {cuda::ToHost(Cuda(), sums.data(), n_items), Fetch(Cuda(), total)[0]};
  }

  /// Returns a level of these columns; values of a row that are not in `columns` are missing.
  static Level MakeColumns(std::vector<std::vector<ColumnEntry>> columns, std::vector<std::int32_t> node_of_row) {
    Level level;
    level.columns = std::move(columns);
    for (auto const node : node_of_row) level.n_nodes = std::max(level.n_nodes, node + 1);
    for (std::size_t row = 0; row < node_of_row.size(); ++row) {
      level.pairs.push_back({static_cast<std::int32_t>(row), 1});  // p0, p1, ..., as in table 10
    }
    level.node_of_row = std::move(node_of_row);
    level.SortColumns();
    return level;
  }
};

/// Figure 3: eight ones, and a warp of ones. Figure 4: their scan. Figures 5 and 6: the same without the item itself.
TEST_F(PrintedExamplesTest, ScanOfOnes) {
  auto const eight = ScanOnes(std::vector<std::int32_t>(8, 0), 1);
  EXPECT_EQ(eight.total, 8);
  EXPECT_EQ(eight.sums, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  auto const warp = ScanOnes(std::vector<std::int32_t>(kWarp, 0), 1);
  EXPECT_EQ(warp.total, 32);
  for (std::size_t lane = 0; lane < kWarp; ++lane) EXPECT_EQ(warp.sums[lane] - 1, static_cast<std::int64_t>(lane));
}

/// Tables 5 and 6.
TEST_F(PrintedExamplesTest, ScansOfTwoSequences) {
  EXPECT_EQ(ScanOnes({0, 0, 1, 0, 1, 1}, 2).sums, (std::vector<std::int64_t>{1, 2, 1, 3, 2, 3})) << "interleaved";
  EXPECT_EQ(ScanOnes({0, 0, 0, 1, 1, 1}, 2).sums, (std::vector<std::int64_t>{1, 2, 3, 1, 2, 3})) << "segmented";
}

/// Algorithm 4 and figure 7 on eight digits. Before place 5 there are three zeros, as in the text's example. A zero
/// goes to S[i], the number of zeros before it. A one goes to i - S[i] + r, where r is the number of zeros.
TEST_F(PrintedExamplesTest, PassOfARadixSort) {
  std::vector<unsigned> const digits{0, 1, 0, 1, 0, 1, 1, 0};
  std::vector<std::int64_t> place(digits.size());
  std::int64_t zeros = 0;
  std::vector<std::int64_t> before;
  for (auto const digit : digits) {
    before.push_back(zeros);
    zeros += digit == 0 ? 1 : 0;
  }
  ASSERT_EQ(before[5], 3);
  std::vector<ColumnEntry> column;
  std::vector<std::uint32_t> goes_left(1);
  for (std::uint32_t i = 0; i < digits.size(); ++i) {
    column.push_back({i, static_cast<float>(i)});
    if (digits[i] == 0) goes_left[0] |= 1U << i;
    place[i] = digits[i] == 0 ? before[i] : static_cast<std::int64_t>(i) - before[i] + zeros;
  }
  auto const level = MakeColumns({column}, std::vector<std::int32_t>(digits.size(), 0));
  auto on_device = MakeDeviceLevel(Cuda(), LayOut(level, true), level.both_ways);
  auto& chunk = on_device.chunk;
  cuda::FindTileSegments(Cuda(), chunk.Table(), chunk.n_entries, chunk.tile_segments.data());
  auto const moves = cuda::ToDevice(Cuda(), std::vector<cuda::NodeMove>{{0, 0.0F, 0, 0, 1}});
  auto const left = cuda::ToDevice(Cuda(), goes_left);
  auto const parent_of_child = cuda::ToDevice(Cuda(), std::vector<std::int32_t>{0, 1});
  chunk.next_segments.Reserve(Cuda(), 4);
  chunk.piece_sums.Reserve(Cuda(), chunk.NumPieces(2));
  cuda::PartitionTask task;
  task.table = chunk.Table();
  task.from = on_device.workspace.Region(0);
  task.to = on_device.workspace.Region(1);
  task.n_entries = chunk.n_entries;
  task.moves = moves.data();
  task.row_goes_left = left.data();
  task.parent_of_child = parent_of_child.data();
  task.n_children = 2;
  task.feature_begin = chunk.feature_begin.data();
  cuda::Partition(Cuda(), task, on_device.workspace.ReservePartition(Cuda(), chunk),
                  {chunk.next_segments.data(), chunk.tile_segments.data(), chunk.piece_sums.data()});
  EXPECT_EQ(Fetch(Cuda(), chunk.next_segments), (std::vector<std::int64_t>{0, zeros, 8, 16}));
  auto const rows = Fetch(Cuda(), on_device.workspace.rows);
  auto const region = static_cast<std::size_t>(on_device.workspace.region_size);
  for (std::uint32_t i = 0; i < digits.size(); ++i) {
    EXPECT_EQ(rows[region + static_cast<std::size_t>(place[i])], i) << "digit " << i;
  }
}

/// Tables 9, 12 and 13: three sparse columns of four instances in nodes 1 and 2 (here 0 and 1), before and after
/// sorting by node.
TEST_F(PrintedExamplesTest, NodeBuckets) {
  auto const level = MakeColumns(
      {{{0, 0.1F}, {2, 0.5F}, {3, 0.9F}}, {{3, 5.2F}}, {{2, 3.1F}, {0, 3.6F}, {1, 3.9F}, {3, 4.7F}}}, {1, 0, 0, 1});
  auto const interleaved = LayOut(level, false);
  auto entries = MakeDeviceLevel(Cuda(), interleaved, level.both_ways);
  auto const nodes = cuda::ToDevice(Cuda(), NarrowNodes(level));
  cuda::Buffer<std::int64_t> segments(Cuda(), 3 * 3 + 1);
  cuda::Buffer<std::uint32_t> counts(Cuda(), static_cast<std::size_t>(entries.chunk.n_column_tiles) * 2);
  cuda::Buffer<std::int64_t> totals(Cuda(), 3 * 2);
  cuda::SortTask task;
  task.tiles = entries.chunk.Columns();
  task.n_nodes = 2;
  task.from = entries.workspace.Region(0);
  task.to = entries.workspace.Region(1);
  task.node_of_row = nodes.data();
  task.feature_begin = entries.chunk.feature_begin.data();
  task.counts = counts.data();
  task.totals = totals.data();
  cuda::SortByNode(Cuda(), task, segments.data());
  // A feature's room is a multiple of 16 entries: f0, f1 and f2 begin at 0, 16 and 32.
  EXPECT_EQ(Fetch(Cuda(), segments), (std::vector<std::int64_t>{0, 1, 3, 16, 16, 17, 32, 34, 36, 48}));
  auto const rows = Fetch(Cuda(), entries.workspace.rows);
  auto const values = Fetch(Cuda(), entries.workspace.values);
  auto const region = static_cast<std::size_t>(entries.workspace.region_size);
  std::vector<std::uint32_t> found_rows;
  std::vector<float> found_values;
  for (auto const at : {0U, 1U, 2U, 16U, 32U, 33U, 34U, 35U}) {
    found_rows.push_back(rows[region + at]);
    found_values.push_back(values[region + at]);
  }
  EXPECT_EQ(found_rows, (std::vector<std::uint32_t>{2, 0, 3, 3, 2, 1, 0, 3}));
  EXPECT_EQ(found_values, (std::vector<float>{0.5F, 0.1F, 0.9F, 5.2F, 3.1F, 3.9F, 3.6F, 4.7F}));
}

/// Figure 8 and tables 14 to 18: node 1 (here 0) tests f0 < 0.8 with missing values to the right, node 2 (1) tests f1
/// with missing values to the left; their children are 3 to 6 (0 to 3). Instance 3 lacks f0.
TEST_F(PrintedExamplesTest, PositionsAfterALevel) {
  constexpr std::int32_t kFirstChild = 3;
  auto const level = MakeColumns({{{0, 0.75F}, {1, 0.9F}, {2, 0.5F}}, {{0, 4.1F}, {1, 3.6F}, {2, 3.9F}, {3, 2.7F}}},
                                 {0, 1, 1, 0});  // table 15
  std::vector<cuda::NodeMove> const moves = {{0, 0.8F, 0, 0, 1}, {1, 3.75F, 1, 2, 3}};
  auto const by_node = LayOut(level, true);
  EXPECT_EQ((std::vector<std::uint32_t>{by_node.rows[0], by_node.rows[1], by_node.rows[2]}),
            (std::vector<std::uint32_t>{0, 2, 1}))
      << "table 14, f0: instance 0 in node 1, then 2 and 1 in node 2";
  auto const entries = MakeDeviceLevel(Cuda(), by_node, level.both_ways);
  auto const current = cuda::ToDevice(Cuda(), level.node_of_row);
  auto const device_moves = cuda::ToDevice(Cuda(), moves);
  cuda::Buffer<std::int32_t> next(Cuda(), 4);
  auto const printed = [&] {
    auto nodes = Fetch(Cuda(), next);
    for (auto& node : nodes) node += kFirstChild;
    return nodes;
  };
  cuda::MoveByDefault(Cuda(), current.span(), device_moves.data(), next.data());
  EXPECT_EQ(printed(), (std::vector<std::int32_t>{4, 5, 5, 4})) << "table 16";
  auto const winners = cuda::ToDevice(Cuda(), std::vector<std::int32_t>{0, 1});
  cuda::MoveBySegments(Cuda(), entries.chunk.Table(), entries.workspace.Region(0), winners.data(), device_moves.data(),
                       next.data());
  auto const moved = printed();
  EXPECT_EQ(moved, (std::vector<std::int32_t>{3, 5, 6, 4})) << "table 17";
  std::vector<std::int32_t> node_of_entry;  // table 18, in the order of table 14
  for (std::size_t feature = 0; feature < 2; ++feature) {
    for (std::int32_t node = 0; node < 2; ++node) {
      for (auto const entry : level.EntriesOf(feature, node)) node_of_entry.push_back(moved[entry.row]);
    }
  }
  EXPECT_EQ(node_of_entry, (std::vector<std::int32_t>{3, 6, 5, 4, 3, 5, 6}));
}

}  // namespace
}  // namespace kauri::testing
