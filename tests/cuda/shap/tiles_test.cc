/// Tiles of host rows in flight: no bit depends on them, on errors of earlier calls, or on concurrent calls.
#include <atomic>
#include <thread>

#include "cuda/predictor/gpu_predictor.h"
#include "cuda/shap/shap_model.h"
#include "data/matrix_view.h"
#include "shap_fixture.h"

namespace kauri::testing {
namespace {

/// Rows that cannot be read from a given row on.
class BrokenRows : public DataView {
 public:
  BrokenRows(DataView const& rows, std::int64_t first_broken) : rows_(rows), first_broken_(first_broken) {}
  std::int64_t NumRows() const override { return rows_.NumRows(); }
  std::int64_t NumCols() const override { return rows_.NumCols(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    if (end > first_broken_) Fail(ErrorKind::kData, "row ", first_broken_, " is broken.");
    rows_.CopyRows(begin, end, n_cols, tile);
  }

 private:
  DataView const& rows_;
  std::int64_t first_broken_;
};

ForestSpec SpecOf() {
  ForestSpec spec;
  spec.n_features = 7;
  spec.n_classes = 3;
  spec.n_trees = 9;
  return spec;
}

class GpuShapTilesTest : public GpuShapTest {
 protected:
  GpuShapTilesTest() : model_(RandomModel(SpecOf())), start_(Start(model_)) {}
  void SetUp() override {
    GpuShapTest::SetUp();
    if (IsSkipped()) return;
    compiled_ = std::make_unique<cuda::GpuModel const>(OnDevice(), model_, AllTrees(model_), CoverSource::kHessian);
  }

  /// tile_bytes: of all tiles in flight together; 0: the default.
  std::vector<float> Explain(DataView const& rows, PredictKind kind, std::int64_t tile_bytes,
                             cuda::ShapMethod method = cuda::ShapMethod::kQuadrature, int threads = 2) const {
    std::vector<float> out(rows.NumRows() * OutputWidth(model_, kind, AllTrees(model_)), 123.0F);
    cuda::ShapOptions const options{method, BinPacking::kBestFitDecreasing, tile_bytes};
    MarginStart const from{start_, {}};
    compiled_->shap.ExplainHostRows(OnDevice(threads), options, {rows, kind, AllTrees(model_), from, out});
    return out;
  }

  /// Expects a failure in row `row`; then the same model explains as if there had been none.
  void ExpectRecovery(MemoryView const& rows, std::int64_t row, std::int64_t tile_bytes) const {
    auto const message =
        MessageOf(ErrorKind::kData, [&] { Explain(BrokenRows(rows, row), PredictKind::kContribution, tile_bytes); });
    EXPECT_NE(message.find("is broken"), std::string::npos) << message;
    EXPECT_TRUE(SameFloats(Explain(rows, PredictKind::kContribution, tile_bytes),
                           Explain(rows, PredictKind::kContribution, 0)));
  }

  Model model_;
  std::vector<float> start_;
  std::unique_ptr<cuda::GpuModel const> compiled_;
};

/// Bytes of the tiles in flight: one row or a few each, odd numbers, one tile for all.
constexpr std::int64_t kTileBytes[] = {1, 5000, 20011, 100003, 700001};

TEST_F(GpuShapTilesTest, NoBitDependsOnTiles) {
  for (auto const method : {cuda::ShapMethod::kQuadrature, cuda::ShapMethod::kTreeShap}) {
    for (auto const kind : {PredictKind::kContribution, PredictKind::kInteraction, PredictKind::kApproxContribution}) {
      for (std::int64_t const n_rows : {1, 2, 3, 4, 7, 131}) {
        auto const rows = RandomRows(n_rows, SpecOf().n_features, 21);
        auto const at_once = Explain(rows, kind, 0, method);
        for (auto const tile_bytes : kTileBytes) {
          EXPECT_TRUE(SameFloats(Explain(rows, kind, tile_bytes, method), at_once))
              << n_rows << " rows, " << tile_bytes << " bytes, kind " << static_cast<int>(kind);
        }
      }
    }
  }
}

/// More results than the page-locked buffers hold, in tiles of several loads.
TEST_F(GpuShapTilesTest, ManyResults) {
  ForestSpec spec;
  spec.n_features = 300;
  spec.n_trees = 3;
  spec.depth = 2;
  spec.special_thresholds = false;
  auto const model = RandomModel(spec);
  cuda::GpuModel const compiled(OnDevice(), model, AllTrees(model), CoverSource::kHessian);
  auto const start = Start(model);
  auto const rows = RandomRows(157, spec.n_features, 22);
  auto const width = OutputWidth(model, PredictKind::kInteraction, AllTrees(model));
  ASSERT_GT(4 * 157 * width, 50 << 20);
  std::vector<float> out(157 * width, 123.0F);
  MarginStart const from{start, {}};
  compiled.shap.ExplainHostRows(OnDevice(3), {}, {rows, PredictKind::kInteraction, AllTrees(model), from, out});
  for (std::int64_t const row : {0, 127, 128, 156}) {
    RowWindow const one(rows, row, row + 1);
    std::vector<float> alone(width, 321.0F);
    compiled.shap.ExplainHostRows(OnDevice(), {}, {one, PredictKind::kInteraction, AllTrees(model), from, alone});
    EXPECT_TRUE(SameFloats({out.begin() + row * width, out.begin() + (row + 1) * width}, alone)) << "row " << row;
  }
}

TEST_F(GpuShapTilesTest, ErrorsInAnyTile) {
  auto const rows = RandomRows(90, SpecOf().n_features, 23);
  for (std::int64_t const row : {0, 1, 20, 45, 89}) {
    for (std::int64_t const tile_bytes : {5000, 20011, 0}) ExpectRecovery(rows, row, tile_bytes);
  }
}

TEST_F(GpuShapTilesTest, CallsSideBySide) {
  auto const rows = RandomRows(70, SpecOf().n_features, 24);
  auto const expected = Explain(rows, PredictKind::kInteraction, 0);
  std::atomic<int> n_same{0};
  std::atomic<int> n_errors{0};
  auto const work = [&](std::int64_t tile_bytes) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      if (SameFloats(Explain(rows, PredictKind::kInteraction, tile_bytes), expected)) ++n_same;
      try {
        Explain(BrokenRows(rows, 10 * repeat), PredictKind::kContribution, tile_bytes);
      } catch (Error const&) {
        ++n_errors;
      }
    }
  };
  std::thread first(work, 9001);
  std::thread second(work, 30011);
  first.join();
  second.join();
  EXPECT_EQ(n_same, 8);
  EXPECT_EQ(n_errors, 8);
}

}  // namespace
}  // namespace kauri::testing
