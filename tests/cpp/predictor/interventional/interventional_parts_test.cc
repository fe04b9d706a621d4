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
    std::vector<double> sums(16 * all.size(), 0.0);
    AddDirect(builder.Finish(0.3), {all.data()}, static_cast<std::int64_t>(all.size()), ShapleyWeights(n_features),
              sums.data(), 16);
    return sums;
  }
  /// Computes the values by tables of parts and, up to 8 features, of values.
  std::vector<std::vector<double>> FromTables() const {
    auto const rule = MakeLeafRule(n_features);
    auto const with_values = n_features <= kMostValueFeatures;
    std::vector<double> scratch(all.size() * ToSize(rule.n_points));
    std::vector<double> parts(2 * all.size());
    auto const values = hwy::AllocateAligned<double>(8 * all.size());
    MakeLeafTable({rule, counts.data(), scratch.data(), parts.data(), with_values ? values.get() : nullptr});
    std::vector<std::vector<double>> results{Add(&AddParts, parts.data())};
    if (with_values) results.push_back(Add(&AddValues, values.get()));
    return results;
  }
  /// Computes the cells of pairs by pairs of patterns, [2^n, kPairStride].
  std::vector<double> DirectPairs(Semivalue semivalue) const {
    DirectLeafBuilder builder(n_features);
    builder.Add({background.data()}, 40);
    std::vector<double> sums(kPairStride * all.size(), 0.0);
    AddDirectPairs(builder.Finish(0.3), {all.data()}, static_cast<std::int64_t>(all.size()),
                   ShapleyWeights(n_features, semivalue), sums.data(), kPairStride);
    return sums;
  }
  /// Computes the same by tables of parts and, up to 8 features, of pairs.
  std::vector<std::vector<double>> PairsFromTables(Semivalue semivalue) const {
    auto const rule = MakeLeafRule(n_features, semivalue);
    auto const with_values = n_features <= kMostValueFeatures;
    std::vector<double> scratch(all.size() * ToSize(rule.n_points));
    std::vector<double> parts(5 * all.size());
    auto const pairs = hwy::AllocateAligned<double>(ToSize(PairTableWidth(n_features)) * all.size());
    auto* const pair_parts = parts.data() + 2 * all.size();
    MakeLeafTable(
        {rule, counts.data(), scratch.data(), parts.data(), nullptr, pair_parts, with_values ? pairs.get() : nullptr});
    std::vector<std::vector<double>> results{Add(&AddPairParts, pair_parts, kPairStride)};
    if (with_values) results.push_back(Add(&AddPairValues, pairs.get(), kPairStride));
    return results;
  }
  std::vector<double> Add(void (*add)(TableJob const&), double const* table, std::int64_t stride = 16) const {
    auto const size = ToSize(stride) * all.size();
    auto const sums = hwy::AllocateAligned<double>(size);
    std::fill(sums.get(), sums.get() + size, 0.0);
    add({n_features, table, all.data(), static_cast<std::int64_t>(all.size()), sums.get(), stride});
    return {sums.get(), sums.get() + size};
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
      for (auto const& sums : leaf.PairsFromTables(semivalue)) {
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
  void Add(std::uint32_t place, double value) { sums[place] += value; }
  static std::uint32_t CountBits(std::uint64_t bits) {
    return static_cast<std::uint32_t>(std::bitset<64>(bits).count());
  }
  std::vector<std::int32_t> keys;
  std::vector<double> sums;
};

/// Explains as a device does: items of leaves, keys and sums by position. Without starts.
std::vector<float> ExplainByLanes(Model const& model, MemoryView const& rows, MemoryView const& background) {
  auto const forest = CompileForest({}, model, AllTrees(model));
  KeyTiles const others({}, forest, background, 0, background.NumRows(), 64);
  KeyTiles const own({}, forest, rows, 0, rows.NumRows(), 16);
  std::vector<double> phi(rows.NumRows() * OutputWidth(model, PredictKind::kContribution, AllTrees(model)));
  BackgroundBatches batches(forest, others, AllTrees(model));
  while (batches.Next({})) {
    auto const batch = MakeLaneBatch(forest, batches);
    std::vector<double> tables(batch.table_size);
    for (auto const& tree : batch.trees) {
      std::copy_n(batches.Tree(tree.tree).tables.Data(), tree.table_end - tree.table_begin,
                  tables.begin() + tree.table_begin);
    }
    LaneLeaves const leaves{
        batch.items.data(),  batch.leaves.data(),   batch.features.data(),          batch.slot_of_place.data(),
        tables.data(),       batch.patterns.data(), batches.Weights().All().data(), batches.Weights().Size(),
        batches.Categories()};
    for (auto const& item : batch.items) {
      EXPECT_LE(item.n_places, kMostPlaces);
      for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
        HostLane lane;
        for (std::uint32_t place = 0; place < item.n_places; ++place) {
          auto const slot = batch.slot_of_place[item.first_place + place];
          lane.keys.push_back(own.Tile(row / 16)[slot * 16 + row % 16]);
        }
        lane.sums.assign(item.n_places, 0.0);
        LeafLane<HostLane> adder(leaves, &lane);
        for (auto leaf = item.leaf_begin; leaf < item.leaf_end; ++leaf) adder.AddLeaf(batch.leaves[leaf]);
        auto* const to = phi.data() + (row * forest.n_outputs + item.output) * (forest.n_features + 1);
        for (std::uint32_t place = 0; place < item.n_places; ++place) {
          to[forest.feature_of_slot[batch.slot_of_place[item.first_place + place]]] += lane.sums[place];
        }
      }
    }
  }
  for (std::int64_t i = 0; i < rows.NumRows() * forest.n_outputs; ++i) {
    phi[(i + 1) * (forest.n_features + 1) - 1] = batches.Means()[i % forest.n_outputs];
  }
  return {phi.begin(), phi.end()};
}

TEST(InterventionalParts, LanesOfADevice) {
  ForestSpec spec;
  spec.n_features = 30;
  spec.depth = 15;
  spec.n_classes = 3;
  spec.n_trees = 3;
  spec.early_leaf = 0.3;
  spec.categorical = 0.2;
  for (auto const& model : {RandomModel(spec), RandomModel({}), testing::ChainModel(64, 64, 0.6F)}) {
    auto const rows = RandomRows(20, model.n_features, 25);
    auto const background = RandomRows(90, model.n_features, 26);
    auto const expected = testing::Explain(model, rows, background);
    auto const values = ExplainByLanes(model, rows, background);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], 2e-6) << "number " << i;
  }
}

TEST(InterventionalParts, LanesHold64Features) {
  auto const model = testing::ChainModel(65, 65, 0.6F);
  auto const rows = RandomRows(2, 65, 27);
  auto const message = MessageOf(ErrorKind::kParameter, [&] { ExplainByLanes(model, rows, rows); });
  EXPECT_NE(message.find("tree 0 has a path of 65. Use device=cpu"), std::string::npos) << message;
}

}  // namespace
}  // namespace kauri
