/// The partition of segments into their children against a stable partition on the host.
#include "cuda/exact/entries/partition.h"

#include "exact/exact_fixture.h"

namespace kauri::testing {
namespace {

/// The moves of the nodes of a level.
struct Moves {
  std::vector<cuda::NodeMove> of_node;
  std::vector<std::int32_t> parent_of_child;
  std::vector<std::uint32_t> goes_left;  ///< one bit per row

  std::int32_t NumChildren() const { return static_cast<std::int32_t>(parent_of_child.size()); }
  bool GoesLeft(std::uint32_t row) const { return (goes_left[row / 32] >> (row % 32) & 1U) != 0; }
};

/// active: per node a bit for its left child and a bit for its right one, where a clear bit is a leaf; 0: not split.
Moves MakeMoves(Level const& level, std::vector<unsigned> const& active, double share_left, std::uint64_t seed) {
  Random random(seed);
  Moves moves;
  std::int32_t next_id = 100;
  for (std::int32_t node = 0; node < level.n_nodes; ++node) {
    auto const bits = active[static_cast<std::size_t>(node) % active.size()];
    auto const add_child = [&](unsigned side) {
      if ((bits >> side & 1U) == 0) return ~next_id++;
      moves.parent_of_child.push_back(2 * node + static_cast<std::int32_t>(side));
      return moves.NumChildren() - 1;
    };
    cuda::NodeMove move;
    move.feature = bits == 0 ? -1 : 0;
    move.left = add_child(0);
    move.right = bits == 0 ? move.left : add_child(1);
    moves.of_node.push_back(move);
  }
  moves.goes_left.resize((level.pairs.size() + 31) / 32);
  for (std::size_t row = 0; row < level.pairs.size(); ++row) {
    if (random.Uniform() < share_left) moves.goes_left[row / 32] |= std::uint32_t{1} << (row % 32);
  }
  return moves;
}

/// Returns the children's segments. The entries of each keep the order that they had in the parent's segment.
Layout PartitionOnHost(Level const& level, Layout const& parents, Moves const& moves) {
  auto children = parents;  // unwritten parts stay
  children.n_nodes = moves.NumChildren();
  children.segments.clear();
  for (std::size_t feature = 0; feature < level.NumFeatures(); ++feature) {
    auto place = parents.feature_begin[feature];
    for (auto const child : moves.parent_of_child) {
      children.segments.push_back(place);
      for (auto const entry : level.EntriesOf(feature, child / 2)) {
        if (moves.GoesLeft(entry.row) != (child % 2 == 0)) continue;
        auto const at = static_cast<std::size_t>(place++);
        children.rows[at] = entry.row;
        children.values[at] = entry.value;
        children.pairs[at] = level.pairs[entry.row];
      }
    }
    children.segments.push_back(place);
  }
  children.segments.push_back(parents.NumEntries());
  return children;
}

class PartitionTest : public DeviceTest {
 protected:
  void Compare(Level const& level, Moves const& moves) const {
    auto const parents = LayOut(level, true);
    auto const children = PartitionOnHost(level, parents, moves);
    auto on_device = MakeDeviceLevel(Cuda(), parents, level.both_ways);
    auto& chunk = on_device.chunk;
    cuda::FindTileSegments(Cuda(), chunk.Table(), chunk.n_entries, chunk.tile_segments.data());
    EXPECT_EQ(Fetch(Cuda(), chunk.tile_segments), TileSegments(parents.segments));
    auto const device_moves = cuda::ToDevice(Cuda(), moves.of_node);
    auto const goes_left = cuda::ToDevice(Cuda(), moves.goes_left);
    auto const parent_of_child = cuda::ToDevice(Cuda(), moves.parent_of_child);
    chunk.next_segments.Reserve(Cuda(), children.segments.size());
    chunk.piece_sums.Reserve(Cuda(), chunk.NumPieces(moves.NumChildren()));
    cuda::PartitionTask task;
    task.table = chunk.Table();
    task.from = on_device.workspace.Region(0);
    task.to = on_device.workspace.Region(1);
    task.n_entries = chunk.n_entries;
    task.moves = device_moves.data();
    task.row_goes_left = goes_left.data();
    task.parent_of_child = parent_of_child.data();
    task.n_children = moves.NumChildren();
    task.feature_begin = chunk.feature_begin.data();
    cuda::Partition(Cuda(), task, on_device.workspace.ReservePartition(Cuda(), chunk),
                    {chunk.next_segments.data(), chunk.tile_segments.data(), chunk.piece_sums.data()});
    ExpectChildren(children, on_device);
  }

 private:
  void ExpectChildren(Layout const& children, DeviceLevel const& on_device) const {
    ASSERT_EQ(Fetch(Cuda(), on_device.chunk.next_segments), children.segments);
    EXPECT_EQ(Fetch(Cuda(), on_device.chunk.tile_segments), TileSegments(children.segments));
    auto const rows = Fetch(Cuda(), on_device.workspace.rows);
    auto const values = Fetch(Cuda(), on_device.workspace.values);
    auto const pairs = Fetch(Cuda(), on_device.workspace.pairs);
    auto const piece_sums = Fetch(Cuda(), on_device.chunk.piece_sums);
    auto const region = static_cast<std::size_t>(on_device.workspace.region_size);
    for (auto const& piece : LivePieces(children.segments, children.n_nodes)) {
      FixedSum sum;
      for (auto i = static_cast<std::size_t>(piece.begin); i < static_cast<std::size_t>(piece.end); ++i) {
        ASSERT_EQ(rows[region + i], children.rows[i]) << "entry " << i << " of segment " << piece.segment;
        ASSERT_EQ(values[region + i], children.values[i]) << "entry " << i;
        ASSERT_EQ(pairs[region + i].gradient, children.pairs[i].gradient) << "entry " << i;
        ASSERT_EQ(pairs[region + i].hessian, children.pairs[i].hessian) << "entry " << i;
        sum += children.pairs[i];
      }
      EXPECT_TRUE(piece_sums[piece.Number()] == sum) << "tile " << piece.tile << ", segment " << piece.segment;
    }
    for (std::size_t feature = 0; feature < children.NumFeatures(); ++feature) {  // dead entries are not touched
      auto const dead = (feature + 1) * static_cast<std::size_t>(children.n_nodes + 1) - 1;
      for (auto i = children.segments[dead]; i < children.segments[dead + 1]; ++i) {
        ASSERT_EQ(values[region + i], kPadding) << "dead entry " << i;
      }
    }
  }
};

std::vector<std::int64_t> EdgeSizes() { return {1, 31, 32, 33, 511, 512, 513, 2100, 0, 2, 0, 5000, 1, 1, 1}; }

TEST_F(PartitionTest, NodesOfEverySize) {
  for (auto const n_features : {1, 5}) {
    for (auto const share : {0.0, 0.03, 0.5, 1.0}) {
      SCOPED_TRACE(::testing::Message() << n_features << " features, " << share << " to the left");
      auto const level = MakeLevel({EdgeSizes(), 100, n_features, 0.1, 0, false, 1});
      Compare(level, MakeMoves(level, {3}, share, 2));
    }
  }
}

TEST_F(PartitionTest, LeavesAmongChildren) {
  std::vector<std::vector<unsigned>> const patterns = {{1}, {2}, {3, 0}, {0, 1, 2, 3}, {2, 2, 0}, {0, 0, 0, 1}};
  for (auto const& active : patterns) {
    SCOPED_TRACE(::testing::Message() << "first of " << active.size() << ": " << active[0]);
    auto const level = MakeLevel({EdgeSizes(), 0, 3, 0.2, 4, false, 3});
    Compare(level, MakeMoves(level, active, 0.4, 4));
  }
}

TEST_F(PartitionTest, SegmentsThatEndWithTiles) {
  using Sizes = std::vector<std::int64_t>;
  for (auto const& sizes :
       {Sizes{512}, Sizes{1024, 512}, Sizes{511, 1, 512}, Sizes{513, 511}, Sizes{0, 512, 0}, Sizes{16}, Sizes{15}}) {
    SCOPED_TRACE(::testing::Message() << "first of " << sizes.size() << ": " << sizes[0]);
    auto const level = MakeLevel({sizes, 0, 2, 0.0, 0, false, 5});
    for (auto const share : {0.0, 0.5, 1.0}) Compare(level, MakeMoves(level, {3}, share, 6));
  }
}

/// Tiles with rows of finished nodes only.
TEST_F(PartitionTest, DeadTiles) {
  auto const level = MakeLevel({{600, 20}, 0, 3, 0.0, 0, false, 7});
  auto moves = MakeMoves(level, {3}, 0.5, 8);
  auto smaller = level;
  for (std::size_t row = 0; row < smaller.node_of_row.size(); ++row) {
    if (row % 8 != 0) smaller.node_of_row[row] = kFinished;
  }
  Compare(smaller, moves);
  smaller.node_of_row.assign(smaller.node_of_row.size(), kFinished);
  Compare(smaller, moves);
}

TEST_F(PartitionTest, ManySegments) {
  std::vector<std::int64_t> sizes(700, 3);
  for (std::size_t node = 0; node < sizes.size(); node += 5) sizes[node] = static_cast<std::int64_t>(node % 4);
  sizes[300] = 20000;  // more tiles than a warp has lanes
  auto const level = MakeLevel({sizes, 40, 2, 0.1, 0, false, 9});
  Compare(level, MakeMoves(level, {3, 3, 1, 2, 0}, 0.5, 10));
}

TEST_F(PartitionTest, LongSegment) {
  auto const level = MakeLevel({{300000, 5000}, 100, 1, 0.0, 0, false, 11});
  Compare(level, MakeMoves(level, {3}, 0.3, 12));
}

}  // namespace
}  // namespace kauri::testing
