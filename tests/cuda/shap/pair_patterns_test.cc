/// The distinct patterns found on the device, compared bit by bit with the host's.
#include "cuda/shap/pair_patterns.h"

#include <cstring>
#include <utility>
#include <vector>

#include "cuda/shap/interventional_lanes.h"
#include "shap/background_keys.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

class PairPatternsTest : public DeviceTest {
 protected:
  /// Returns the number of patterns at all leaves of `model`.
  std::int64_t ExpectHost(Model const& model, DataView const& background) const {
    auto const n_trees = static_cast<std::int64_t>(model.trees.size());
    auto const forest = CompileForest({}, model, {0, n_trees});
    KeyTiles const tiles({}, forest, background, 0, background.NumRows(), kPatternRows);
    auto const keys = cuda::ToDevice(Cuda(), KeysOf(forest, background));
    BackgroundBatches batches(forest, tiles, {0, n_trees});
    std::int64_t n_patterns = 0;
    while (batches.Next(Threads(2))) n_patterns += ExpectBatch(forest, batches, keys, background.NumRows());
    return n_patterns;
  }

  std::int64_t ExpectBatch(Forest const& forest, BackgroundBatches const& batches,
                           cuda::Buffer<std::int32_t> const& keys, std::int64_t n_rows) const {
    auto const host = MakeLaneBatch(forest, batches);
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t leaf = 0; leaf < host.leaves.size(); ++leaf) {
      if (host.leaves[leaf].form == LeafForm::kPairs) numbers.push_back(leaf);
    }
    cuda::DeviceLanes const lanes(Cuda(), host);
    cuda::CategoriesOnDevice const categories(Cuda(), batches.AllCategories());
    auto const sources = cuda::ToDevice(Cuda(), host.sources);
    auto const numbers_there = cuda::ToDevice(Cuda(), numbers);
    auto const leaves = cuda::ToDevice(Cuda(), host.leaves);
    cuda::Buffer<LanePattern> const patterns(Cuda(), numbers.size() * ToSize(n_rows));
    cuda::Buffer<double> const reached(Cuda(), host.leaves.size());
    cuda::FindPairPatterns(Cuda(), {lanes.Work().leaves,
                                    sources.data(),
                                    numbers_there.data(),
                                    static_cast<std::int64_t>(numbers.size()),
                                    {keys.data(), n_rows, 1, n_rows},
                                    categories.View(),
                                    leaves.data(),
                                    patterns.data(),
                                    reached.data()});
    auto const found = Fetch(Cuda(), leaves);
    auto const made = Fetch(Cuda(), patterns);
    auto const worth = Fetch(Cuda(), reached);
    for (auto const leaf : numbers) ExpectLeaf(host, leaf, found[leaf], made, worth[leaf]);
    return static_cast<std::int64_t>(host.patterns.size());
  }

  static void ExpectLeaf(LaneBatch const& host, std::uint32_t number, LaneLeaf const& found,
                         std::vector<LanePattern> const& made, double worth) {
    auto const& leaf = host.leaves[number];
    ASSERT_EQ(found.n_patterns, leaf.n_patterns) << "leaf " << number;
    EXPECT_EQ(found.n_features, leaf.n_features);
    EXPECT_EQ(found.first_feature, leaf.first_feature);
    for (std::uint32_t p = 0; p < leaf.n_patterns; ++p) {
      auto const& expected = host.patterns[leaf.begin + p];
      auto const& pattern = made[found.begin + p];
      ASSERT_EQ(pattern.missed, expected.missed) << "leaf " << number << " pattern " << p;
      ASSERT_EQ(pattern.n_missed, expected.n_missed) << "leaf " << number << " pattern " << p;
      ASSERT_EQ(std::memcmp(&pattern.weight, &expected.weight, sizeof(double)), 0)
          << "leaf " << number << " pattern " << p << ": " << pattern.weight << " and " << expected.weight;
    }
    auto const& first = host.patterns[leaf.begin];
    EXPECT_EQ(worth, first.n_missed == 0 ? first.weight : 0.0) << "leaf " << number;
  }
};

TEST_F(PairPatternsTest, PathsOf13To64Features) {
  for (std::int32_t const n : {13, 16, 31, 32, 33, 63, 64}) {
    SCOPED_TRACE(n);
    for (std::int64_t const n_rows : {1, 2, 3, 31, 255, 256, 257, 1500}) {
      EXPECT_GT(ExpectHost(ChainModel(n, n, 0.6F), RandomRows(n_rows, n, 7)), 0) << n_rows;
    }
  }
}

TEST_F(PairPatternsTest, AsManyRowsAsABlockSorts) {
  auto const most = cuda::MostPairRows(Cuda());
  EXPECT_GE(most, 4096);
  for (auto const n_rows : {most - 1, most}) ExpectHost(ChainModel(20, 20, 0.6F), RandomRows(n_rows, 20, 8));
}

/// Rows that follow no path, and rows that are all equal.
TEST_F(PairPatternsTest, RowsThatAreAlike) {
  auto const model = ChainModel(40, 40, 0.6F);
  for (auto const value : {-1e6F, 1e6F, kNaN}) {
    MemoryView const alike(std::vector<float>(300 * 40, value), 40);
    EXPECT_EQ(ExpectHost(model, alike), 40 - 12 + 1);  // one pattern at each leaf of more than 12 features
  }
}

TEST_F(PairPatternsTest, RandomForestWithCategories) {
  ForestSpec spec;
  spec.n_features = 40;
  spec.depth = 16;
  spec.early_leaf = 0.3;
  spec.categorical = 0.2;
  spec.n_trees = 3;
  spec.n_classes = 3;
  EXPECT_GT(ExpectHost(RandomModel(spec), RandomRows(200, spec.n_features, 9)), 1000);
}

}  // namespace
}  // namespace kauri::testing
