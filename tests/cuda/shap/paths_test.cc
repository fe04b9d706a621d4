/// Paths and bins made on the device, compared with the host's, element by element.
#include "cuda/shap/paths/pack_paths.h"
#include "predictor/lanes/packed_paths.h"
#include "shap/shap_fixture.h"

namespace kauri::testing {
namespace {

class DevicePathsTest : public DeviceTest {
 protected:
  void Compare(Model const& model, TreeRange trees) const {
    cuda::DeviceForest const forest(OnDevice(), model, AllTrees(model));
    auto const expected = PackPaths({}, forest.OnHost(), trees, BinPacking::kBestFitDecreasing);
    auto const found = cuda::PackPathsOnDevice(Cuda(), forest, trees);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->n_bins + 1, static_cast<std::int64_t>(expected.bin_begin.size()));
    EXPECT_EQ(Fetch(Cuda(), found->bin_begin), expected.bin_begin);
    EXPECT_EQ(found->utilisation, expected.utilisation);
    auto const elements = Fetch(Cuda(), found->elements);
    ASSERT_EQ(elements.size(), expected.elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      ASSERT_EQ(std::memcmp(&elements[i], &expected.elements[i], sizeof(PathFeature)), 0)
          << "element " << i << ": slot " << elements[i].Slot() << " and " << expected.elements[i].Slot();
    }
  }
  void CompareSizes(std::vector<std::uint8_t> const& sizes) const {
    auto const packing = PackBins(sizes, kWarpLanes, BinPacking::kBestFitDecreasing);
    auto const on_device = cuda::ToDevice(Cuda(), sizes);
    auto const n = static_cast<std::int64_t>(sizes.size());
    auto const counts = cuda::CountSizes(Cuda(), on_device.data(), n);
    for (std::size_t size = 0; size < counts.size(); ++size) {
      EXPECT_EQ(counts[size], std::count(sizes.begin(), sizes.end(), size)) << size;
    }
    auto const places = cuda::PlacePaths(Cuda(), on_device.data(), counts);
    ASSERT_EQ(places.n_bins, packing.NumBins());
    EXPECT_EQ(places.n_elements, packing.used);
    auto const bin_begin = Fetch(Cuda(), places.bin_begin);
    auto const element_of_path = Fetch(Cuda(), places.element_of_path);
    std::int64_t used = 0;
    for (std::int64_t bin = 0; bin < packing.NumBins(); ++bin) {
      ASSERT_EQ(bin_begin[bin], used) << "bin " << bin;
      for (auto i = packing.bin_begin[bin]; i < packing.bin_begin[bin + 1]; ++i) {
        ASSERT_EQ(element_of_path[packing.items[i]], used) << "item " << packing.items[i];
        used += sizes[packing.items[i]];
      }
    }
    EXPECT_EQ(bin_begin[places.n_bins], used);
  }
};

TEST_F(DevicePathsTest, ElementsOfRandomForests) {
  for (auto const& [name, spec] : Specs()) {
    if (spec.categorical > 0.0) continue;
    SCOPED_TRACE(name);
    auto const model = RandomModel(spec);
    Compare(model, AllTrees(model));
    auto const n_trees = static_cast<std::int64_t>(model.trees.size());
    Compare(model, {1, n_trees - 1});
    Compare(model, {n_trees - 1, n_trees});
  }
}

TEST_F(DevicePathsTest, ElementsOfManyLargeTrees) {
  ForestSpec spec;
  spec.n_trees = 300;
  spec.depth = 10;
  spec.n_features = 20;
  spec.early_leaf = 0.05;
  Compare(RandomModel(spec), {7, 290});
}

TEST_F(DevicePathsTest, LengthsUpToAWarp) {
  Compare(ChainModel(31, 31, 0.6F), {0, 1});
  Compare(ChainModel(200, 31, 0.9F), {0, 1});
  Compare(ChainModel(400, 1, 0.99F), {0, 1});
}

TEST_F(DevicePathsTest, ChildrenWithoutCover) {
  auto model = RandomModel({});
  Random random(1);
  for (auto& tree : model.trees) {
    for (auto& cover : tree.sum_hessian) cover = random.Below(3) == 0 ? 0.0F : cover;
  }
  Compare(model, AllTrees(model));
}

/// Cases for the host, which supports categories and has the error about a path that is too long.
TEST_F(DevicePathsTest, WhatTheHostDoes) {
  ForestSpec spec;
  spec.categorical = 0.5;
  for (auto const& model : {RandomModel(spec), ChainModel(32, 32, 0.6F), ChainModel(300, 300, 0.9F)}) {
    cuda::DeviceForest const forest(OnDevice(), model, AllTrees(model));
    EXPECT_FALSE(cuda::PackPathsOnDevice(Cuda(), forest, AllTrees(model)).has_value());
  }
  auto const message = MessageOf([] {
    auto const model = ChainModel(32, 32, 0.6F);
    auto const gpu = MakeGpuPredictor({{"shap_method", "treeshap"}});
    auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
    auto const rows = RandomRows(2, 32, 1);
    std::vector<float> const start(1, 0.0F);
    std::vector<float> out(2 * 33);
    gpu->Predict(OnDevice(), *compiled, {rows, AllTrees(model), {start, {}}}, PredictKind::kContribution, out);
  });
  EXPECT_NE(message.find("Use shap_method=quadrature"), std::string::npos) << message;
}

TEST_F(DevicePathsTest, PlacesOfItems) {
  CompareSizes({});
  CompareSizes({32});
  CompareSizes({1, 1, 32, 31, 2, 16, 16, 17});
  for (std::uint32_t const largest : {1U, 5U, 32U}) {
    for (std::size_t const n : {31U, 257U, 200000U}) {
      SCOPED_TRACE(std::to_string(largest) + ", " + std::to_string(n));
      Random random(n + largest);
      std::vector<std::uint8_t> sizes(n);
      for (auto& size : sizes) size = static_cast<std::uint8_t>(1 + random.Below(largest));
      CompareSizes(sizes);
    }
  }
}

}  // namespace
}  // namespace kauri::testing
