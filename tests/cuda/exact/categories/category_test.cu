/// Sums by category, the best splits of nodes on categories and the moves of their rows against the CPU's search.
#include <cmath>

#include "cuda/exact/categories/category_columns.h"
#include "cuda/exact/categories/category_sums.h"
#include "exact/categories/exact_category_fixture.h"

namespace kauri::testing {
namespace {

constexpr double kFloor = kMinLossChange / 2.0;

/// Returns the level's categories and codes on the device.
cuda::DeviceCategories MakeCategories(cuda::CudaContext const& cuda, CategoryLevel const& level) {
  cuda::DeviceCategories categories;
  categories.n_rows = level.spec.n_rows;
  categories.lists.resize(level.NumIds());
  categories.column_of.assign(level.NumIds(), -1);
  for (std::size_t feature = 0; feature < level.NumFeatures(); ++feature) {
    categories.lists[level.IdOf(feature)] = level.ListOf(feature);
    categories.column_of[level.IdOf(feature)] = static_cast<std::int32_t>(feature);
  }
  categories.codes = cuda::ToDevice(cuda, level.codes);
  return categories;
}

std::vector<std::uint32_t> AllIds(CategoryLevel const& level) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < level.NumIds(); ++id) ids.push_back(id);
  return ids;
}

struct Answer {
  std::vector<SplitCandidate> best;               ///< [n_nodes]
  std::vector<std::vector<std::int32_t>> rights;  ///< [n_nodes]; empty without a split
};

/// allowed: [n_nodes, n_ids] or empty. before: [n_nodes], best splits on other features.
struct CategoryCondition {
  CategoryRules rules;
  std::vector<std::uint8_t> allowed;
  std::vector<SplitCandidate> before;
};

cuda::NodeTotals TotalsOf(CategoryLevel const& level, std::int32_t node) {
  auto const sum = level.TotalOf(node);
  return {sum, NodeGain(sum, level.param, {}), {}};
}

Answer ByHost(CategoryLevel const& level, CategoryCondition const& condition) {
  Answer answer;
  for (std::int32_t node = 0; node < level.spec.n_nodes; ++node) {
    auto const at = static_cast<std::size_t>(node);
    auto best = condition.before[at];
    std::vector<std::int32_t> right;
    for (std::size_t feature = 0; feature < level.NumFeatures(); ++feature) {
      auto const id = level.IdOf(feature);
      if (!condition.allowed.empty() && condition.allowed[at * level.NumIds() + id] == 0) continue;
      auto entries = level.EntriesOf(feature, node);
      auto const totals = TotalsOf(level, node);
      CategoryNode const in_node{id, level.spec.n_categories[feature], totals.sum, totals.gain, totals.bounds};
      auto const found =
          FindCategorySplit(level.param, condition.rules, in_node, std::nextafter(kFloor, 0.0), &entries);
      if (!IsBetter(found, best)) continue;
      best = found;
      entries = level.EntriesOf(feature, node);
      right = RightCategories(level.param, condition.rules, level.ListOf(feature), found, &entries);
    }
    answer.best.push_back(best);
    answer.rights.push_back(right);
  }
  return answer;
}

class CategoryTest : public DeviceTest {
 protected:
  Answer ByDevice(CategoryLevel const& level, CategoryCondition const& condition, cuda::CategoryColumns* columns,
                  cuda::DeviceCategories const& categories) const {
    EXPECT_EQ(columns->Start(Cuda(), categories, condition.rules, AllIds(level)).size(), level.NumFeatures() + 1);
    std::vector<cuda::NodeTotals> totals;
    for (std::int32_t node = 0; node < level.spec.n_nodes; ++node) totals.push_back(TotalsOf(level, node));
    auto const nodes = cuda::ToDevice(Cuda(), totals);
    auto const allowed = cuda::ToDevice(Cuda(), condition.allowed);
    auto const floors = cuda::ToDevice(Cuda(), std::vector<double>(totals.size(), kFloor));
    auto const positions = cuda::ToDevice(Cuda(), level.positions);
    auto const pairs = cuda::ToDevice(Cuda(), level.pairs);
    auto const best = cuda::ToDevice(Cuda(), condition.before);
    cuda::SplitTask task;
    task.table.n_nodes = level.spec.n_nodes;
    task.param = level.param;
    task.nodes = nodes.data();
    task.allowed = allowed.data();
    task.n_all_features = static_cast<std::int32_t>(level.NumIds());
    task.floors = floors.data();
    columns->Find(Cuda(), task, positions.data(), pairs.data(), best.data());
    Answer answer;
    answer.best = Fetch(Cuda(), best);
    for (std::size_t node = 0; node < answer.best.size(); ++node) {
      auto const& split = answer.best[node];
      auto const is_split = split.IsValid() && split.feature < level.NumIds();
      answer.rights.push_back(is_split ? columns->RightOf(static_cast<std::int64_t>(node), split)
                                       : std::vector<std::int32_t>());
    }
    return answer;
  }

  void Compare(CategoryLevel const& level, CategoryCondition condition, std::int64_t cells_per_slice) const {
    if (condition.before.empty()) condition.before.resize(level.spec.n_nodes);
    auto const categories = MakeCategories(Cuda(), level);
    cuda::CategoryColumns columns(cells_per_slice);
    auto const expected = ByHost(level, condition);
    for (int run = 0; run < 2; ++run) {
      auto const found = ByDevice(level, condition, &columns, categories);
      for (std::size_t node = 0; node < expected.best.size(); ++node) {
        SCOPED_TRACE("node " + std::to_string(node));
        auto const& a = expected.best[node];
        auto const& b = found.best[node];
        ASSERT_EQ(a.IsValid(), b.IsValid());
        if (!a.IsValid()) continue;
        EXPECT_EQ(a.feature, b.feature);
        EXPECT_EQ(a.loss_change, b.loss_change);
        EXPECT_EQ(a.threshold, b.threshold);
        EXPECT_EQ(a.default_left, b.default_left);
        EXPECT_TRUE(a.left == b.left && a.right == b.right);
        EXPECT_EQ(expected.rights[node], found.rights[node]);
      }
    }
  }
};

TEST_F(CategoryTest, SumsOfSlices) {
  for (auto const n_rows : {1, 31, 255, 8192, 8193, 30000}) {
    for (auto const& sizes : std::vector<std::vector<std::int32_t>>{{2}, {300, 1, 2000}, {40, 40, 40, 40}}) {
      SCOPED_TRACE(n_rows);
      auto const level = MakeCategoryLevel({sizes, n_rows, 7, 0.2, false, 3});
      auto const categories = MakeCategories(Cuda(), level);
      std::vector<cuda::CategoryFeature> features;
      std::vector<std::int64_t> first_cells;
      std::int64_t n_cells = 0;
      for (std::size_t feature = 0; feature < sizes.size(); ++feature) {
        auto const place = static_cast<std::int32_t>(feature);
        features.push_back({n_cells, sizes[feature], place, place, false});
        first_cells.push_back(n_cells);
        n_cells += sizes[feature];
      }
      auto const device_features = cuda::ToDevice(Cuda(), features);
      auto const device_cells = cuda::ToDevice(Cuda(), first_cells);
      auto const positions = cuda::ToDevice(Cuda(), level.positions);
      auto const pairs = cuda::ToDevice(Cuda(), level.pairs);
      cuda::CategoryTable const table{device_features.data(),
                                      device_cells.data(),
                                      static_cast<std::int32_t>(sizes.size()),
                                      n_cells,
                                      categories.codes.data(),
                                      n_rows};
      for (cuda::CategorySlice const slice : {cuda::CategorySlice{0, 7}, {2, 3}, {6, 1}}) {
        cuda::Buffer<FixedSum> sums(Cuda(), static_cast<std::size_t>(slice.n_nodes * n_cells));
        cuda::AddByCategory(Cuda(), table, slice, positions.data(), pairs.data(), sums.data());
        std::vector<FixedSum> expected;
        for (std::int32_t node = slice.first; node < slice.first + slice.n_nodes; ++node) {
          for (std::size_t feature = 0; feature < sizes.size(); ++feature) {
            auto const of_feature = level.SumsOf(feature, node);
            expected.insert(expected.end(), of_feature.begin(), of_feature.end());
          }
        }
        auto const found = Fetch(Cuda(), sums);
        for (std::size_t i = 0; i < found.size(); ++i) ASSERT_TRUE(found[i] == expected[i]) << "cell " << i;
      }
    }
  }
}

/// Shared memory adds parts of 32 bits. All rows are in one cell, with the largest magnitude.
TEST_F(CategoryTest, SumsOfTheLargestNumbers) {
  auto level = MakeCategoryLevel({{1}, 40000, 1, 0.0, false, 5});
  auto const largest = (1 << 30) - 1;
  for (auto& pair : level.pairs) pair = {-largest, largest};
  Compare(level, {}, cuda::kCellsPerSlice);
  level.spec.n_categories = {2};
  for (std::size_t row = 0; row < level.pairs.size(); ++row) {
    level.codes[row] = 1 + row % 2;
    if (row % 2 == 0) level.pairs[row].gradient = largest;
  }
  Compare(level, {{4, 64}, {}, {}}, cuda::kCellsPerSlice);
}

TEST_F(CategoryTest, BestSplitsOfRandomLevels) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    CategorySpec spec;
    for (auto n = 1 + random.Below(5); n > 0; --n) {
      spec.n_categories.push_back(1 + static_cast<std::int32_t>(random.Below(random.Below(2) == 0 ? 6 : 300)));
    }
    spec.n_rows = 1 + static_cast<std::int64_t>(random.Below(4000));
    spec.n_nodes = 1 + static_cast<std::int32_t>(random.Below(20));
    spec.missing = random.Below(2) == 0 ? 0.0 : 0.3;
    spec.coarse_pairs = random.Below(2) == 0;
    spec.seed = seed;
    auto const level = MakeCategoryLevel(spec);
    CategoryCondition condition;
    condition.rules.max_onehot = static_cast<std::int32_t>(1 + random.Below(10));
    condition.rules.max_partition = random.Below(2) == 0 ? 64 : 1 + static_cast<std::int32_t>(random.Below(200));
    if (random.Below(2) == 0) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(spec.n_nodes) * level.NumIds(); ++i) {
        condition.allowed.push_back(static_cast<std::uint8_t>(random.Below(2)));
      }
    }
    Compare(level, condition, random.Below(2) == 0 ? 700 : cuda::kCellsPerSlice);
  }
}

TEST_F(CategoryTest, OneHotAlone) {
  Compare(MakeCategoryLevel({{2, 3, 1}, 5000, 9, 0.1, true, 6}), {{4, 64}, {}, {}}, 20);
  Compare(MakeCategoryLevel({{100}, 5000, 3, 0.1, true, 7}), {{101, 64}, {}, {}}, cuda::kCellsPerSlice);
}

TEST_F(CategoryTest, ManyCategoriesOfFewRows) {
  Compare(MakeCategoryLevel({{5000, 3}, 20000, 5, 0.1, false, 8}), {{4, 64}, {}, {}}, cuda::kCellsPerSlice);
  Compare(MakeCategoryLevel({{5000, 70000}, 3000, 4, 0.1, true, 9}), {{4, 100000}, {}, {}}, 100000);
}

/// A better split on a number is kept, and a tie goes to the lower feature.
TEST_F(CategoryTest, OtherFeaturesWereThereBefore) {
  auto const level = MakeCategoryLevel({{10, 4}, 3000, 4, 0.1, false, 10});
  CategoryCondition condition;
  condition.before.resize(4);
  auto const own = ByHost(level, condition).best;
  for (std::size_t node = 0; node < own.size(); ++node) {
    ASSERT_TRUE(own[node].IsValid());
    auto const loss_change = node == 1 ? 0.5 * own[node].loss_change : node == 3 ? 1e9 : own[node].loss_change;
    condition.before[node] = {loss_change, node == 0 ? 0U : 1000U, 0.5F, true, {}, {}};
  }
  Compare(level, condition, cuda::kCellsPerSlice);
  auto const features = ByHost(level, condition).best;
  EXPECT_EQ(features[0].feature, 0U);
  EXPECT_EQ(features[1].feature, own[1].feature);
  EXPECT_EQ(features[2].feature, own[2].feature);
  EXPECT_EQ(features[3].feature, 1000U);
}

TEST_F(CategoryTest, RowsMoveByTheirCategories) {
  for (auto const n_rows : {1, 32, 257, 5000}) {
    SCOPED_TRACE(n_rows);
    auto const level = MakeCategoryLevel({{3, 100}, n_rows, 6, 0.2, false, 11});
    auto const categories = MakeCategories(Cuda(), level);
    cuda::CategoryColumns columns;
    CategoryCondition condition;
    condition.before.resize(6);
    auto const answer = ByDevice(level, condition, &columns, categories);
    std::vector<cuda::NodeMove> moves;
    for (std::int32_t node = 0; node < 6; ++node) {
      auto const& split = answer.best[node];
      cuda::NodeMove move{-1, 0.0F, 0, ~node, ~node};
      if (split.IsValid()) move = {static_cast<std::int32_t>(split.feature), 0.0F, 1, 2 * node, ~(2 * node + 1)};
      if (node == 4) move.feature = 0;  // a split on a number, for which another kernel moves rows
      moves.push_back(move);
    }
    std::vector<std::int32_t> expected(level.positions.size(), -77);
    for (std::size_t row = 0; row < expected.size(); ++row) {
      if (level.positions[row] < 0) continue;
      auto const node = static_cast<std::size_t>(level.positions[row]);
      if (moves[node].feature <= 0) continue;
      auto const feature = static_cast<std::size_t>(moves[node].feature / 2);
      auto const code = level.CodeOf(feature, row);
      if (code == 0) continue;
      auto const& right = answer.rights[node];
      auto const goes_right = std::binary_search(right.begin(), right.end(), level.ListOf(feature)[code - 1]);
      expected[row] = goes_right ? moves[node].right : moves[node].left;
    }
    auto const current = cuda::ToDevice(Cuda(), level.positions);
    auto const device_moves = cuda::ToDevice(Cuda(), moves);
    auto const device_columns = cuda::ToDevice(Cuda(), columns.ColumnsOf(moves));
    auto const next = cuda::ToDevice(Cuda(), std::vector<std::int32_t>(expected.size(), -77));
    cuda::MoveByCategory(Cuda(), current.span(), device_moves.data(), columns.Moves(device_columns.data()),
                         next.data());
    EXPECT_EQ(Fetch(Cuda(), next), expected);
  }
}

TEST_F(CategoryTest, ListsOfColumns) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  Random random(12);
  std::vector<float> values;
  for (int row = 0; row < 700; ++row) {
    auto const draw = static_cast<float>(random.Below(50));
    for (auto const value :
         {2.0F * draw, 65534.0F - draw, 65535.0F - draw, 100000.0F + 3.0F * draw, draw - 0.5F, nan}) {
      values.push_back(random.Below(5) == 0 ? nan : value);
    }
  }
  for (bool const sparse : {false, true}) {
    auto const data = MakeMatrix(values, 6, sparse);
    auto const columns = cuda::MakeDeviceColumns(Cuda(), DeviceTest::OnDevice(), *data);
    auto const lists = [&] { return cuda::ListCategories(Cuda(), DeviceTest::OnDevice(), *data, columns); };
    EXPECT_TRUE(lists().empty());
    data->MutableInfo()->feature_types = {"c", "c", "c", "c", "float", "c"};
    EXPECT_EQ(lists(), FillGaps(FindCategories(Context{}, *data)));
    EXPECT_EQ(lists()[1].size(), 65535U);
    EXPECT_EQ(lists()[2].size(), 50U);
    data->MutableInfo()->feature_types[4] = "c";
    EXPECT_NE(MessageOf(ErrorKind::kData, lists).find("of the categorical column 4 is "), std::string::npos);
  }
}

/// Codes are places in the lists, with gaps and without.
TEST_F(CategoryTest, CodesOfColumns) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto const data = MakeMatrix({0, 70000, 5, 2, nan, 6, nan, 9, 7, 2, 100000, 8}, 3, false);
  auto const columns = cuda::MakeDeviceColumns(Cuda(), DeviceTest::OnDevice(), *data);
  auto const categories = cuda::MakeDeviceCategories(Cuda(), columns, {{0, 1, 2}, {9, 70000, 100000}, {}});
  EXPECT_EQ(categories.column_of, (std::vector<std::int32_t>{0, 1, -1}));
  EXPECT_EQ(Fetch(Cuda(), categories.codes), (std::vector<std::uint32_t>{1, 3, 0, 3, 2, 0, 1, 3}));
}

}  // namespace
}  // namespace kauri::testing
