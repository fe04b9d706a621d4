#include <cmath>
#include <numeric>
#include <string>

#include "kauri/objective.h"
#include "predictor/shap/contributions.h"
#include "predictor/vector_fixture.h"
#include "shap_fixture.h"

namespace kauri::testing {
namespace {

constexpr PredictKind kAllKinds[] = {PredictKind::kContribution, PredictKind::kInteraction,
                                     PredictKind::kApproxContribution, PredictKind::kApproxInteraction};

class GpuShapValuesTest : public GpuShapTest {
 protected:
  /// Returns values of the recursive algorithm, with float64 sums.
  static std::vector<float> Baseline(Model const& model, DataView const& rows, PredictKind kind,
                                     MarginStart const& start, TreeRange trees) {
    auto const forest = CompileForest({}, model, AllTrees(model));
    std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, trees));
    ForestTask const task{forest, rows, trees, start};
    if (kind == PredictKind::kContribution) TreeShapContributions({}, task, out);
    if (kind == PredictKind::kInteraction) TreeShapInteractions({}, task, out);
    if (kind == PredictKind::kApproxContribution) ApproxContributions({}, task, out);
    if (kind == PredictKind::kApproxInteraction) ApproxInteractions({}, task, out);
    return out;
  }

  /// tolerance: in units of the sum of each tree's largest leaf. A term passes through four roundings of 6e-8 per
  /// level, which partly cancel; a diagonal of interactions adds up the errors of all its pairs. Approximate kinds have
  /// the host's bits.
  static void ExpectBaseline(ParamMap const& method, Model const& model, MemoryView const& rows, double tolerance) {
    auto const start = Start(model);
    for (auto const kind : kAllKinds) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      auto const values = Run(method, model, rows, kind);
      auto const expected = Baseline(model, rows, kind, {start, {}}, AllTrees(model));
      if (kind == PredictKind::kApproxContribution || kind == PredictKind::kApproxInteraction) {
        EXPECT_TRUE(SameFloats(values, expected));
      } else {
        ExpectNear(values, expected, tolerance * (Scale(model) + 1.0));
      }
    }
  }
};

TEST_F(GpuShapValuesTest, AgreesWithTheRecursiveAlgorithm) {
  for (auto const& method : AllMethods()) {
    for (auto const& [name, spec] : Specs()) {
      SCOPED_TRACE(name + ", " + method.at("shap_method"));
      ExpectBaseline(method, RandomModel(spec), RandomRows(33, spec.n_features, 5), 2e-6);
    }
  }
}

/// Leaves of 1e-36 have values of that size.
TEST_F(GpuShapValuesTest, TinyLeaves) {
  ForestSpec const spec;
  auto const model = RandomModel(spec);
  auto tiny = model;
  ScaleLeaves(0, std::ldexp(1.0F, -120), &tiny);
  auto const rows = RandomRows(33, spec.n_features, 5);
  std::vector<float> const start{0.0F};
  for (auto const& method : AllMethods()) {
    for (auto const kind : {PredictKind::kContribution, PredictKind::kInteraction}) {
      auto values = Run(method, tiny, rows, kind, {start, {}}, AllTrees(tiny));
      for (auto& value : values) value = std::ldexp(value, 120);
      ExpectNear(values, Baseline(model, rows, kind, {start, {}}, AllTrees(model)), 1e-5 * (Scale(model) + 1.0));
    }
  }
}

TEST_F(GpuShapValuesTest, AnyNumberOfRows) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  for (auto const& method : AllMethods()) {
    for (std::int64_t const n_rows : {0, 1, 31, 32, 127, 128, 129, 257, 1500}) {
      SCOPED_TRACE(std::to_string(n_rows) + " rows, " + method.at("shap_method"));
      ExpectBaseline(method, model, RandomRows(n_rows, spec.n_features, 6), 2e-6);
    }
  }
}

/// Rows are independent, and integers are added in any order. A row's bits therefore do not depend on the other rows,
/// the run or the threads.
TEST_F(GpuShapValuesTest, SameBitsInEveryRun) {
  ForestSpec spec;
  spec.n_trees = 40;
  spec.depth = 8;
  spec.n_features = 12;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(700, spec.n_features, 7);
  auto const start = Start(model);
  for (auto const& method : AllMethods()) {
    for (auto const kind : {PredictKind::kContribution, PredictKind::kInteraction}) {
      auto const once = Run(method, model, rows, kind);
      for (int repeat = 0; repeat < 5; ++repeat) {
        ASSERT_TRUE(SameFloats(once, Run(method, model, rows, kind, {start, {}}, AllTrees(model), 1 + repeat)));
      }
      std::vector<float> values;
      for (std::int64_t cell = 0; cell < 45 * spec.n_features; ++cell) {
        values.push_back(rows.At(cell / spec.n_features, cell % spec.n_features));
      }
      auto const part = Run(method, model, MemoryView(values, spec.n_features), kind);
      EXPECT_TRUE(SameFloats(part, {once.begin(), once.begin() + static_cast<std::ptrdiff_t>(part.size())}));
    }
  }
  auto const packed = Run({{"shap_method", "treeshap"}}, model, rows, PredictKind::kContribution);
  auto const apart =
      Run({{"shap_method", "treeshap"}, {"shap_bin_packing", "none"}}, model, rows, PredictKind::kContribution);
  EXPECT_TRUE(SameFloats(packed, apart)) << "no bit depends on the packing";
}

/// Contributions add up to the margin, rows of interactions to contributions; both halves of a pair have the same bits.
TEST_F(GpuShapValuesTest, SumsAndSymmetry) {
  ForestSpec spec;
  spec.n_features = 9;
  spec.n_trees = 12;
  spec.n_classes = 3;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(50, spec.n_features, 8);
  std::size_t const width = 10;
  auto const margins = NaiveMargins(model, rows, AllTrees(model), RepeatStart(Start(model), 50));
  for (auto const& method : AllMethods()) {
    auto const phi = Run(method, model, rows, PredictKind::kContribution);
    auto const pairs = Run(method, model, rows, PredictKind::kInteraction);
    for (std::size_t i = 0; i < margins.size(); ++i) {
      ASSERT_NEAR(std::accumulate(phi.begin() + i * width, phi.begin() + (i + 1) * width, 0.0), margins[i], 2e-5);
    }
    for (std::size_t i = 0; i < phi.size(); ++i) {
      ASSERT_NEAR(std::accumulate(pairs.begin() + i * width, pairs.begin() + (i + 1) * width, 0.0), phi[i], 2e-5);
      for (std::size_t b = 0; b < width; ++b) {
        ASSERT_EQ(pairs[i * width + b], pairs[(i / width * width + b) * width + i % width]);
      }
    }
  }
}

TEST_F(GpuShapValuesTest, RangesOfTreesAndStartsOfRows) {
  ForestSpec spec;
  spec.n_trees = 30;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(70, spec.n_features, 9);
  auto const of_row = UniformValues(140, -2.0F, 2.0F, 10);
  for (auto const& method : AllMethods()) {
    auto const gpu = MakeGpuPredictor(method);
    auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
    for (auto const trees : {TreeRange{3, 17}, TreeRange{0, 1}, TreeRange{12, 12}, TreeRange{3, 17}}) {
      for (auto const kind : kAllKinds) {
        std::vector<float> out(70 * OutputWidth(model, kind, trees));
        gpu->Predict(OnDevice(), *compiled, {rows, trees, {{}, of_row}}, kind, out);
        ExpectNear(out, Baseline(model, rows, kind, {{}, of_row}, trees), 1e-4);
      }
    }
  }
}

/// Paths as long as a warp, longer than a pass of points, and deeper than shared memory allows.
TEST_F(GpuShapValuesTest, LongAndDeepPaths) {
  ParamMap const quadrature{{"shap_method", "quadrature"}};
  ParamMap const treeshap{{"shap_method", "treeshap"}};
  auto const longest = ChainModel(31, 31, 0.6F);
  ExpectBaseline(treeshap, longest, RandomRows(20, 31, 1), 1e-5);
  ExpectBaseline(quadrature, longest, RandomRows(20, 31, 1), 2e-6);
  ExpectBaseline(quadrature, ChainModel(33, 33, 0.7F), RandomRows(20, 33, 2), 2e-6);
  ExpectBaseline(quadrature, ChainModel(300, 5, 0.98F), RandomRows(200, 5, 3), 1e-5);
  ExpectBaseline(quadrature, ChainModel(1500, 3, 0.999F), RandomRows(40, 3, 4), 2e-5);
  auto const too_long = ChainModel(32, 32, 0.6F);
  auto const message = MessageOf(ErrorKind::kParameter,
                                 [&] { Run(treeshap, too_long, RandomRows(2, 32, 5), PredictKind::kContribution); });
  EXPECT_NE(message.find("Use shap_method=quadrature"), std::string::npos) << message;
}

/// More features in a tree than cells in shared memory.
TEST_F(GpuShapValuesTest, WideTrees) {
  ForestSpec spec;
  spec.n_features = 900;
  spec.n_trees = 3;
  spec.depth = 10;
  spec.early_leaf = 0.0;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(130, spec.n_features, 11);
  auto const start = Start(model);
  for (auto const& method : AllMethods()) {
    auto const phi = Run(method, model, rows, PredictKind::kContribution);
    ExpectNear(phi, Baseline(model, rows, PredictKind::kContribution, {start, {}}, AllTrees(model)),
               2e-6 * (Scale(model) + 1.0));
  }
}

TEST_F(GpuShapValuesTest, CoversThatDoNotAddUp) {
  auto model = RandomModel({});
  Random random(1);
  for (auto& tree : model.trees) {
    for (auto& cover : tree.sum_hessian) {
      auto const kind = random.Below(4);
      cover = kind == 0 ? 0.0F : kind == 1 ? cover * 0.5F : kind == 2 ? cover * 1.25F : cover;
    }
  }
  for (auto const& method : AllMethods()) ExpectBaseline(method, model, RandomRows(40, 6, 12), 1e-5);
}

/// Dense rows of all forms and a view that reads by feature; fewer and more columns than the model has.
TEST_F(GpuShapValuesTest, AnyKindOfView) {
  ForestSpec spec;
  spec.n_features = 9;
  auto const model = RandomModel(spec);
  for (std::int64_t const n_cols : {3, 9, 14}) {
    auto rows = RandomRows(150, n_cols, 13);
    auto const expected = Run({}, model, rows, PredictKind::kContribution);
    ExpectNear(expected, Baseline(model, rows, PredictKind::kContribution, {Start(model), {}}, AllTrees(model)), 1e-4);
    rows.zero_copy = true;
    EXPECT_TRUE(SameFloats(Run({}, model, rows, PredictKind::kContribution), expected));
    rows.zero_copy = false;
    rows.by_feature = true;
    EXPECT_TRUE(SameFloats(Run({}, model, rows, PredictKind::kContribution), expected));
  }
}

TEST_F(GpuShapValuesTest, RowsInDeviceMemory) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const values = MakeValues({300, spec.n_features, 0.2, 0, false, 14});
  auto const start = Start(model);
  auto const on_device = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the rows, which another stream reads
  BorrowedRows const rows(DenseLayout(on_device.data(), 300, spec.n_features));
  auto const objective = GetRegistries().objectives.Find("reg:squarederror").make({});
  for (auto const& method : AllMethods()) {
    auto const gpu = MakeGpuPredictor(method);
    auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
    for (auto const kind : kAllKinds) {
      auto const result =
          gpu->PredictOnDevice(OnDevice(), *compiled, {rows, kind, AllTrees(model), {start, {}}, *objective});
      ASSERT_NE(result, nullptr);
      EXPECT_TRUE(SameFloats(result->ToHost(), Run(method, model, MemoryView(values, spec.n_features), kind)));
    }
  }
}

/// An output is as exact beside another that is 2^60 times larger.
TEST_F(GpuShapValuesTest, SmallOutputBesideALargeOne) {
  ForestSpec spec;
  spec.n_classes = 3;
  spec.n_trees = 9;
  auto const model = RandomModel(spec);
  auto scaled = model;
  constexpr float kFactor = 0x1p-60F;
  for (std::size_t t = 0; t < scaled.trees.size(); ++t) {
    auto& tree = scaled.trees[t];
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (tree.IsLeaf(node) && scaled.output_of_tree[t] == 1) tree.split_value[node] *= kFactor;
    }
  }
  auto const rows = RandomRows(40, spec.n_features, 24);
  for (auto const& method : AllMethods()) {
    for (auto const kind : {PredictKind::kContribution, PredictKind::kInteraction}) {
      auto const before = Run(method, model, rows, kind);
      auto const after = Run(method, scaled, rows, kind);
      auto const block = before.size() / 40 / 3;  // floats of a row and output; the last one is the bias
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (i % block == block - 1) continue;
        ASSERT_EQ(before[i] * (i / block % 3 == 1 ? kFactor : 1.0F), after[i]) << i;
      }
    }
  }
}

TEST_F(GpuShapValuesTest, UnknownMethods) {
  auto const message = MessageOf(ErrorKind::kParameter, [] { MakeGpuPredictor({{"shap_bin_packing", "best"}}); });
  EXPECT_NE(message.find("shap_bin_packing='best'"), std::string::npos) << message;
}

}  // namespace
}  // namespace kauri::testing
