/// The parts of interventional contributions, each compared with another way to compute the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <numeric>

#include "predictor/interventional/background_tree.h"
#include "predictor/interventional/interventional_fixtures.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri {
namespace {

using testing::AllTrees;
using testing::ForestSpec;
using testing::MemoryView;
using testing::RandomModel;
using testing::RandomRows;

constexpr std::int64_t kPairStride = 72;  ///< room for the pairs of 12 features

constexpr double kScale = 1125899906842624.0;  ///< 2^50

std::vector<double> ValuesOf(std::vector<std::int64_t> const& sums) {
  std::vector<double> values;
  for (auto const sum : sums) values.push_back(static_cast<double>(sum) / kScale);
  return values;
}

/// Patterns of 40 background rows at a leaf with n features, each of weight 0.3.
struct LeafCase {
  explicit LeafCase(std::uint32_t n) : n_features(n), counts(std::size_t{1} << n, 0.0), all(std::size_t{1} << n) {
    testing::Random random(n);
    for (int i = 0; i < 40; ++i) background.push_back(random.Below(1U << n));
    for (auto const pattern : background) counts[pattern] += 0.3;
    std::iota(all.begin(), all.end(), 0U);
  }
  /// Computes the values by pairs of patterns, [2^n, 16].
  std::vector<double> Direct() const {
    DirectLeafBuilder builder(n_features);
    builder.Add({background.data()}, 40);
    std::vector<std::int64_t> sums(16 * all.size(), 0);
    ShapleyWeights const weights(n_features);
    AddDirect(builder.Finish(0.3), {all.data()}, static_cast<std::int64_t>(all.size()), weights.View(kScale),
              sums.data(), 16);
    return ValuesOf(sums);
  }
  /// Computes the values by tables of parts and, up to 8 features, of values.
  std::vector<std::vector<double>> FromTables() const {
    auto const rule = MakeLeafRule(n_features);
    std::vector<double> scratch(all.size() * ToSize(rule.n_points));
    std::vector<double> parts(2 * all.size());
    std::vector<std::vector<double>> results;
    for (auto const form : Forms()) {
      auto const table = hwy::AllocateAligned<std::int64_t>(8 * all.size());
      MakeLeafTable({rule, counts.data(), form, kScale, scratch.data(), parts.data(), table.get()});
      results.push_back(Add(form == LeafForm::kValues ? &AddValues : &AddParts, table.get()));
    }
    return results;
  }
  /// Computes the cells of pairs by pairs of patterns, [2^n, kPairStride].
  std::vector<double> DirectPairs(Semivalue semivalue) const {
    DirectLeafBuilder builder(n_features);
    builder.Add({background.data()}, 40);
    std::vector<std::int64_t> sums(kPairStride * all.size(), 0);
    ShapleyWeights const weights(n_features, semivalue);
    AddDirectPairs(builder.Finish(0.3), {all.data()}, static_cast<std::int64_t>(all.size()), weights.View(kScale),
                   sums.data(), kPairStride);
    return ValuesOf(sums);
  }
  /// Computes the same by tables of parts and, up to 8 features, of pairs.
  std::vector<std::vector<double>> PairsFromTables(Semivalue semivalue) const {
    auto const rule = MakeLeafRule(n_features, semivalue);
    std::vector<double> scratch(all.size() * ToSize(rule.n_points));
    std::vector<double> parts(5 * all.size());
    auto const values = hwy::AllocateAligned<std::int64_t>(8 * all.size());
    std::vector<std::vector<double>> results;
    for (auto const form : Forms()) {
      auto const width = form == LeafForm::kValues ? PairTableWidth(n_features) : 3;
      auto const pairs = hwy::AllocateAligned<std::int64_t>(ToSize(width) * all.size());
      MakeLeafTable({rule, counts.data(), form, kScale, scratch.data(), parts.data(), values.get(), pairs.get()});
      results.push_back(Add(form == LeafForm::kValues ? &AddPairValues : &AddPairParts, pairs.get(), kPairStride));
    }
    return results;
  }
  std::vector<double> Add(void (*add)(TableJob const&), std::int64_t const* table, std::int64_t stride = 16) const {
    auto const size = ToSize(stride) * all.size();
    auto const sums = hwy::AllocateAligned<std::int64_t>(size);
    std::fill(sums.get(), sums.get() + size, 0);
    add({n_features, table, all.data(), static_cast<std::int64_t>(all.size()), sums.get(), stride});
    return ValuesOf({sums.get(), sums.get() + size});
  }
  /// Returns the forms of a table that the leaf can have.
  std::vector<LeafForm> Forms() const {
    if (n_features > kMostValueFeatures) return {LeafForm::kParts};
    return {LeafForm::kParts, LeafForm::kValues};
  }

  std::uint32_t n_features;
  std::vector<double> counts;
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> background;
};

/// Tests every pattern of a row; positions beyond the last feature are not changed.
TEST(InterventionalParts, AllFormsAgree) {
  for (std::uint32_t n = 1; n <= 16; ++n) {
    LeafCase const leaf(n);
    auto const expected = leaf.Direct();
    for (auto const& sums : leaf.FromTables()) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_NEAR(sums[i], expected[i], 3e-14) << n << " features, pattern " << i / 16 << " position " << i % 16;
        ASSERT_EQ(sums[i] == 0.0, expected[i] == 0.0) << n << " features, pattern " << i / 16 << " position " << i % 16;
      }
    }
  }
}

/// Tests the pairs of every pattern of a row, for every semivalue.
TEST(InterventionalParts, FormsOfPairsAgree) {
  for (auto const semivalue : {Semivalue::kShapley, Semivalue::kBanzhaf, Semivalue::kTaylorPairs}) {
    for (std::uint32_t n = 2; n <= kMostPartFeatures; ++n) {
      LeafCase const leaf(n);
      auto const expected = leaf.DirectPairs(semivalue);
      auto const found = leaf.PairsFromTables(semivalue);
      EXPECT_EQ(found.front(), found.back()) << n << " features";
      for (auto const& sums : found) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
          ASSERT_NEAR(sums[i], expected[i], 1e-12) << n << " features, pattern " << i / kPairStride;
        }
      }
    }
  }
}

/// The state of a device thread, on the host.
struct HostLane {
  std::int32_t Key(std::uint32_t place) const { return keys[place]; }
  void Add(std::int64_t cell, std::int64_t units) { cells[ToSize(cell)] += units; }
  static std::uint32_t CountBits(std::uint64_t bits) {
    return static_cast<std::uint32_t>(std::bitset<64>(bits).count());
  }
  std::vector<std::int32_t> keys;
  std::vector<std::int64_t>& cells;
};

/// The cells of rows, computed as a device does, and the forest that they belong to.
struct RowCells {
  Forest forest;
  PathPairs pairs;
  double scale;
  std::vector<double> ranges;  ///< by output
  std::vector<double> means;
  std::vector<std::vector<std::int64_t>> rows;

  double Value(std::size_t row, std::int64_t output, std::int64_t cell) const {
    return static_cast<double>(rows[row][ToSize(cell)]) / scale * ranges[ToSize(output)];
  }
};

template <std::uint32_t kWidth, bool kPairs>
void AddItem(LaneLeaves const& leaves, LaneItem const& item, HostLane lane) {
  LeafLane<HostLane, kWidth, kPairs> adder(leaves, item, &lane);
  for (auto leaf = item.leaf_begin; leaf < item.leaf_end; ++leaf) adder.AddLeaf(leaves.leaves[leaf]);
}

RowCells CellsByLanes(Model const& model, MemoryView const& rows, MemoryView const& background, QuadratureGoal goal) {
  auto const forest = CompileForest({}, model, AllTrees(model));
  RowCells result{forest, FindPathPairs({}, forest, AllTrees(model)), 0.0, {}, {}, {}};
  KeyTiles const others({}, forest, background, 0, background.NumRows(), 64);
  KeyTiles const own({}, forest, rows, 0, rows.NumRows(), 16);
  auto const n_cells = ToSize(forest.n_outputs * forest.NumSlots() + result.pairs.NumPairs());
  result.rows.assign(ToSize(rows.NumRows()), std::vector<std::int64_t>(n_cells, 0));
  BackgroundBatches batches(forest, others, AllTrees(model), goal);
  while (batches.Next({})) {
    auto const batch = MakeLaneBatch(forest, batches, goal.with_pairs ? &result.pairs : nullptr);
    auto const tables = hwy::AllocateAligned<std::int64_t>(ToSize(batch.table_size) + 1);
    auto const pair_tables = hwy::AllocateAligned<std::int64_t>(ToSize(batch.pair_table_size) + 1);
    for (auto const& tree : batch.trees) {
      auto const& made = batches.Tree(tree.tree);
      std::copy_n(made.tables.Data(), tree.table_end - tree.table_begin, tables.get() + tree.table_begin);
      std::copy_n(made.pair_tables.Data(), tree.pair_end - tree.pair_begin, pair_tables.get() + tree.pair_begin);
    }
    LaneLeaves const leaves{batch.items.data(),         batch.leaves.data(),     batch.features.data(),
                            batch.slot_of_place.data(), batch.pair_cells.data(), tables.get(),
                            pair_tables.get(),          batch.patterns.data(),   batches.Weights(),
                            batches.Categories(),       forest.NumSlots()};
    result.scale = batches.Weights().scale;
    for (auto const& item : batch.items) {
      EXPECT_LE(item.n_places, kMostPlaces);
      EXPECT_EQ(batch.leaves[item.leaf_end - 1].n_open, 0U);
      for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
        HostLane lane{{}, result.rows[ToSize(row)]};
        for (std::uint32_t place = 0; place < item.n_places; ++place) {
          auto const slot = batch.slot_of_place[item.first_place + place];
          lane.keys.push_back(own.Tile(row / 16)[slot * 16 + row % 16]);
        }
        auto const is_narrow = batch.most_features <= 6 && row % 2 == 0;
        if (goal.with_pairs) {
          is_narrow ? AddItem<6, true>(leaves, item, lane) : AddItem<kMostPartFeatures, true>(leaves, item, lane);
        } else {
          is_narrow ? AddItem<6, false>(leaves, item, lane) : AddItem<kMostPartFeatures, false>(leaves, item, lane);
        }
      }
    }
  }
  result.means = batches.Means();
  result.ranges = batches.Ranges();
  return result;
}

/// Explains as a device does. Without starts.
std::vector<float> ExplainByLanes(Model const& model, MemoryView const& rows, MemoryView const& background,
                                  QuadratureGoal goal) {
  auto const cells = CellsByLanes(model, rows, background, goal);
  auto const& forest = cells.forest;
  auto const width = forest.n_features + 1;
  auto const size = goal.with_pairs ? width * width : width;
  std::vector<float> out(ToSize(rows.NumRows() * forest.n_outputs * size), 0.0F);
  for (std::int64_t line = 0; line < rows.NumRows() * forest.n_outputs; ++line) {
    auto const row = ToSize(line / forest.n_outputs);
    auto const output = line % forest.n_outputs;
    auto* const to = out.data() + line * size;
    to[size - 1] = static_cast<float>(cells.means[ToSize(output)] * cells.ranges[ToSize(output)]);
    for (std::int64_t a = 0; a < forest.NumSlots(); ++a) {
      auto value = cells.Value(row, output, output * forest.NumSlots() + a);
      auto const at_a = forest.feature_of_slot[ToSize(a)] * (goal.with_pairs ? width : 0);
      for (std::int64_t b = 0; b < forest.NumSlots() && goal.with_pairs; ++b) {
        auto const number =
            a == b ? -1 : cells.pairs.Number(output, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
        if (number < 0) continue;
        auto const pair = cells.Value(row, output, forest.n_outputs * forest.NumSlots() + number);
        if (goal.semivalue != Semivalue::kTaylorPairs) value -= pair;
        to[at_a + forest.feature_of_slot[ToSize(b)]] = static_cast<float>(pair);
      }
      to[at_a + forest.feature_of_slot[ToSize(a)]] = static_cast<float>(value);
    }
  }
  return out;
}

/// Returns what the CPU computes. Without starts.
std::vector<float> ExplainOnCpu(Model const& model, MemoryView const& rows, MemoryView const& background,
                                QuadratureGoal goal) {
  auto const forest = CompileForest({}, model, AllTrees(model));
  std::vector<float> const start(ToSize(forest.n_outputs), 0.0F);
  auto const width = forest.n_features + 1;
  std::vector<float> out(ToSize(rows.NumRows() * forest.n_outputs * width * (goal.with_pairs ? width : 1)));
  InterventionalValues(testing::Threads(2), {forest, rows, AllTrees(model), {start, {}}}, background, goal, out);
  return out;
}

/// The same bits, whatever the values, and whether leaves have tables of values, of parts or patterns.
TEST(InterventionalParts, LanesOfADevice) {
  ForestSpec spec;
  spec.n_features = 30;
  spec.depth = 15;
  spec.n_classes = 3;
  spec.n_trees = 3;
  spec.early_leaf = 0.3;
  spec.categorical = 0.2;
  ForestSpec repeats;
  repeats.n_features = 7;
  repeats.depth = 9;
  repeats.dart = true;
  for (auto const& model : {RandomModel(spec), RandomModel({}), RandomModel(repeats), testing::ChainModel(24, 24, 0.6F),
                            testing::ChainModel(64, 64, 0.6F)}) {
    auto const rows = RandomRows(20, model.n_features, 25);
    auto const background = RandomRows(90, model.n_features, 26);
    for (auto const semivalue : {Semivalue::kShapley, Semivalue::kBanzhaf, Semivalue::kTaylorPairs}) {
      for (auto const with_pairs : {false, true}) {
        if (with_pairs && model.n_features == kMostPlaces) continue;  // takes seconds
        QuadratureGoal const goal{semivalue, with_pairs};
        auto const values = ExplainByLanes(model, rows, background, goal);
        auto const expected = ExplainOnCpu(model, rows, background, goal);
        ASSERT_EQ(values.size(), expected.size());
        for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], expected[i]) << "number " << i;
      }
    }
  }
}

TEST(InterventionalParts, LanesHold64Features) {
  auto const model = testing::ChainModel(65, 65, 0.6F);
  auto const rows = RandomRows(2, 65, 27);
  auto const message = MessageOf(ErrorKind::kParameter, [&] { ExplainByLanes(model, rows, rows, {}); });
  EXPECT_NE(message.find("tree 0 has a path of 65. Use device=cpu"), std::string::npos) << message;
}

}  // namespace
}  // namespace kauri
