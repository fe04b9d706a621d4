#include "cuda/shap/interventional.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "cuda/predictor/gpu_predictor.h"
#include "kauri/device_memory.h"
#include "predictor/interventional/interventional.h"
#include "shap_fixture.h"

namespace kauri::testing {
namespace {

TreeRange AllOf(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

class GpuInterventionalTest : public DeviceTest {
 protected:
  static std::vector<float> StartOf(Model const& model) {
    return UniformValues(static_cast<std::size_t>(model.NumOutputs()), -1.0F, 1.0F, 3);
  }
  static std::vector<float> OnGpu(Model const& model, DataView const& rows, DataView const& background,
                                  MarginStart const& start, TreeRange trees, int threads = 2) {
    auto const gpu = MakeGpuPredictor();
    auto const compiled = gpu->Compile(OnDevice(), model, AllOf(model));
    std::vector<float> out(OutSize(model, rows, trees), 123.0F);
    gpu->PredictInterventional(OnDevice(threads), *compiled, {rows, trees, start}, background, out);
    return out;
  }
  static std::vector<float> OnCpu(Model const& model, DataView const& rows, DataView const& background,
                                  MarginStart const& start, TreeRange trees) {
    auto const forest = CompileForest({}, model, AllOf(model));
    std::vector<float> out(OutSize(model, rows, trees));
    InterventionalValues(Threads(2), {forest, rows, trees, start}, background, {}, out);
    return out;
  }
  static std::size_t OutSize(Model const& model, DataView const& rows, TreeRange trees) {
    return static_cast<std::size_t>(rows.NumRows() * OutputWidth(model, PredictKind::kContribution, trees));
  }

  static void ExpectHost(Model const& model, DataView const& rows, DataView const& background) {
    auto const start = StartOf(model);
    auto const values = OnGpu(model, rows, background, {start, {}}, AllOf(model));
    ExpectSame(values, OnCpu(model, rows, background, {start, {}}, AllOf(model)));
  }
  static void ExpectSame(std::vector<float> const& values, std::vector<float> const& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], expected[i]) << "number " << i;
  }
};

/// Returns the specs of shap_fixture.h, with paths of all forms of leaves instead of the deep paths.
std::vector<std::pair<std::string, ForestSpec>> InterventionalSpecs() {
  auto specs = Specs();
  auto& [name, spec] = specs.back();
  name = "tables of parts and pairs of patterns";
  spec.n_features = 30;
  spec.depth = 16;
  spec.early_leaf = 0.3;
  spec.categorical = 0.1;
  return specs;
}

TEST_F(GpuInterventionalTest, AgreesWithTheHost) {
  for (auto const& [name, spec] : InterventionalSpecs()) {
    SCOPED_TRACE(name);
    ExpectHost(RandomModel(spec), RandomRows(33, spec.n_features, 5), RandomRows(70, spec.n_features, 6));
  }
  ExpectHost(ChainModel(64, 64, 0.6F), RandomRows(40, 64, 7), RandomRows(40, 64, 8));
  ExpectHost(ChainModel(300, 5, 0.9F), RandomRows(200, 5, 9), RandomRows(1100, 5, 10));
}

TEST_F(GpuInterventionalTest, AnyNumberOfRows) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  for (std::int64_t const n_rows : {0, 1, 31, 127, 128, 129, 257, 1500}) {
    SCOPED_TRACE(n_rows);
    ExpectHost(model, RandomRows(n_rows, spec.n_features, 6), RandomRows(20, spec.n_features, 7));
    if (n_rows > 0) ExpectHost(model, RandomRows(9, spec.n_features, 8), RandomRows(n_rows, spec.n_features, 9));
  }
}

/// Any number of host threads, which decides how many trees are compiled together; any batch, any tiles.
TEST_F(GpuInterventionalTest, SameBitsInEveryRun) {
  ForestSpec spec;
  spec.n_trees = 40;
  spec.depth = 14;
  spec.n_features = 24;
  spec.early_leaf = 0.3;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(700, spec.n_features, 7);
  auto const background = RandomRows(100, spec.n_features, 8);
  auto const start = StartOf(model);
  auto const once = OnGpu(model, rows, background, {start, {}}, AllOf(model));
  for (int threads = 1; threads <= 5; ++threads) {
    ASSERT_TRUE(SameFloats(once, OnGpu(model, rows, background, {start, {}}, AllOf(model), threads)));
  }
  std::vector<float> values;
  for (std::int64_t cell = 0; cell < 45 * spec.n_features; ++cell) {
    values.push_back(rows.At(cell / spec.n_features, cell % spec.n_features));
  }
  auto const part = OnGpu(model, MemoryView(values, spec.n_features), background, {start, {}}, AllOf(model));
  EXPECT_TRUE(SameFloats(part, {once.begin(), once.begin() + static_cast<std::ptrdiff_t>(part.size())}));
  auto const compiled = MakeGpuPredictor()->Compile(OnDevice(), model, AllOf(model));
  auto const& on_device = dynamic_cast<cuda::GpuModel const&>(*compiled).interventional;
  std::vector<float> tiled(once.size());
  MarginStart const from{start, {}};
  on_device.Explain(OnDevice(), {rows, background, AllOf(model), from, tiled, 100000});
  EXPECT_TRUE(SameFloats(tiled, once));
}

/// The host makes all tables if the background takes more memory than is available for it.
TEST_F(GpuInterventionalTest, SameBitsWhoeverMakesTheTables) {
  for (auto const& [name, spec] : InterventionalSpecs()) {
    SCOPED_TRACE(name);
    auto const model = RandomModel(spec);
    auto const rows = RandomRows(150, spec.n_features, 7);
    auto const background = RandomRows(1500, spec.n_features, 8);
    auto const start = StartOf(model);
    MarginStart const from{start, {}};
    cuda::GpuModel const compiled(OnDevice(), model, AllOf(model), CoverSource::kHessian);
    auto const run = [&](std::int64_t tile_bytes) {
      std::vector<float> out(OutSize(model, rows, AllOf(model)), 123.0F);
      compiled.interventional.Explain(OnDevice(), {rows, background, AllOf(model), from, out, tile_bytes});
      return out;
    };
    auto const by_device = run(0);
    EXPECT_TRUE(SameFloats(run(20000), by_device)) << "the host's tables, some tiles of rows";
    EXPECT_TRUE(SameFloats(run(0), by_device)) << "the device's tables again";
  }
}

/// Data that a model keeps for the next call depend neither on the background nor on a failed call.
TEST_F(GpuInterventionalTest, OneModelForManyCalls) {
  ForestSpec spec;
  spec.n_trees = 20;
  spec.n_classes = 3;
  spec.depth = 7;
  auto const model = RandomModel(spec);
  auto const start = StartOf(model);
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllOf(model));
  auto const run = [&](DataView const& rows, DataView const& background, TreeRange trees) {
    std::vector<float> out(OutSize(model, rows, trees), 123.0F);
    gpu->PredictInterventional(OnDevice(), *compiled, {rows, trees, {start, {}}}, background, out);
    return out;
  };
  struct Call {
    std::int64_t n_rows;
    std::int64_t n_background;
    TreeRange trees;
  };
  for (auto const& call : std::vector<Call>{{40, 1, {0, 20}},
                                            {3, 5000, {0, 20}},
                                            {500, 60, {0, 20}},
                                            {40, 60, {4, 9}},
                                            {40, 7, {4, 9}},
                                            {40, 7, {0, 20}}}) {
    auto const rows = RandomRows(call.n_rows, spec.n_features, 5);
    auto const background = RandomRows(call.n_background, spec.n_features, 6);
    auto const values = run(rows, background, call.trees);
    EXPECT_TRUE(SameFloats(values, OnGpu(model, rows, background, {start, {}}, call.trees))) << "not as a new model";
    ExpectSame(values, OnCpu(model, rows, background, {start, {}}, call.trees));
    MessageOf(ErrorKind::kData, [&] { run(rows, MemoryView({}, spec.n_features), call.trees); });
  }
}

/// Threads with other backgrounds and ranges of trees, which replace each other's programs.
TEST_F(GpuInterventionalTest, CallsSideBySide) {
  ForestSpec spec;
  spec.n_trees = 12;
  auto const model = RandomModel(spec);
  auto const start = StartOf(model);
  auto const rows = RandomRows(90, spec.n_features, 5);
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllOf(model));
  std::atomic<int> n_same{0};
  auto const work = [&](std::int64_t number) {
    auto const background = RandomRows(20 + 300 * number, spec.n_features, 6);
    TreeRange const trees{number, 12 - number};
    auto const expected = OnGpu(model, rows, background, {start, {}}, trees);
    std::vector<float> out(expected.size());
    for (int repeat = 0; repeat < 8; ++repeat) {
      std::fill(out.begin(), out.end(), 123.0F);
      gpu->PredictInterventional(OnDevice(), *compiled, {rows, trees, {start, {}}}, background, out);
      if (SameFloats(out, expected)) ++n_same;
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t number = 0; number < 3; ++number) threads.emplace_back(work, number);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(n_same, 24);
}

TEST_F(GpuInterventionalTest, RowsOfTheBackgroundThatRecurWeighMore) {
  ForestSpec spec;
  spec.depth = 8;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(30, spec.n_features, 5);
  auto const once = MakeValues({40, spec.n_features, 0.2, 0, false, 14});
  std::vector<float> often;
  for (int i = 0; i < 64; ++i) often.insert(often.end(), once.begin(), once.end());
  auto const start = StartOf(model);
  MemoryView const background(once, spec.n_features);
  MemoryView const repeated(often, spec.n_features);
  ExpectHost(model, rows, repeated);
  ExpectSame(OnGpu(model, rows, repeated, {start, {}}, AllOf(model)),
             OnGpu(model, rows, background, {start, {}}, AllOf(model)));
}

TEST_F(GpuInterventionalTest, RangesOfTreesAndStartsOfRows) {
  ForestSpec spec;
  spec.n_trees = 30;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(70, spec.n_features, 9);
  auto const background = RandomRows(12, spec.n_features, 10);
  auto const of_row = UniformValues(140, -2.0F, 2.0F, 10);
  for (auto const trees : {TreeRange{3, 17}, TreeRange{0, 1}, TreeRange{12, 12}}) {
    ExpectSame(OnGpu(model, rows, background, {{}, of_row}, trees),
               OnCpu(model, rows, background, {{}, of_row}, trees));
  }
}

/// Rows in device memory that belong to another owner.
class BorrowedDeviceRows : public DeviceStorage {
 public:
  BorrowedDeviceRows(DeviceLayout const& layout, std::vector<float> host)
      : DeviceStorage(layout), host_(std::move(host)) {}
  int NumCopies() const { return n_copies_; }

 private:
  FloatVector CopyToHost() const override {
    ++n_copies_;
    return {host_.begin(), host_.end()};
  }
  std::vector<float> host_;
  mutable int n_copies_ = 0;
};

TEST_F(GpuInterventionalTest, RowsAndBackgroundInDeviceMemory) {
  ForestSpec spec;
  auto const model = RandomModel(spec);
  auto const values = MakeValues({300, spec.n_features, 0.2, 0, false, 14});
  auto const start = StartOf(model);
  auto const on_device = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the rows, which another stream reads
  DeviceLayout layout;
  layout.n_rows = 300;
  layout.n_cols = spec.n_features;
  layout.values = on_device.data();
  layout.row_stride = spec.n_features;
  BorrowedDeviceRows const storage(layout, values);
  auto const view = MakeDeviceView(storage);
  MemoryView const host(values, spec.n_features);
  auto const expected = OnGpu(model, host, host, {start, {}}, AllOf(model));
  EXPECT_TRUE(SameFloats(OnGpu(model, *view, *view, {start, {}}, AllOf(model)), expected));
  EXPECT_EQ(storage.NumCopies(), 0) << "the rows went through the host";
}

/// Long paths have patterns instead of tables. If the host makes the patterns, it needs the rows of the background
/// once.
TEST_F(GpuInterventionalTest, BackgroundInDeviceMemoryOfLongPaths) {
  auto const model = ChainModel(20, 20, 0.6F);
  auto const values = MakeValues({90, 20, 0.2, 0, false, 15});
  auto const there = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the rows, which another stream reads
  BorrowedDeviceRows const storage(DenseLayout(there.data(), 90, 20), values);
  auto const view = MakeDeviceView(storage);
  MemoryView const host(values, 20);
  auto const start = StartOf(model);
  auto const expected = OnGpu(model, host, host, {start, {}}, AllOf(model));
  EXPECT_TRUE(SameFloats(OnGpu(model, *view, *view, {start, {}}, AllOf(model)), expected));
  EXPECT_EQ(storage.NumCopies(), 0) << "the rows went through the host";
  cuda::GpuModel const compiled(OnDevice(), model, AllOf(model), CoverSource::kHessian);
  std::vector<float> by_host(expected.size());
  MarginStart const from{start, {}};
  compiled.interventional.Explain(OnDevice(), {*view, *view, AllOf(model), from, by_host, 10000});
  EXPECT_TRUE(SameFloats(by_host, expected));
  EXPECT_EQ(storage.NumCopies(), 1);
}

/// More than 2,000 leaves with patterns, which take turns in the memory for patterns.
TEST_F(GpuInterventionalTest, PatternsOfManyLeaves) {
  ForestSpec spec;
  spec.n_trees = 2;
  spec.n_features = 30;
  spec.depth = 16;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(20, spec.n_features, 7);
  auto const background = RandomRows(1500, spec.n_features, 8);
  auto const start = StartOf(model);
  MarginStart const from{start, {}};
  cuda::GpuModel const compiled(OnDevice(), model, AllOf(model), CoverSource::kHessian);
  auto const run = [&](std::int64_t tile_bytes) {
    std::vector<float> out(OutSize(model, rows, AllOf(model)), 123.0F);
    compiled.interventional.Explain(OnDevice(), {rows, background, AllOf(model), from, out, tile_bytes});
    return out;
  };
  EXPECT_TRUE(SameFloats(run(0), run(100000))) << "the device's, the host's";
}

TEST_F(GpuInterventionalTest, WhatItRefuses) {
  auto const model = ChainModel(65, 65, 0.6F);
  auto const start = StartOf(model);
  auto const rows = RandomRows(2, 65, 5);
  auto const run = [&](DataView const& background) { OnGpu(model, rows, background, {start, {}}, AllOf(model)); };
  auto const too_long = MessageOf(ErrorKind::kParameter, [&] { run(rows); });
  EXPECT_NE(too_long.find("has a path of 65. Use device=cpu"), std::string::npos) << too_long;
  auto const empty = MessageOf(ErrorKind::kData, [&] { run(MemoryView({}, 65)); });
  EXPECT_NE(empty.find("background has 0 rows"), std::string::npos) << empty;
}

}  // namespace
}  // namespace kauri::testing
