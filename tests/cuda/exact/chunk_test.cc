/// Columns in the layout of the device: chunks of columns, and the sums of their pieces.
#include "cuda/exact/chunk.h"

#include <numeric>

#include "exact/exact_fixture.h"

namespace kauri::testing {
namespace {

class ChunkTest : public DeviceTest {
 protected:
  cuda::DeviceColumns MakeColumns(Level const& level) const {
    cuda::DeviceColumns columns;
    columns.n_rows = static_cast<std::int64_t>(level.pairs.size());
    columns.column_ptr = {0};
    columns.both_ways = level.both_ways;
    std::vector<std::uint32_t> rows;
    std::vector<float> values;
    for (auto const& column : level.columns) {
      for (auto const entry : column) {
        rows.push_back(entry.row);
        values.push_back(entry.value);
      }
      columns.column_ptr.push_back(static_cast<std::int64_t>(rows.size()));
    }
    columns.rows = cuda::ToDevice(Cuda(), rows);
    columns.values = cuda::ToDevice(Cuda(), values);
    return columns;
  }

  void ExpectPieceSums(Layout const& layout, cuda::Chunk const& chunk) const {
    EXPECT_EQ(Fetch(Cuda(), chunk.tile_segments), TileSegments(layout.segments));
    auto const sums = Fetch(Cuda(), chunk.piece_sums);
    for (auto const& piece : LivePieces(layout.segments, layout.n_nodes)) {
      FixedSum sum;
      for (auto i = piece.begin; i < piece.end; ++i) sum += layout.pairs[i];
      EXPECT_TRUE(sums[piece.Number()] == sum) << "tile " << piece.tile << ", segment " << piece.segment;
    }
  }

  void ExpectEntries(Layout const& layout, cuda::ExactWorkspace const& workspace) const {
    auto const rows = Fetch(Cuda(), workspace.rows);
    auto const values = Fetch(Cuda(), workspace.values);
    auto const pairs = Fetch(Cuda(), workspace.pairs);
    for (auto const& piece : LivePieces(layout.segments, layout.n_nodes)) {
      for (auto i = static_cast<std::size_t>(piece.begin); i < static_cast<std::size_t>(piece.end); ++i) {
        ASSERT_EQ(rows[i], layout.rows[i]) << "entry " << i;
        ASSERT_EQ(values[i], layout.values[i]) << "entry " << i;
        ASSERT_EQ(pairs[i].gradient, layout.pairs[i].gradient) << "entry " << i;
        ASSERT_EQ(pairs[i].hessian, layout.pairs[i].hessian) << "entry " << i;
      }
    }
  }
};

TEST_F(ChunkTest, OfSomeFeatures) {
  for (auto const n_rows : {1, 15, 16, 17, 511, 512, 513, 3000}) {
    SCOPED_TRACE(n_rows);
    auto const level = MakeLevel({{n_rows}, 0, 6, 0.1, 5, false, 1});
    auto lacking = level;
    lacking.columns[4].clear();
    lacking.SortColumns();
    auto const columns = MakeColumns(lacking);
    auto chosen = lacking;  // features 0, 2 and 5; feature 4 has no values
    chosen.columns = {lacking.columns[0], lacking.columns[2], lacking.columns[5]};
    chosen.SortColumns();
    if (chosen.columns[0].empty() || chosen.columns[1].empty() || chosen.columns[2].empty()) continue;
    auto const layout = LayOut(chosen, false);
    cuda::ExactWorkspace workspace;
    cuda::MakeChunks(Cuda(), columns, {0, 2, 4, 5}, &workspace);
    ASSERT_EQ(workspace.chunks.size(), 1U);
    auto& chunk = workspace.chunks[0];
    EXPECT_EQ(chunk.features, (std::vector<std::int32_t>{0, 2, 5}));
    EXPECT_EQ(chunk.n_entries, layout.NumEntries());
    auto const pairs = cuda::ToDevice(Cuda(), lacking.pairs);
    cuda::FillChunk(Cuda(), columns, pairs.span(), workspace, &chunk);
    EXPECT_EQ(Fetch(Cuda(), chunk.feature_ids), chunk.features);
    EXPECT_EQ(Fetch(Cuda(), chunk.both_ways), chosen.both_ways);
    EXPECT_EQ(Fetch(Cuda(), chunk.feature_begin), layout.feature_begin);
    EXPECT_EQ(chunk.begin, layout.feature_begin);
    EXPECT_EQ(chunk.end, layout.column_end);
    EXPECT_EQ(Fetch(Cuda(), chunk.column_end), layout.column_end);
    EXPECT_EQ(Fetch(Cuda(), chunk.first_tile), layout.first_tile);
    EXPECT_EQ(chunk.n_column_tiles, layout.first_tile.back());
    EXPECT_EQ(Fetch(Cuda(), chunk.segments), layout.segments);
    EXPECT_EQ(chunk.n_nodes, 1);
    ExpectEntries(layout, workspace);
    ExpectPieceSums(layout, chunk);
  }
}

/// The next tree has other columns, then the same again.
TEST_F(ChunkTest, FromTreeToTree) {
  auto const level = MakeLevel({{700}, 0, 4, 0.1, 0, false, 2});
  auto const columns = MakeColumns(level);
  cuda::ExactWorkspace workspace;
  for (auto const& features : {std::vector<std::uint32_t>{1, 3}, {0, 1, 2}, {0, 1, 2}}) {
    SCOPED_TRACE(features.size());
    auto chosen = level;
    chosen.columns.clear();
    for (auto const feature : features) chosen.columns.push_back(level.columns[feature]);
    auto const layout = LayOut(chosen, false);
    cuda::MakeChunks(Cuda(), columns, features, &workspace);
    ASSERT_EQ(workspace.chunks.size(), 1U);
    auto& chunk = workspace.chunks[0];
    EXPECT_EQ(chunk.region, 0);
    EXPECT_EQ(workspace.region_size, static_cast<std::int64_t>(layout.rows.size()));
    auto const pairs = cuda::ToDevice(Cuda(), level.pairs);
    cuda::FillChunk(Cuda(), columns, pairs.span(), workspace, &chunk);
    EXPECT_EQ(chunk.n_nodes, 1);
    EXPECT_EQ(cuda::ToHost(Cuda(), chunk.segments.data(), layout.segments.size()), layout.segments);
    ExpectEntries(layout, workspace);
    chunk.region = 1;  // the state that a partition leaves
    chunk.n_nodes = 9;
    cuda::FillZero(Cuda(), chunk.segments.data(), chunk.segments.size());
  }
}

TEST(PlanChunksTest, NothingToSplitOn) { EXPECT_TRUE(cuda::PlanChunks({0, 0}, {0, 1}).empty()); }

/// Few entries give one chunk, even if most of their room is padding.
TEST(PlanChunksTest, ManyShortColumns) {
  std::vector<std::uint32_t> features(100);
  std::iota(features.begin(), features.end(), 0U);
  auto const plans = cuda::PlanChunks(std::vector<std::int64_t>(100, 3), features);
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].n_entries, 100 * cuda::kEntryAlignment);
  EXPECT_EQ(plans[0].features.size(), features.size());
}

/// Every column is in one chunk, in order, with its room. There are no more chunks than allowed, and little spare room.
TEST(PlanChunksTest, ManyEntries) {
  Random random(3);
  for (auto const rows : {std::uint32_t{1} << 16, std::uint32_t{1} << 23, std::uint32_t{1} << 27}) {
    SCOPED_TRACE(rows);
    std::vector<std::int64_t> sizes;
    std::vector<std::uint32_t> features;
    for (std::uint32_t feature = 0; feature < 60; ++feature) {
      sizes.push_back(feature % 7 == 0 ? 0 : random.Below(rows) + 1);
      if (feature % 5 != 0) features.push_back(feature);
    }
    auto const plans = cuda::PlanChunks(sizes, features);
    EXPECT_LE(static_cast<std::int64_t>(plans.size()), cuda::kMostChunks);
    EXPECT_EQ(plans.size() > 1, rows > std::uint32_t{1} << 16);
    std::vector<std::int32_t> planned;
    std::int64_t total = 0;
    for (auto const& plan : plans) {
      std::int64_t n_entries = 0;
      for (auto const feature : plan.features) {
        planned.push_back(feature);
        n_entries += RoundUp(sizes[feature], cuda::kEntryAlignment);
      }
      EXPECT_EQ(plan.n_entries, n_entries);
      total += n_entries;
    }
    std::vector<std::int32_t> expected;
    for (auto const feature : features) {
      if (sizes[feature] > 0) expected.push_back(static_cast<std::int32_t>(feature));
    }
    EXPECT_EQ(planned, expected);
    for (auto const& plan : plans) {
      EXPECT_LE(plan.n_entries, total / static_cast<std::int64_t>(plans.size()) + 2 * static_cast<std::int64_t>(rows));
    }
  }
}

TEST_F(ChunkTest, SumsOfPieces) {
  for (auto const n_features : {1, 4}) {
    for (auto const n_finished : {0, 40, 3000}) {
      SCOPED_TRACE(::testing::Message() << n_features << " features, " << n_finished << " finished rows");
      auto const level =
          MakeLevel({{1, 31, 32, 33, 511, 512, 513, 2100, 0, 0, 5, 1024}, n_finished, n_features, 0.1, 0, false, 3});
      auto const layout = LayOut(level, true);
      auto on_device = MakeDeviceLevel(Cuda(), layout, level.both_ways);
      cuda::SumSegments(Cuda(), on_device.workspace, &on_device.chunk);
      ExpectPieceSums(layout, on_device.chunk);
    }
  }
}

}  // namespace
}  // namespace kauri::testing
