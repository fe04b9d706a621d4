/// Peak device memory of explanations: the model and the tiles in flight, for any number of rows.
#include "cuda/predictor/gpu_predictor.h"
#include "cuda/shap/shap_model.h"
#include "shap_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kTileBytes = 1 << 20;

class GpuShapMemoryTest : public GpuShapTest {
 protected:
  static std::uint64_t PoolBytes(cudaMemPoolAttr attribute) {
    cudaMemPool_t pool{};
    std::uint64_t bytes = 0;
    EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &bytes), cudaSuccess);
    return bytes;
  }
  static void ForgetPeak() {
    cudaMemPool_t pool{};
    std::uint64_t zero = 0;
    EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero), cudaSuccess);
  }

  /// Returns the peak memory of a call beyond the memory before it. `call` has run before, so the model's parts exist.
  template <typename Call>
  static std::uint64_t PeakOf(Call&& call) {
    call();
    ForgetPeak();
    auto const before = PoolBytes(cudaMemPoolAttrUsedMemCurrent);
    call();
    return PoolBytes(cudaMemPoolAttrUsedMemHigh) - before;
  }
};

/// Allowance on top of the tiles for small lists (items of a launch, a start) and the pool's rounding of each buffer.
constexpr std::uint64_t kSlack = 256 << 10;

TEST_F(GpuShapMemoryTest, TilesOfHostRows) {
  ForestSpec spec;
  spec.n_features = 12;
  spec.n_classes = 3;
  auto const model = RandomModel(spec);
  std::int64_t const n_rows = 20000;
  auto const rows = RandomRows(n_rows, spec.n_features, 1);
  auto const start = Start(model);
  for (auto const method : {cuda::ShapMethod::kQuadrature, cuda::ShapMethod::kTreeShap}) {
    for (auto const kind : {PredictKind::kContribution, PredictKind::kInteraction, PredictKind::kBanzhaf,
                            PredictKind::kTaylorInteraction, PredictKind::kApproxContribution}) {
      if (method == cuda::ShapMethod::kTreeShap && static_cast<int>(kind) > 2) continue;
      cuda::GpuModel const compiled(OnDevice(), model, AllTrees(model), CoverSource::kHessian);
      auto const width = OutputWidth(model, kind, AllTrees(model));
      ASSERT_GT(4 * n_rows * width, 2 * kTileBytes) << "the results alone do not fit";
      std::vector<float> out(n_rows * width);
      cuda::ShapOptions const limited{method, BinPacking::kBestFitDecreasing, kTileBytes};
      auto const explain = [&](cuda::ShapOptions const& options) {
        MarginStart const from{start, {}};
        compiled.shap.ExplainHostRows(OnDevice(), options, {rows, kind, AllTrees(model), from, out});
      };
      auto const peak = PeakOf([&] { explain(limited); });
      EXPECT_LE(peak, kTileBytes + kSlack) << "kind " << static_cast<int>(kind);
      auto const in_tiles = out;
      explain({method, BinPacking::kBestFitDecreasing, 0});
      EXPECT_TRUE(SameFloats(in_tiles, out)) << "no bit depends on the tiles";
    }
  }
}

TEST_F(GpuShapMemoryTest, TilesOfSparseInteractions) {
  ForestSpec spec;
  spec.n_features = 400;
  spec.n_trees = 8;
  spec.depth = 4;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(3000, spec.n_features, 2);
  auto const start = Start(model);
  for (std::int64_t const top_k : {0, 5}) {
    cuda::GpuModel const compiled(OnDevice(), model, AllTrees(model), CoverSource::kHessian);
    SparseInteractions in_tiles;
    SparseInteractions at_once;
    auto const explain = [&](std::int64_t tile_bytes, SparseInteractions* out) {
      MarginStart const from{start, {}};
      cuda::ShapOptions const options{cuda::ShapMethod::kQuadrature, BinPacking::kBestFitDecreasing, tile_bytes};
      compiled.shap.ExplainSparse(OnDevice(), options, {rows, AllTrees(model), from, top_k, out});
    };
    EXPECT_LE(PeakOf([&] { explain(kTileBytes, &in_tiles); }), kTileBytes + kSlack);
    explain(0, &at_once);
    EXPECT_TRUE(SameFloats(in_tiles.values, at_once.values));
    EXPECT_EQ(in_tiles.second, at_once.second);
  }
}

}  // namespace
}  // namespace kauri::testing
