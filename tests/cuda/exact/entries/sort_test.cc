/// The work of the interleaved phase besides finding splits: nodes by entry, the rows' moves, and the sort that ends
/// the phase.
#include "exact/split/exact_split_fixture.h"

namespace kauri::testing {
namespace {

class InterleavedTest : public DeviceTest {
 protected:
  /// Compares SortByNode with a stable sort.
  void CompareSort(Level const& level) const {
    auto const columns = LayOut(level, false);
    auto const sorted = LayOut(level, true);
    auto entries = MakeDeviceLevel(Cuda(), columns, level.both_ways);
    auto const& chunk = entries.chunk;
    auto const nodes = cuda::ToDevice(Cuda(), NarrowNodes(level));
    auto const n_nodes = static_cast<std::size_t>(level.n_nodes);
    cuda::Buffer<std::int64_t> segments(Cuda(), sorted.segments.size());
    cuda::Buffer<std::uint32_t> counts(Cuda(), static_cast<std::size_t>(chunk.n_column_tiles) * n_nodes);
    cuda::Buffer<std::int64_t> totals(Cuda(), level.NumFeatures() * n_nodes);
    cuda::SortTask task;
    task.tiles = chunk.Columns();
    task.n_nodes = level.n_nodes;
    task.from = entries.workspace.Region(0);
    task.to = entries.workspace.Region(1);
    task.node_of_row = nodes.data();
    task.feature_begin = chunk.feature_begin.data();
    task.counts = counts.data();
    task.totals = totals.data();
    cuda::SortByNode(Cuda(), task, segments.data());
    ASSERT_EQ(Fetch(Cuda(), segments), sorted.segments);
    ExpectEntries(sorted, entries.workspace);
  }

 private:
  /// Expects `sorted` in region 1, including its dead entries.
  void ExpectEntries(Layout const& sorted, cuda::ExactWorkspace const& workspace) const {
    auto const rows = Fetch(Cuda(), workspace.rows);
    auto const values = Fetch(Cuda(), workspace.values);
    auto const pairs = Fetch(Cuda(), workspace.pairs);
    auto const region = static_cast<std::size_t>(workspace.region_size);
    for (std::size_t i = 0; i < region; ++i) {
      ASSERT_EQ(rows[region + i], sorted.rows[i]) << "entry " << i;
      ASSERT_EQ(values[region + i], sorted.values[i]) << "entry " << i;
      ASSERT_EQ(pairs[region + i].gradient, sorted.pairs[i].gradient) << "entry " << i;
      ASSERT_EQ(pairs[region + i].hessian, sorted.pairs[i].hessian) << "entry " << i;
    }
  }
};

TEST_F(InterleavedTest, SortByNode) {
  for (auto const n_nodes : {1U, 2U, 3U, 5U, 16U, 31U, 32U, 33U, 63U, 64U}) {
    for (auto const missing : {0.0, 0.4, 0.97}) {
      SCOPED_TRACE(::testing::Message() << n_nodes << " nodes, missing " << missing);
      std::vector<std::int64_t> sizes = {513, 0, 31, 1, 2000};
      sizes.resize(n_nodes, 64);
      CompareSort(MakeLevel({sizes, 300, 3, missing, 8, false, n_nodes}));
    }
  }
}

TEST_F(InterleavedTest, SortWholeTilesAndFinishedTiles) {
  CompareSort(MakeLevel({{512, 512}, 0, 2, 0.0, 0, false, 1}));
  CompareSort(MakeLevel({{0, 0, 0}, 1500, 2, 0.0, 0, false, 2}));
  CompareSort(MakeLevel({{1, 0, 1}, 3000, 2, 0.0, 0, false, 3}));
}

/// Has more tiles than one pass of a block covers.
TEST_F(InterleavedTest, SortLongColumn) { CompareSort(MakeLevel({{200000, 100000, 7}, 9000, 1, 0.0, 0, false, 4})); }

TEST_F(InterleavedTest, NarrowPositions) {
  for (auto const n_rows : {1, 255, 257, 2000}) {
    SCOPED_TRACE(n_rows);
    auto const level = MakeLevel({{n_rows, 3, n_rows / 2}, n_rows / 3, 0, 0.0, 0, false, 5});
    auto const positions = cuda::ToDevice(Cuda(), level.node_of_row);
    cuda::Buffer<std::uint8_t> narrow(Cuda(), level.node_of_row.size());
    auto expected = NarrowNodes(level);
    cuda::NarrowPositions(Cuda(), positions.span(), {}, narrow.data());
    EXPECT_EQ(Fetch(Cuda(), narrow), expected);
    std::vector<std::uint8_t> sampled(expected.size(), 1);
    for (std::size_t row = 0; row < expected.size(); row += 3) {
      sampled[row] = 0;
      expected[row] = cuda::kInactive;
    }
    auto const device_sampled = cuda::ToDevice(Cuda(), sampled);
    cuda::NarrowPositions(Cuda(), positions.span(), device_sampled.span(), narrow.data());
    EXPECT_EQ(Fetch(Cuda(), narrow), expected);
  }
}

/// Split finding stores each entry's node, and the rows move by it.
TEST_F(InterleavedTest, MovesByTheNodesOfEntries) {
  auto const level = MakeLevel({{700, 300, 5, 64}, 200, 3, 0.2, 0, false, 6});
  auto const layout = LayOut(level, false);
  auto entries = MakeDeviceLevel(Cuda(), layout, level.both_ways);
  auto const condition = MakeDeviceCondition(Cuda(), level, {});
  FindOnDevice(Cuda(), Phase::kInterleaved, level, &entries, condition);
  auto const* const node_of_entry = entries.workspace.NodeOfEntry(entries.chunk, 1);
  auto const found = cuda::ToHost(Cuda(), node_of_entry, static_cast<std::size_t>(layout.NumEntries()));
  auto const nodes = NarrowNodes(level);
  std::vector<cuda::NodeMove> const moves = {
      {3, 0.2F, 0, 0, 1}, {1, 0.0F, 0, 2, 3}, {-1, 0.0F, 0, -9, -9}, {3, level.EntriesOf(1, 3)[20].value, 0, ~10, 4}};
  auto const device_moves = cuda::ToDevice(Cuda(), moves);
  for (std::size_t feature = 0; feature < 3; ++feature) {
    SCOPED_TRACE(feature);
    auto const id = static_cast<std::int32_t>(IdOf(feature));
    auto expected = level.node_of_row;
    for (auto i = layout.feature_begin[feature]; i < layout.column_end[feature]; ++i) {
      auto const at = static_cast<std::size_t>(i);
      auto const node = nodes[layout.rows[at]];
      EXPECT_EQ(found[at], node) << "entry " << i;
      if (node == cuda::kInactive || moves[node].feature != id) continue;
      expected[layout.rows[at]] = layout.values[at] < moves[node].threshold ? moves[node].left : moves[node].right;
    }
    auto const next = cuda::ToDevice(Cuda(), level.node_of_row);
    cuda::MoveInterleaved(Cuda(), {layout.feature_begin[feature], layout.column_end[feature], id,
                                   entries.workspace.Region(0), node_of_entry, device_moves.data(), next.data()});
    EXPECT_EQ(Fetch(Cuda(), next), expected);
  }
}

}  // namespace
}  // namespace kauri::testing
