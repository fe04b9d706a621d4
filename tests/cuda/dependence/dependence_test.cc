/// Curves, surfaces and cells have the same bits when their rows are counted on a device.
#include "predictor/dependence/dependence.h"

#include "cuda/dependence/device_row_counter.h"
#include "shap/shap_fixture.h"

namespace kauri::testing {
namespace {

constexpr auto kBothDistributions = {Distribution::kRows, Distribution::kProduct};

class GpuDependenceTest : public DeviceTest {
 protected:
  /// Asks for all features, and for `n_pairs` pairs.
  static DependenceRequest Ask(Model const& model, Distribution distribution, std::size_t n_pairs) {
    DependenceRequest request;
    request.distribution = distribution;
    for (std::uint32_t feature = 0; feature < model.n_features; ++feature) {
      request.features.push_back(feature);
      for (std::uint32_t first = 0; first < feature && request.pairs.size() < n_pairs; ++first) {
        request.pairs.push_back({first, feature});
      }
    }
    return request;
  }

  static void ExpectHost(Model const& model, DataView const& rows, std::vector<float> const& weights = {},
                         Context const& on = OnDevice()) {
    auto const gpu = MakeGpuPredictor();
    auto const forest = CompileForest({}, model, AllTrees(model));
    std::vector<double> const start(ToSize(model.NumOutputs()), 0.25);
    for (auto const distribution : kBothDistributions) {
      for (std::size_t const n_pairs : {0, 12}) {
        auto const request = Ask(model, distribution, n_pairs);
        auto const host = ComputeDependence(Threads(2), {forest, rows, weights, start}, request);
        auto const device = ComputeDependence(on, {forest, rows, weights, start, gpu.get()}, request);
        EXPECT_EQ(device.values, host.values) << n_pairs << " pairs";
        EXPECT_EQ(device.thresholds, host.thresholds);
      }
    }
    auto const features = Ask(model, Distribution::kRows, 0).features;
    EXPECT_EQ(CellsOfRows(on, gpu.get(), forest, features, rows),
              CellsOfRows(Threads(2), nullptr, forest, features, rows));
  }
};

/// Weights whose sums would depend on their order in floating point.
std::vector<float> UnevenWeights(std::int64_t n_rows) {
  auto weights = UniformValues(static_cast<std::size_t>(n_rows), 0.0F, 1.0F, 12);
  for (std::size_t row = 0; row < weights.size(); row += 3) weights[row] *= 1e-6F;
  for (std::size_t row = 1; row < weights.size(); row += 5) weights[row] = 0.0F;
  return weights;
}

TEST_F(GpuDependenceTest, SameBitsAsTheHost) {
  for (auto const& [name, spec] : Specs()) {
    SCOPED_TRACE(name);
    auto const model = RandomModel(spec);
    auto const rows = RandomRows(1100, spec.n_features, 5);
    ExpectHost(model, rows);
    ExpectHost(model, rows, UnevenWeights(1100));
  }
}

TEST_F(GpuDependenceTest, AnyNumberOfRows) {
  ForestSpec spec;
  spec.n_classes = 2;
  spec.categorical = 0.3;
  auto const model = RandomModel(spec);
  for (std::int64_t const n_rows : {1, 31, 32, 33, 255, 257, 1023, 1025, 40000}) {
    SCOPED_TRACE(n_rows);
    ExpectHost(model, RandomRows(n_rows, spec.n_features, 6));
  }
}

/// Trees whose counts do not fit into shared memory, small trees beside them, and more levels than a block of the usual
/// size has room for.
TEST_F(GpuDependenceTest, LargeAndDeepTrees) {
  ForestSpec spec;
  spec.n_features = 20;
  spec.depth = 11;
  spec.n_trees = 3;
  spec.early_leaf = 0.05;
  auto model = RandomModel(spec);
  spec.depth = 4;
  spec.seed = 2;
  for (auto const& tree : RandomModel(spec).trees) {
    model.trees.push_back(tree);
    model.output_of_tree.push_back(0);
  }
  ExpectHost(model, RandomRows(3000, spec.n_features, 7));
  ExpectHost(model, RandomRows(700, spec.n_features, 7), UnevenWeights(700));
  ExpectHost(ChainModel(300, 5, 0.9F), RandomRows(900, 5, 9));
  ExpectHost(ChainModel(64, 64, 0.6F), RandomRows(400, 64, 10));
}

/// The host counts rows in trees that are too deep.
TEST_F(GpuDependenceTest, LeavesTheDeepestTreesToTheHost) {
  auto const model = ChainModel(1000, 5, 0.95F);
  auto const rows = RandomRows(40, 5, 9);
  auto const forest = CompileForest({}, model, AllTrees(model));
  EXPECT_EQ(cuda::MakeDeviceRowCounter(OnDevice(), {forest, rows, {}}), nullptr);
  ExpectHost(model, rows);
}

TEST_F(GpuDependenceTest, SomeFeatures) {
  ForestSpec spec;
  spec.depth = 7;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(500, spec.n_features, 8);
  auto const gpu = MakeGpuPredictor();
  auto const forest = CompileForest({}, model, AllTrees(model));
  std::vector<double> const start{0.5};
  DependenceRequest const request{{4, 1}, {{1, 4}}, Distribution::kRows};
  EXPECT_EQ(ComputeDependence(OnDevice(), {forest, rows, {}, start, gpu.get()}, request).values,
            ComputeDependence({}, {forest, rows, {}, start}, request).values);
}

/// All three sums, with rows that do not fit into memory together, and repeatedly.
TEST_F(GpuDependenceTest, AnyTiles) {
  ForestSpec spec;
  spec.categorical = 0.2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(2000, spec.n_features, 8);
  auto const forest = CompileForest({}, model, AllTrees(model));
  auto const weights = FixWeights(UnevenWeights(2000), 2000);
  auto const axes = MakeAxes(forest, AllTrees(model));
  std::vector<std::uint8_t> const is_kept(axes.size(), 1);
  std::vector<TreeBoxes> boxes;
  for (std::int64_t tree = 0; tree < spec.n_trees; ++tree) boxes.push_back(BoxTree(forest, axes, is_kept, tree));
  TreesToCount trees{{}, true};
  for (auto const& tree : boxes) trees.trees.push_back(&tree);
  auto const host = MakeHostRowCounter({forest, rows, weights.of_row});
  std::vector<std::int32_t> const slots{2, -1, 0};
  std::vector<std::int32_t> expected(6000);
  host->FindCells({}, axes, slots, expected);
  for (std::int64_t const tile_bytes : {1, 5000, 0}) {
    auto const device = cuda::MakeDeviceRowCounter(OnDevice(), {forest, rows, weights.of_row}, tile_bytes);
    for (int repeat = 0; repeat < 2; ++repeat) {
      EXPECT_EQ(device->CountLeaves(OnDevice(), trees), host->CountLeaves({}, trees)) << tile_bytes;
      EXPECT_EQ(device->CountCells(OnDevice(), axes), host->CountCells({}, axes)) << tile_bytes;
      std::vector<std::int32_t> cells(6000, 7);
      device->FindCells(OnDevice(), axes, slots, cells);
      EXPECT_EQ(cells, expected) << tile_bytes;
    }
    EXPECT_EQ(device->CountLeaves(OnDevice(), {{}, true}), std::vector<std::int64_t>()) << "no trees";
  }
}

TEST_F(GpuDependenceTest, RowsInDeviceMemory) {
  ForestSpec spec;
  spec.depth = 6;
  auto const model = RandomModel(spec);
  auto const values = MakeValues({600, spec.n_features, 0.2, 0, false, 14});
  auto const on_device = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the rows, which another stream reads
  BorrowedRows const storage(DenseLayout(on_device.data(), 600, spec.n_features));
  auto const view = MakeDeviceView(storage);
  MemoryView const on_host(values, spec.n_features);
  auto const gpu = MakeGpuPredictor();
  auto const forest = CompileForest({}, model, AllTrees(model));
  std::vector<double> const start{0.0};
  for (auto const distribution : kBothDistributions) {
    auto const request = Ask(model, distribution, 12);
    EXPECT_EQ(ComputeDependence(OnDevice(), {forest, *view, {}, start, gpu.get()}, request).values,
              ComputeDependence({}, {forest, on_host, {}, start}, request).values);
  }
}

/// A list of devices, which may name a device twice.
TEST_F(GpuDependenceTest, ListOfDevices) {
  auto on = OnDevice();
  on.device.ordinals = {0, 0};
  ForestSpec spec;
  ExpectHost(RandomModel(spec), RandomRows(300, spec.n_features, 8), {}, on);
}

}  // namespace
}  // namespace kauri::testing
