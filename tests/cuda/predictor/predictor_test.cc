#include <thread>

#include "cuda/forest/walk_forest.h"
#include "cuda/predictor/gpu_predictor.h"
#include "predictor/predictor_fixtures.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

std::unique_ptr<Predictor> MakeGpuPredictor() {
  Registry<PredictorFactory> registry("predictor");
  cuda::RegisterGpuPredictor(&registry);
  return registry.Find("gpu_predictor").make({});
}

std::unique_ptr<Predictor> MakeCpuPredictor() { return GetRegistries().predictors.Find("cpu_predictor").make({}); }

struct NamedSpec {
  char const* name;
  ForestSpec spec;
};

std::vector<NamedSpec> Specs() {
  std::vector<NamedSpec> specs;
  auto const add = [&specs](char const* name, auto change) {
    ForestSpec spec;
    change(&spec);
    specs.push_back({name, spec});
  };
  add("plain", [](ForestSpec*) {});
  add("leaves only", [](ForestSpec* spec) { spec->depth = 0; });
  add("several classes", [](ForestSpec* spec) { spec->n_classes = 3, spec->n_trees = 11; });
  add("categorical", [](ForestSpec* spec) { spec->categorical = 0.4; });
  add("categorical classes", [](ForestSpec* spec) { spec->categorical = 0.4, spec->n_classes = 4, spec->n_trees = 9; });
  add("dart", [](ForestSpec* spec) { spec->dart = true; });
  add("many chunks", [](ForestSpec* spec) { spec->n_trees = 300, spec->depth = 6, spec->early_leaf = 0.05; });
  add("trees too large to copy",
      [](ForestSpec* spec) { spec->n_trees = 3, spec->depth = 13, spec->early_leaf = 0.02; });
  add("deep and thin", [](ForestSpec* spec) { spec->n_trees = 4, spec->depth = 40, spec->early_leaf = 0.49; });
  add("more slots than a tile",
      [](ForestSpec* spec) { spec->n_features = 900, spec->n_trees = 40, spec->depth = 7, spec->early_leaf = 0.05; });
  return specs;
}

class GpuPredictorTest : public DeviceTest {
 protected:
  /// Compares the margins of both predictors and of a naive traversal.
  static void ExpectSameMargins(Model const& model, MemoryView const& rows, TreeRange compiled_trees, TreeRange trees) {
    std::vector<float> const base = UniformValues(static_cast<std::size_t>(model.NumOutputs()), -1.0F, 1.0F, 31);
    auto const start = RepeatStart(base, rows.NumRows());
    std::vector<float> on_device(start.size());
    std::vector<float> on_host(start.size());
    auto const gpu = MakeGpuPredictor();
    auto const compiled = gpu->Compile(OnDevice(), model, compiled_trees);
    gpu->Predict(OnDevice(), *compiled, {rows, trees, {base, {}}}, PredictKind::kMargin, on_device);
    auto const cpu = MakeCpuPredictor();
    cpu->Predict(Context{}, *cpu->Compile(Context{}, model, compiled_trees), {rows, trees, {base, {}}},
                 PredictKind::kMargin, on_host);
    EXPECT_TRUE(SameFloats(on_device, on_host));
    EXPECT_TRUE(SameFloats(on_device, NaiveMargins(model, rows, trees, start)));
  }
};

TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

TEST_F(GpuPredictorTest, MarginsHaveTheHostsBits) {
  for (auto const& [name, spec] : Specs()) {
    auto const model = RandomModel(spec);
    for (std::int64_t const n_rows : {0, 1, 31, 32, 33, 255, 257, 511, 512, 513, 5000}) {
      SCOPED_TRACE(std::string(name) + ", rows " + std::to_string(n_rows));
      ExpectSameMargins(model, RandomRows(n_rows, spec.n_features, 5), AllTrees(model), AllTrees(model));
    }
  }
}

TEST_F(GpuPredictorTest, AnyKindOfView) {
  ForestSpec spec;
  spec.n_features = 9;
  auto const model = RandomModel(spec);
  for (std::int64_t const n_cols : {3, 9, 14}) {
    auto rows = RandomRows(700, n_cols, 6);
    ExpectSameMargins(model, rows, AllTrees(model), AllTrees(model));
    rows.zero_copy = true;
    ExpectSameMargins(model, rows, AllTrees(model), AllTrees(model));
    rows.zero_copy = false;
    rows.by_feature = true;
    ExpectSameMargins(model, rows, AllTrees(model), AllTrees(model));
  }
}

TEST_F(GpuPredictorTest, RangesOfTrees) {
  for (std::int64_t const n_classes : {0, 3}) {
    ForestSpec spec;
    spec.n_trees = 30;
    spec.n_classes = n_classes;
    auto const model = RandomModel(spec);
    auto const rows = RandomRows(333, spec.n_features, 7);
    ExpectSameMargins(model, rows, {3, 28}, {3, 28});
    ExpectSameMargins(model, rows, {3, 28}, {7, 8});
    ExpectSameMargins(model, rows, {0, 30}, {10, 23});
    ExpectSameMargins(model, rows, {0, 30}, {12, 12});
  }
}

TEST_F(GpuPredictorTest, SeveralTilesAndAStartPerRow) {
  ForestSpec spec;
  spec.n_features = 60;
  spec.n_trees = 12;
  spec.depth = 7;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(200001, spec.n_features, 8);
  auto const start = UniformValues(200001, -1.0F, 1.0F, 9);
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
  auto out = start;  // the output may be the start
  gpu->Predict(OnDevice(), *compiled, {rows, AllTrees(model), {{}, out}}, PredictKind::kMargin, out);
  EXPECT_TRUE(SameFloats(out, NaiveMargins(model, rows, AllTrees(model), start)));
}

TEST_F(GpuPredictorTest, MoreTilesThanAreInFlight) {
  ForestSpec spec;
  spec.n_features = 60;
  spec.n_trees = 12;
  auto const model = RandomModel(spec);
  std::int64_t const n_rows = 250'000;  // 60 MB, in tiles of 4
  auto const rows = RandomRows(n_rows, spec.n_features, 15);
  std::vector<float> const base{0.25F};
  auto const starts = UniformValues(static_cast<std::size_t>(n_rows), -1.0F, 1.0F, 32);
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
  auto const expected = NaiveMargins(model, rows, AllTrees(model), std::vector<float>(ToSize(n_rows), 0.25F));
  auto const expected_of_row = NaiveMargins(model, rows, AllTrees(model), starts);
  for (int const threads : {1, 2, 16}) {
    SCOPED_TRACE(threads);
    auto ctx = OnDevice();
    ctx.threads = threads;
    std::vector<float> out(ToSize(n_rows));
    gpu->Predict(ctx, *compiled, {rows, AllTrees(model), {base, {}}}, PredictKind::kMargin, out);
    EXPECT_TRUE(SameFloats(out, expected));
    gpu->Predict(ctx, *compiled, {rows, AllTrees(model), {base, starts}}, PredictKind::kMargin, out);
    EXPECT_TRUE(SameFloats(out, expected_of_row));
  }
}

/// Rows of which some cannot be read.
class FailingRows : public DataView {
 public:
  FailingRows(MemoryView const& rows, std::vector<std::int64_t> failing) : rows_(rows), failing_(std::move(failing)) {}
  std::int64_t NumRows() const override { return rows_.NumRows(); }
  std::int64_t NumCols() const override { return rows_.NumCols(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    for (auto const row : failing_) {
      if (begin <= row && row < end) Fail(ErrorKind::kData, "row ", row, " cannot be read.");
    }
    rows_.CopyRows(begin, end, n_cols, tile);
  }

 private:
  MemoryView const& rows_;
  std::vector<std::int64_t> failing_;
};

TEST_F(GpuPredictorTest, TheFirstRowThatFailsIsReported) {
  ForestSpec spec;
  spec.n_features = 60;
  spec.n_trees = 3;
  auto const model = RandomModel(spec);
  std::int64_t const n_rows = 250'000;
  auto const rows = RandomRows(n_rows, spec.n_features, 16);
  std::vector<float> const base{0.0F};
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
  std::vector<float> out(ToSize(n_rows));
  for (auto const& failing : std::vector<std::vector<std::int64_t>>{
           {0}, {249'999}, {17, 18}, {139'000, 140'000, 200'000}, {30'000, 47'000, 64'000, 81'000, 98'000, 115'000}}) {
    FailingRows const some(rows, failing);
    auto const first = *std::min_element(failing.begin(), failing.end());
    for (int repeat = 0; repeat < 5; ++repeat) {
      auto const message = MessageOf(ErrorKind::kData, [&] {
        gpu->Predict(OnDevice(), *compiled, {some, AllTrees(model), {base, {}}}, PredictKind::kMargin, out);
      });
      EXPECT_EQ(message, "row " + std::to_string(first) + " cannot be read.");
    }
  }
  gpu->Predict(OnDevice(), *compiled, {rows, AllTrees(model), {base, {}}}, PredictKind::kMargin, out);
  EXPECT_TRUE(SameFloats(out, NaiveMargins(model, rows, AllTrees(model), std::vector<float>(ToSize(n_rows), 0.0F))))
      << "after errors";
}

TEST_F(GpuPredictorTest, Leaves) {
  for (auto const& [name, spec] : Specs()) {
    auto const model = RandomModel(spec);
    for (std::int64_t const n_rows : {257, 700}) {
      SCOPED_TRACE(std::string(name) + ", rows " + std::to_string(n_rows));
      auto const rows = RandomRows(n_rows, spec.n_features, 10);
      TreeRange const trees{1, AllTrees(model).end};
      auto const width = trees.end - trees.begin;
      std::vector<float> leaves(ToSize(n_rows * width));
      auto const gpu = MakeGpuPredictor();
      auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
      gpu->Predict(OnDevice(), *compiled, {rows, trees, {}}, PredictKind::kLeaf, leaves);
      std::vector<float> expected;
      for (std::int64_t row = 0; row < n_rows; ++row) {
        for (auto tree = trees.begin; tree < trees.end; ++tree) {
          expected.push_back(static_cast<float>(NaiveLeaf(model.trees[tree], rows, row)));
        }
      }
      EXPECT_TRUE(SameFloats(leaves, expected));
    }
  }
}

TEST_F(GpuPredictorTest, RowsInDeviceMemory) {
  for (auto const& [name, spec] : Specs()) {
    auto const model = RandomModel(spec);
    for (std::int64_t const n_rows : {100, 1000}) {
      SCOPED_TRACE(std::string(name) + ", rows " + std::to_string(n_rows));
      std::int64_t const n_cols = spec.n_features;
      auto const values = MakeValues({n_rows, n_cols, 0.6, 0, false, 11});
      MemoryView const view(values, n_cols);
      auto const expected =
          NaiveMargins(model, view, AllTrees(model), RepeatStart(std::vector<float>(model.NumOutputs()), n_rows));
      cuda::DeviceForest const forest(OnDevice(), model, AllTrees(model));
      auto const walk = [&](cuda::DeviceRows const& rows) {
        auto const out = cuda::ToDevice(Cuda(), std::vector<float>(expected.size()));
        cuda::WalkForest(Cuda(), forest, rows, PredictKind::kMargin, AllTrees(model), out.data());
        return Fetch(Cuda(), out);
      };
      auto const row_major = cuda::ToDevice(Cuda(), values);
      cuda::DeviceRows rows;
      rows.n_rows = n_rows;
      rows.n_cols = n_cols;
      rows.values = row_major.data();
      rows.row_stride = n_cols;
      EXPECT_TRUE(SameFloats(walk(rows), expected)) << "row-major";
      std::vector<float> transposed(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        transposed[i % static_cast<std::size_t>(n_cols) * static_cast<std::size_t>(n_rows) +
                   i / static_cast<std::size_t>(n_cols)] = values[i];
      }
      auto const column_major = cuda::ToDevice(Cuda(), transposed);
      rows.values = column_major.data();
      rows.row_stride = 1;
      rows.col_stride = n_rows;
      EXPECT_TRUE(SameFloats(walk(rows), expected)) << "column-major";
      auto const matrix = MakeMatrix(values, n_cols, true);
      ASSERT_FALSE(matrix->IsDense());
      auto const row_ptr = cuda::ToDevice(Cuda(), matrix->Csr().row_ptr);
      auto const features = cuda::ToDevice(Cuda(), matrix->Csr().features);
      auto const entries = cuda::ToDevice(Cuda(), matrix->Csr().values);
      cuda::DeviceRows sparse;
      sparse.n_rows = n_rows;
      sparse.n_cols = n_cols;
      sparse.row_ptr = row_ptr.data();
      sparse.features = features.data();
      sparse.entries = entries.data();
      EXPECT_TRUE(SameFloats(walk(sparse), expected)) << "sparse";
    }
  }
}

TEST_F(GpuPredictorTest, ManyThreads) {
  ForestSpec spec;
  spec.n_trees = 20;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(3000, spec.n_features, 12);
  std::vector<float> const base{0.5F};
  auto const expected = NaiveMargins(model, rows, AllTrees(model), RepeatStart(base, 3000));
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
  std::vector<std::vector<float>> results(6, std::vector<float>(3000));
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        gpu->Predict(OnDevice(1), *compiled, {rows, AllTrees(model), {base, {}}}, PredictKind::kMargin, result);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& result : results) EXPECT_TRUE(SameFloats(result, expected));
}

TEST_F(GpuPredictorTest, RefusesForeignModelsAndWrongSizes) {
  auto const model = RandomModel({});
  auto const rows = RandomRows(10, 6, 14);
  std::vector<float> const base{0.5F};
  std::vector<float> out(10);
  auto const gpu = MakeGpuPredictor();
  auto const foreign = MakeCpuPredictor()->Compile(Context{}, model, AllTrees(model));
  auto const own = gpu->Compile(OnDevice(), model, {0, 3});
  auto const predict = [&](CompiledModel const& compiled, TreeRange trees, Span<float> to) {
    return MessageOf(ErrorKind::kInternal, [&] {
      gpu->Predict(OnDevice(), compiled, {rows, trees, {base, {}}}, PredictKind::kMargin, to);
    });
  };
  EXPECT_NE(predict(*foreign, {0, 3}, out).find("another predictor"), std::string::npos);
  EXPECT_NE(predict(*own, {0, 4}, out).find("not all compiled"), std::string::npos);
  EXPECT_NE(predict(*own, {0, 3}, Span<float>(out).subspan(0, 9)).find("the output has 9 floats; expected 10"),
            std::string::npos);
}

}  // namespace
}  // namespace kauri::testing
