/// Banzhaf values and interactions and Shapley-Taylor indices on the device against the CPU's, which are tested against
/// their definitions.
#include <numeric>

#include "kauri/objective.h"
#include "shap_fixture.h"

namespace kauri::testing {
namespace {

constexpr PredictKind kSemivalues[] = {PredictKind::kBanzhaf, PredictKind::kTaylorInteraction,
                                       PredictKind::kBanzhafInteraction};

class GpuSemivaluesTest : public GpuShapTest {
 protected:
  static std::vector<float> OnCpu(Model const& model, DataView const& rows, PredictKind kind, MarginStart const& start,
                                  TreeRange trees) {
    auto const cpu = GetRegistries().predictors.Find("cpu_predictor").make({});
    auto const compiled = cpu->Compile({}, model, AllTrees(model));
    std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, trees));
    cpu->Predict({}, *compiled, {rows, trees, start}, kind, out);
    return out;
  }

  /// tolerance: in units of the sum of each tree's largest leaf, for the roundings on both sides.
  static void ExpectCpu(Model const& model, MemoryView const& rows, double tolerance) {
    auto const start = Start(model);
    for (auto const kind : kSemivalues) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      ExpectNear(Run({}, model, rows, kind), OnCpu(model, rows, kind, {start, {}}, AllTrees(model)),
                 tolerance * (Scale(model) + 1.0));
    }
  }
};

TEST_F(GpuSemivaluesTest, AgreeWithTheCpu) {
  for (auto const& [name, spec] : Specs()) {
    SCOPED_TRACE(name);
    ExpectCpu(RandomModel(spec), RandomRows(33, spec.n_features, 5), 2e-6);
  }
}

TEST_F(GpuSemivaluesTest, LongAndDeepPaths) {
  ExpectCpu(ChainModel(31, 31, 0.6F), RandomRows(20, 31, 1), 2e-6);
  ExpectCpu(ChainModel(33, 33, 0.7F), RandomRows(20, 33, 2), 2e-6);
  ExpectCpu(ChainModel(300, 5, 0.98F), RandomRows(150, 5, 3), 1e-5);
}

/// Branches without cover, so that factors are 0 if only one feature is known.
TEST_F(GpuSemivaluesTest, BranchesWithoutCover) {
  auto model = RandomModel({});
  for (auto& tree : model.trees) {
    for (std::size_t node = 1; node < tree.sum_hessian.size(); node += 3) tree.sum_hessian[node] = 0.0F;
  }
  ExpectCpu(model, RandomRows(40, 6, 12), 1e-5);
}

/// Rows of Banzhaf interactions add up to Banzhaf values, and both halves of a pair have the same bits.
TEST_F(GpuSemivaluesTest, BanzhafRowsAddUpToValues) {
  ForestSpec spec;
  spec.n_features = 9;
  spec.n_classes = 3;
  spec.n_trees = 10;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(40, 9, 23);
  auto const values = Run({}, model, rows, PredictKind::kBanzhaf);
  auto const matrices = Run({}, model, rows, PredictKind::kBanzhafInteraction);
  constexpr std::size_t kWidth = 10;
  for (std::size_t line = 0; line < values.size(); ++line) {
    if (line % kWidth == kWidth - 1) continue;  // the bias
    auto const* const matrix = matrices.data() + line / kWidth * kWidth * kWidth;
    auto const feature = line % kWidth;
    auto const sum = std::accumulate(matrix + feature * kWidth, matrix + (feature + 1) * kWidth, 0.0);
    ASSERT_NEAR(sum, static_cast<double>(values[line]), 1e-5);
    for (std::size_t other = 0; other < kWidth; ++other) {
      ASSERT_EQ(matrix[feature * kWidth + other], matrix[other * kWidth + feature]);
    }
  }
}

/// The sum of a Shapley-Taylor matrix is the margin, and both halves of a pair have the same bits.
TEST_F(GpuSemivaluesTest, TaylorAddsUpToTheMargin) {
  ForestSpec spec;
  spec.n_features = 9;
  spec.n_trees = 12;
  spec.n_classes = 3;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(50, spec.n_features, 8);
  std::size_t const width = 10;
  auto const margins = NaiveMargins(model, rows, AllTrees(model), RepeatStart(Start(model), 50));
  auto const matrices = Run({}, model, rows, PredictKind::kTaylorInteraction);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    auto const* matrix = matrices.data() + i * width * width;
    ASSERT_NEAR(std::accumulate(matrix, matrix + width * width, 0.0), margins[i], 4e-5);
    for (std::size_t a = 0; a < width; ++a) {
      for (std::size_t b = 0; b < a; ++b) ASSERT_EQ(matrix[a * width + b], matrix[b * width + a]);
    }
  }
}

TEST_F(GpuSemivaluesTest, RangesOfTreesAndStartsOfRows) {
  ForestSpec spec;
  spec.n_trees = 20;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(70, spec.n_features, 9);
  auto const of_row = UniformValues(140, -2.0F, 2.0F, 10);
  for (auto const trees : {TreeRange{3, 17}, TreeRange{0, 1}, TreeRange{12, 12}}) {
    for (auto const kind : kSemivalues) {
      ExpectNear(Run({}, model, rows, kind, {{}, of_row}, trees), OnCpu(model, rows, kind, {{}, of_row}, trees), 1e-4);
    }
  }
}

TEST_F(GpuSemivaluesTest, SameBitsInEveryRunAndFromDeviceMemory) {
  ForestSpec spec;
  spec.n_trees = 20;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const values = MakeValues({300, spec.n_features, 0.2, 0, false, 14});
  auto const start = Start(model);
  auto const on_device = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the rows, which another stream reads
  BorrowedRows const rows(DenseLayout(on_device.data(), 300, spec.n_features));
  auto const objective = GetRegistries().objectives.Find("reg:squarederror").make({});
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
  for (auto const kind : kSemivalues) {
    auto const once = Run({}, model, MemoryView(values, spec.n_features), kind);
    EXPECT_TRUE(SameFloats(once, Run({}, model, MemoryView(values, spec.n_features), kind)));
    auto const result =
        gpu->PredictOnDevice(OnDevice(), *compiled, {rows, kind, AllTrees(model), {start, {}}, *objective});
    ASSERT_NE(result, nullptr);
    EXPECT_TRUE(SameFloats(result->ToHost(), once));
  }
}

TEST_F(GpuSemivaluesTest, TreeShapHasNone) {
  ParamMap const treeshap{{"shap_method", "treeshap"}};
  auto const model = RandomModel({});
  auto const rows = RandomRows(3, 6, 1);
  auto const banzhaf = MessageOf(ErrorKind::kParameter, [&] { Run(treeshap, model, rows, PredictKind::kBanzhaf); });
  EXPECT_EQ(banzhaf, "shap_method=treeshap has no Banzhaf values; use shap_method=quadrature.");
  auto const taylor =
      MessageOf(ErrorKind::kParameter, [&] { Run(treeshap, model, rows, PredictKind::kTaylorInteraction); });
  EXPECT_EQ(taylor, "shap_method=treeshap has no Shapley-Taylor indices; use shap_method=quadrature.");
}

}  // namespace
}  // namespace kauri::testing
