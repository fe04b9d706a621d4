/// The row-wise kernels of the exact builder against loops on the host.
#include "cuda/exact/entries/positions.h"

#include "exact/exact_fixture.h"

namespace kauri::testing {
namespace {

class PositionsTest : public DeviceTest {
 protected:
  /// Returns random moves: two of five nodes are not split, the others on one of `n_features` features.
  static std::vector<cuda::NodeMove> RandomMoves(std::int32_t n_nodes, std::uint32_t n_features, std::uint64_t seed) {
    Random random(seed);
    std::vector<cuda::NodeMove> moves;
    for (std::int32_t node = 0; node < n_nodes; ++node) {
      cuda::NodeMove move;
      move.left = move.right = ~node;
      if (random.Below(5) >= 2) {
        move.feature = static_cast<std::int32_t>(random.Below(n_features));
        move.threshold = random.Normal();
        move.default_left = static_cast<std::int32_t>(random.Below(2));
        move.left = 2 * node;
        move.right = random.Below(2) == 0 ? 2 * node + 1 : ~(2 * node + 1);
      }
      moves.push_back(move);
    }
    return moves;
  }

  static std::int32_t DefaultOf(cuda::NodeMove const& move) { return move.default_left != 0 ? move.left : move.right; }
};

TEST_F(PositionsTest, ByDefault) {
  for (auto const n_rows : {1, 31, 32, 33, 255, 257, 5000}) {
    SCOPED_TRACE(n_rows);
    auto const level = MakeLevel({{n_rows / 2, n_rows - n_rows / 2, 0, 3}, n_rows / 3, 1, 0.0, 0, false, 1});
    auto const moves = RandomMoves(level.n_nodes, 3, 2);
    auto expected = level.node_of_row;
    for (auto& node : expected) node = node < 0 ? node : DefaultOf(moves[node]);
    auto const current = cuda::ToDevice(Cuda(), level.node_of_row);
    auto const device_moves = cuda::ToDevice(Cuda(), moves);
    cuda::Buffer<std::int32_t> next(Cuda(), expected.size());
    cuda::MoveByDefault(Cuda(), current.span(), device_moves.data(), next.data());
    EXPECT_EQ(Fetch(Cuda(), next), expected);
  }
}

/// Returns the positions after moving the rows of nodes that split on `feature` by its column.
std::vector<std::int32_t> MovedByColumn(Level const& level, std::size_t feature,
                                        std::vector<cuda::NodeMove> const& moves, std::vector<std::int32_t> next) {
  for (auto const entry : level.columns[feature]) {
    auto const node = level.node_of_row[entry.row];
    if (node < 0 || moves[node].feature != static_cast<std::int32_t>(feature)) continue;
    auto const& move = moves[node];
    next[entry.row] = entry.value < move.threshold ? move.left : move.right;
  }
  return next;
}

TEST_F(PositionsTest, ByColumn) {
  auto const level = MakeLevel({{300, 40, 1, 200, 0}, 30, 3, 0.3, 0, false, 3});
  auto moves = RandomMoves(level.n_nodes, 3, 4);
  moves[0] = {1, 0.1F, 0, 0, 1};
  moves[1] = {1, level.EntriesOf(1, 1)[20].value, 0, 2, ~3};  // a value at the threshold goes right
  auto const device_moves = cuda::ToDevice(Cuda(), moves);
  auto const current = cuda::ToDevice(Cuda(), level.node_of_row);
  std::vector<std::int32_t> const before(level.node_of_row.size(), -77);
  for (std::size_t feature = 0; feature < 3; ++feature) {
    SCOPED_TRACE(feature);
    auto const layout = LayOut(level, false);
    auto const entries = MakeDeviceLevel(Cuda(), layout, level.both_ways);
    auto const begin = layout.feature_begin[feature];
    auto const next = cuda::ToDevice(Cuda(), before);
    cuda::MoveByColumn(Cuda(), {entries.workspace.rows.data() + begin, entries.workspace.values.data() + begin,
                                layout.column_end[feature] - begin, static_cast<std::int32_t>(feature), current.data(),
                                device_moves.data(), next.data()});
    EXPECT_EQ(Fetch(Cuda(), next), MovedByColumn(level, feature, moves, before));
  }
}

/// A node's winner is the place of a feature within the chunk: here the moves' features themselves.
TEST_F(PositionsTest, BySegments) {
  for (auto const n_nodes : {1U, 5U, 300U}) {
    SCOPED_TRACE(n_nodes);
    std::vector<std::int64_t> sizes(n_nodes, 10);
    sizes[0] = 20000;
    auto const level = MakeLevel({sizes, 30, 3, 0.3, 0, false, 5});
    auto moves = RandomMoves(level.n_nodes, 3, 6);
    moves[0] = {1, level.EntriesOf(1, 0)[9000].value, 0, 2, ~3};  // a value at the threshold goes right
    std::vector<std::int32_t> winners;
    for (auto const& move : moves) winners.push_back(move.feature == 2 ? -1 : move.feature);  // 2: in another chunk
    std::vector<std::int32_t> const before(level.node_of_row.size(), -77);
    auto expected = MovedByColumn(level, 0, moves, before);
    expected = MovedByColumn(level, 1, moves, expected);
    auto const entries = MakeDeviceLevel(Cuda(), LayOut(level, true), level.both_ways);
    auto const next = cuda::ToDevice(Cuda(), before);
    auto const device_moves = cuda::ToDevice(Cuda(), moves);
    auto const device_winners = cuda::ToDevice(Cuda(), winners);
    cuda::MoveBySegments(Cuda(), entries.chunk.Table(), entries.workspace.Region(0), device_winners.data(),
                         device_moves.data(), next.data());
    EXPECT_EQ(Fetch(Cuda(), next), expected);
  }
}

/// There are more nodes than a grid has rows of blocks.
TEST_F(PositionsTest, BySegmentsOfVeryManyNodes) {
  constexpr std::int32_t kNodes = 65535 + 20;
  std::vector<std::int64_t> begin;
  std::vector<std::uint32_t> rows;
  std::vector<cuda::NodeMove> moves;
  std::vector<std::int32_t> expected;
  for (std::int32_t node = 0; node < kNodes; ++node) {  // one row each
    begin.push_back(node);
    rows.push_back(static_cast<std::uint32_t>(node));
    moves.push_back({0, node % 3 == 0 ? 1.0F : 0.0F, 0, 2 * node, 2 * node + 1});
    expected.push_back(node % 3 == 0 ? 2 * node : 2 * node + 1);
  }
  begin.insert(begin.end(), 2, kNodes);
  auto const device_begin = cuda::ToDevice(Cuda(), begin);
  auto const device_rows = cuda::ToDevice(Cuda(), rows);
  auto const values = cuda::ToDevice(Cuda(), std::vector<float>(rows.size(), 0.5F));
  auto const device_moves = cuda::ToDevice(Cuda(), moves);
  auto const winners = cuda::ToDevice(Cuda(), std::vector<std::int32_t>(rows.size(), 0));
  auto const next = cuda::ToDevice(Cuda(), std::vector<std::int32_t>(rows.size(), -77));
  cuda::MoveBySegments(Cuda(), {device_begin.data(), nullptr, 1, kNodes}, {device_rows.data(), values.data(), nullptr},
                       winners.data(), device_moves.data(), next.data());
  EXPECT_EQ(Fetch(Cuda(), next), expected);
}

std::vector<std::uint32_t> Bits(std::size_t n, std::function<bool(std::size_t)> const& bit) {
  std::vector<std::uint32_t> words((n + 31) / 32);
  for (std::size_t i = 0; i < n; ++i) words[i / 32] |= bit(i) ? std::uint32_t{1} << (i % 32) : 0U;
  return words;
}

TEST_F(PositionsTest, LeftRowsAndSampledRows) {
  for (auto const n_rows : {1, 31, 32, 33, 255, 256, 257, 4000}) {
    SCOPED_TRACE(n_rows);
    auto const level = MakeLevel({{n_rows, 0, n_rows / 2}, n_rows / 3, 1, 0.0, 0, false, 7});
    std::vector<cuda::NodeMove> const moves = {{0, 0.0F, 0, 0, 1}, {-1, 0.0F, 0, -5, -5}, {0, 0.0F, 1, ~7, 2}};
    Random random(8);
    auto next = level.node_of_row;
    for (auto& node : next) {
      if (node < 0) continue;
      auto const& move = moves[node];
      node = random.Below(2) == 0 ? move.left : move.right;
    }
    auto const is_left = [&](std::size_t row) {
      auto const node = level.node_of_row[row];
      return node >= 0 && next[row] == moves[node].left;
    };
    auto const current = cuda::ToDevice(Cuda(), level.node_of_row);
    auto const device_next = cuda::ToDevice(Cuda(), next);
    auto const device_moves = cuda::ToDevice(Cuda(), moves);
    auto const expected = Bits(next.size(), is_left);
    cuda::Buffer<std::uint32_t> bits(Cuda(), expected.size());
    cuda::MarkLeftRows(Cuda(), current.span(), device_next.data(), device_moves.data(), bits.data());
    EXPECT_EQ(Fetch(Cuda(), bits), expected);

    std::vector<std::uint8_t> sampled;
    for (std::size_t row = 0; row < next.size(); ++row) sampled.push_back(random.Below(3) == 0 ? 0 : 1);
    auto const device_sampled = cuda::ToDevice(Cuda(), sampled);
    cuda::MarkSampled(Cuda(), device_sampled.span(), bits.data());
    EXPECT_EQ(Fetch(Cuda(), bits), Bits(next.size(), [&](std::size_t row) { return sampled[row] != 0; }));
  }
}

TEST_F(PositionsTest, LeavesAfterPruning) {
  for (auto const n_rows : {1U, 255U, 257U, 3000U}) {
    std::vector<std::int32_t> const new_id = {0, 1, 1, 2, 7};
    std::vector<std::int32_t> positions;
    std::vector<std::int32_t> expected;
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      positions.push_back(~static_cast<std::int32_t>(row % 5));
      expected.push_back(new_id[row % 5]);
    }
    auto const on_device = cuda::ToDevice(Cuda(), positions);
    auto const device_ids = cuda::ToDevice(Cuda(), new_id);
    cuda::FinishLeaves(Cuda(), on_device.span(), device_ids.data());
    EXPECT_EQ(Fetch(Cuda(), on_device), expected);
    auto const unpruned = cuda::ToDevice(Cuda(), positions);
    cuda::FinishLeaves(Cuda(), unpruned.span(), nullptr);
    for (auto& position : positions) position = ~position;
    EXPECT_EQ(Fetch(Cuda(), unpruned), positions);
  }
}

TEST_F(PositionsTest, FirstPositions) {
  for (auto const n_rows : {1, 31, 32, 33, 255, 257, 300000}) {
    SCOPED_TRACE(n_rows);
    cuda::Buffer<std::int32_t> positions(Cuda(), static_cast<std::size_t>(n_rows));
    cuda::FillPositions(Cuda(), ~3, positions.span());
    EXPECT_EQ(Fetch(Cuda(), positions), std::vector<std::int32_t>(static_cast<std::size_t>(n_rows), ~3));
  }
}

}  // namespace
}  // namespace kauri::testing
