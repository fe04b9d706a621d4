/// Values and interactions of all kinds against a background: the device's bits are the CPU's.
#include <string>
#include <utility>
#include <vector>

#include "cuda/predictor/gpu_predictor.h"
#include "kauri/registry.h"
#include "predictor/shap/quadrature_forest.h"
#include "predictor/vector_fixture.h"
#include "shap_fixture.h"

namespace kauri::testing {
namespace {

constexpr PredictKind kKinds[] = {PredictKind::kContribution, PredictKind::kInteraction, PredictKind::kBanzhaf,
                                  PredictKind::kBanzhafInteraction, PredictKind::kTaylorInteraction};

class GpuBackgroundKindsTest : public DeviceTest {
 protected:
  static std::vector<float> StartOf(Model const& model) {
    return UniformValues(static_cast<std::size_t>(model.NumOutputs()), -1.0F, 1.0F, 3);
  }
  static std::vector<float> By(Predictor const& predictor, Context const& ctx, Model const& model,
                               PredictTask const& task, PredictKind kind, DataView const& background) {
    auto const compiled = predictor.Compile(ctx, model, AllTrees(model));
    EXPECT_TRUE(predictor.Computes(kind, true));
    std::vector<float> out(task.rows.NumRows() * OutputWidth(model, kind, task.trees), 123.0F);
    predictor.PredictAgainst(ctx, *compiled, task, kind, background, out);
    return out;
  }

  static void ExpectSame(std::vector<float> const& values, std::vector<float> const& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], expected[i]) << "number " << i;
    EXPECT_TRUE(SameFloats(values, expected));
  }
  static void ExpectCpu(Model const& model, PredictTask const& task, DataView const& background) {
    auto const cpu = GetRegistries().predictors.Find("cpu_predictor").make({});
    for (auto const kind : kKinds) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      ExpectSame(By(*MakeGpuPredictor(), OnDevice(2), model, task, kind, background),
                 By(*cpu, Threads(2), model, task, kind, background));
    }
  }
  static void ExpectCpu(Model const& model, DataView const& rows, DataView const& background) {
    auto const start = StartOf(model);
    ExpectCpu(model, {rows, AllTrees(model), {start, {}}}, background);
  }
};

TEST_F(GpuBackgroundKindsTest, ForestsOfManyKinds) {
  for (auto const& [name, spec] : Specs()) {
    SCOPED_TRACE(name);
    ExpectCpu(RandomModel(spec), RandomRows(33, spec.n_features, 5), RandomRows(70, spec.n_features, 6));
  }
}

/// Tables of values, tables of parts, and patterns; categories and three outputs.
TEST_F(GpuBackgroundKindsTest, LeavesOfAllForms) {
  ForestSpec spec;
  spec.n_features = 30;
  spec.n_trees = 3;
  spec.n_classes = 3;
  spec.depth = 15;
  spec.early_leaf = 0.3;
  spec.categorical = 0.1;
  auto const model = RandomModel(spec);
  ExpectCpu(model, RandomRows(40, spec.n_features, 5), RandomRows(300, spec.n_features, 6));
}

/// A model for each number of features of the longest path: 4, 6, 8 and 12 are the widths of the kernels.
TEST_F(GpuBackgroundKindsTest, PathsOfEveryLength) {
  for (std::int32_t n = 1; n <= 14; ++n) {
    SCOPED_TRACE(n);
    ExpectCpu(ChainModel(n, n, 0.6F), RandomRows(50, n, 7), RandomRows(200, n, 8));
  }
  ExpectCpu(ChainModel(40, 40, 0.6F), RandomRows(10, 40, 7), RandomRows(30, 40, 8));
  ExpectCpu(ChainModel(64, 64, 0.6F), RandomRows(3, 64, 7), RandomRows(10, 64, 8));
  ExpectCpu(ChainModel(300, 5, 0.9F), RandomRows(20, 5, 9), RandomRows(1100, 5, 10));
}

TEST_F(GpuBackgroundKindsTest, AnyNumberOfRows) {
  ForestSpec spec;
  spec.n_classes = 2;
  spec.dart = true;
  auto const model = RandomModel(spec);
  for (std::int64_t const n_rows : {0, 1, 31, 127, 128, 129, 257, 1500}) {
    SCOPED_TRACE(n_rows);
    ExpectCpu(model, RandomRows(n_rows, spec.n_features, 6), RandomRows(20, spec.n_features, 7));
    if (n_rows > 0) ExpectCpu(model, RandomRows(9, spec.n_features, 8), RandomRows(n_rows, spec.n_features, 9));
  }
}

/// A tree of more leaves than an item has.
TEST_F(GpuBackgroundKindsTest, TreesOfManyLeaves) {
  ForestSpec spec;
  spec.n_features = 100;
  spec.n_trees = 3;
  spec.depth = 8;
  spec.early_leaf = 0.0;
  ExpectCpu(RandomModel(spec), RandomRows(150, spec.n_features, 5), RandomRows(400, spec.n_features, 6));
}

/// Rows that recur weigh more, exactly as often as they occur.
TEST_F(GpuBackgroundKindsTest, RowsOfTheBackgroundThatRecur) {
  ForestSpec spec;
  spec.depth = 7;
  auto const model = RandomModel(spec);
  auto values = MakeValues({40, spec.n_features, 0.2, 0, false, 14});
  std::vector<float> const once = values;
  for (int i = 0; i < 250; ++i) {
    auto const first = once.begin() + static_cast<std::ptrdiff_t>(i % 4 * spec.n_features);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(spec.n_features));
  }
  ExpectCpu(model, RandomRows(30, spec.n_features, 5), MemoryView(values, spec.n_features));
}

TEST_F(GpuBackgroundKindsTest, RangesOfTreesAndStartsOfRows) {
  ForestSpec spec;
  spec.n_trees = 30;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(70, spec.n_features, 9);
  auto const background = RandomRows(12, spec.n_features, 10);
  auto const of_row = UniformValues(140, -2.0F, 2.0F, 10);
  for (auto const trees : {TreeRange{3, 17}, TreeRange{0, 1}, TreeRange{12, 12}}) {
    ExpectCpu(model, {rows, trees, {{}, of_row}}, background);
  }
}

/// Tiles of rows that keep the tables, tiles that make them anew, and tables of the host have the bits of one tile.
/// Results that go to a function instead have them too.
TEST_F(GpuBackgroundKindsTest, TilesOfAnySize) {
  for (auto const depth : {6, 10, 14}) {
    ForestSpec spec;
    spec.n_features = 20;
    spec.n_classes = 2;
    spec.depth = depth;
    spec.early_leaf = 0.3;
    auto const model = RandomModel(spec);
    auto const rows = RandomRows(300, spec.n_features, 5);
    auto const few = RandomRows(3, spec.n_features, 5);
    auto const background = RandomRows(60, spec.n_features, 6);
    auto const start = StartOf(model);
    MarginStart const from{start, {}};
    cuda::GpuModel const compiled(OnDevice(), model, AllTrees(model), CoverSource::kHessian);
    for (auto const kind : kKinds) {
      SCOPED_TRACE("depth " + std::to_string(depth) + ", kind " + std::to_string(static_cast<int>(kind)));
      auto const width = OutputWidth(model, kind, AllTrees(model));
      auto const run = [&](DataView const& of, std::int64_t tile_bytes) {
        std::vector<float> out(of.NumRows() * width, 123.0F);
        compiled.interventional.Explain(OnDevice(2),
                                        {of, background, AllTrees(model), from, out, tile_bytes, GoalOf(kind)});
        return out;
      };
      auto const once = run(rows, 0);
      for (auto const tile_bytes : {std::int64_t{1} << 23, std::int64_t{1} << 20, std::int64_t{100000}}) {
        EXPECT_TRUE(SameFloats(run(rows, tile_bytes), once)) << tile_bytes;
      }
      EXPECT_TRUE(SameFloats(run(few, 5000), run(few, 0))) << "the host's tables, a row at a time";
      std::vector<float> streamed;
      auto const take = [&](cuda::CudaContext const& context, std::int64_t begin, std::int64_t end,
                            float const* values) {
        EXPECT_EQ(begin * width, static_cast<std::int64_t>(streamed.size()));
        auto const tile = cuda::ToHost(context, values, static_cast<std::size_t>((end - begin) * width));
        streamed.insert(streamed.end(), tile.begin(), tile.end());
      };
      compiled.interventional.Explain(
          OnDevice(2), {rows, background, AllTrees(model), from, {}, std::int64_t{1} << 20, GoalOf(kind), take});
      EXPECT_TRUE(SameFloats(streamed, once));
    }
  }
}

/// A background with more rows than a block sorts, with and without patterns.
TEST_F(GpuBackgroundKindsTest, LargeBackgrounds) {
  ForestSpec spec;
  spec.n_features = 20;
  auto const background = RandomRows(20000, spec.n_features, 6);
  for (auto const depth : {5, 14}) {
    spec.depth = depth;
    spec.early_leaf = 0.3;
    ExpectCpu(RandomModel(spec), RandomRows(20, spec.n_features, 5), background);
  }
}

TEST_F(GpuBackgroundKindsTest, RowsAndBackgroundInDeviceMemory) {
  ForestSpec spec;
  auto const model = RandomModel(spec);
  auto const values = MakeValues({300, spec.n_features, 0.2, 0, false, 14});
  auto const start = StartOf(model);
  auto const there = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the rows, which another stream reads
  BorrowedRows const storage(DenseLayout(there.data(), 300, spec.n_features));
  auto const view = MakeDeviceView(storage);
  MemoryView const host(values, spec.n_features);
  for (auto const kind : kKinds) {
    auto const gpu = MakeGpuPredictor();
    ExpectSame(By(*gpu, OnDevice(2), model, {*view, AllTrees(model), {start, {}}}, kind, *view),
               By(*gpu, OnDevice(2), model, {host, AllTrees(model), {start, {}}}, kind, host));
  }
}

/// Kinds take turns on one model; a failed call changes nothing.
TEST_F(GpuBackgroundKindsTest, OneModelForAllKinds) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const start = StartOf(model);
  auto const rows = RandomRows(40, spec.n_features, 5);
  auto const background = RandomRows(90, spec.n_features, 6);
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(2), model, AllTrees(model));
  auto const run = [&](PredictKind kind, DataView const& against) {
    std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, AllTrees(model)), 123.0F);
    gpu->PredictAgainst(OnDevice(2), *compiled, {rows, AllTrees(model), {start, {}}}, kind, against, out);
    return out;
  };
  std::vector<std::vector<float>> first;
  for (auto const kind : kKinds) first.push_back(run(kind, background));
  for (std::size_t i = 0; i < first.size(); ++i) {
    MessageOf(ErrorKind::kData, [&] { run(kKinds[i], MemoryView({}, spec.n_features)); });
    EXPECT_TRUE(SameFloats(run(kKinds[i], background), first[i]));
  }
}

/// The values of an output do not depend on the size of the other, and leaves may have any size.
TEST_F(GpuBackgroundKindsTest, OutputsAndLeavesOfAnySize) {
  ForestSpec spec;
  spec.n_features = 16;
  spec.depth = 14;
  spec.early_leaf = 0.3;
  spec.n_classes = 2;
  auto const rows = RandomRows(33, spec.n_features, 8);
  auto const background = RandomRows(50, spec.n_features, 9);
  std::vector<float> const start{0.0F, 0.0F};
  for (auto const& model : {RandomModel(spec), VectorModel(2, false, spec)}) {
    auto alone = model;
    ScaleLeaves(0, 0.0F, &alone);
    for (auto const factor : {1e20F, 1e-36F}) {
      auto scaled = model;
      ScaleLeaves(0, factor, &scaled);
      ExpectCpu(scaled, rows, background);
      for (auto const kind : kKinds) {
        auto const run = [&](Model const& of) {
          return By(*MakeGpuPredictor(), OnDevice(2), of, {rows, AllTrees(of), {start, {}}}, kind, background);
        };
        auto const values = run(scaled);
        auto const expected = run(alone);
        auto const width = values.size() / (2 * static_cast<std::size_t>(rows.NumRows()));
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (i / width % 2 == 0) continue;
          ASSERT_EQ(values[i], expected[i]) << "number " << i;
        }
      }
    }
  }
}

TEST_F(GpuBackgroundKindsTest, KindsThatItComputes) {
  auto const gpu = MakeGpuPredictor();
  EXPECT_FALSE(gpu->Computes(PredictKind::kApproxContribution, true));
  EXPECT_FALSE(gpu->Computes(PredictKind::kApproxInteraction, true));
  EXPECT_TRUE(gpu->Computes(PredictKind::kApproxContribution, false));
  EXPECT_TRUE(gpu->Computes(PredictKind::kBanzhafInteraction, false));
}

}  // namespace
}  // namespace kauri::testing
