/// Rows split over all available devices, and over the first one twice.
#include <algorithm>
#include <string>

#include "booster/learner.h"
#include "cuda/predictor/gpu_predictor.h"
#include "data/matrix_view.h"
#include "device_group_fixture.h"
#include "support/device_fixture.h"
#include "support/learner_predict.h"
#include "support/need.h"

namespace kauri::testing {
namespace {

std::unique_ptr<Predictor> MakeGpuPredictor(ParamMap const& params = {}) {
  Registry<PredictorFactory> registry("predictor");
  cuda::RegisterGpuPredictor(&registry);
  return registry.Find("gpu_predictor").make(params);
}

class GpuGroupTest : public DeviceTest {
 protected:
  static Ordinals AllDevices() {
    int n_devices = 0;
    cudaGetDeviceCount(&n_devices);
    Ordinals all;
    for (int device = 0; device < n_devices; ++device) all.push_back(device);
    return all;
  }
  /// Returns the first device twice, and all available devices.
  static std::vector<Ordinals> Groups() {
    auto all = AllDevices();
    return all.size() > 1 ? std::vector<Ordinals>{{0, 0}, std::move(all)} : std::vector<Ordinals>{{0, 0}};
  }
};

TEST_F(GpuGroupTest, BitsOfOneDevice) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const of_row = UniformValues(100002, -2.0F, 2.0F, 11);
  auto const many = RandomRows(50001, spec.n_features, 12);
  auto const few = RandomRows(700, spec.n_features, 13);
  Span<float const> const all_starts(of_row);
  for (auto const* method : {"quadrature", "treeshap"}) {
    auto const gpu = MakeGpuPredictor({{"shap_method", method}});
    Caller const alone(*gpu, On({0}), model);
    for (auto const& ordinals : Groups()) {
      Caller const group(*gpu, On(ordinals, 16), model);
      for (auto const kind : {PredictKind::kMargin, PredictKind::kLeaf, PredictKind::kContribution,
                              PredictKind::kApproxContribution, PredictKind::kInteraction}) {
        SCOPED_TRACE(std::to_string(ordinals.size()) + " devices, kind " + std::to_string(static_cast<int>(kind)));
        auto const& rows = kind == PredictKind::kInteraction ? few : many;
        MarginStart const start{{}, all_starts.subspan(0, 2 * rows.NumRows())};
        auto const expected = alone.Predict(rows, kind, start);
        for (int repeat = 0; repeat < 2; ++repeat) {
          EXPECT_TRUE(SameFloats(group.Predict(rows, kind, start), expected));
        }
      }
    }
  }
}

TEST_F(GpuGroupTest, SparseInteractions) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(700, spec.n_features, 18);
  std::vector<float> const start{0.5F, -0.5F};
  auto const gpu = MakeGpuPredictor();
  Caller const alone(*gpu, On({0}), model);
  for (auto const& ordinals : Groups()) {
    Caller const group(*gpu, On(ordinals), model);
    for (std::int64_t const top_k : {0, 3}) {
      auto const parts = group.Sparse(rows, {start, {}}, top_k);
      auto const whole = alone.Sparse(rows, {start, {}}, top_k);
      EXPECT_EQ(parts.begin, whole.begin);
      EXPECT_EQ(parts.first, whole.first);
      EXPECT_EQ(parts.second, whole.second);
      EXPECT_TRUE(SameFloats(parts.values, whole.values));
    }
  }
}

/// Predicts many tiles on one device in one call, and the same rows in pieces of 3000. The bits must agree.
TEST_F(GpuGroupTest, TilesInFlightKeepTheirRows) {
  ForestSpec spec;
  spec.n_trees = 20;
  spec.n_features = 300;
  spec.depth = 6;
  auto const model = RandomModel(spec);
  std::int64_t const n_rows = 25001;
  auto const rows = RandomRows(n_rows, spec.n_features, 14);
  auto const of_row = UniformValues(static_cast<std::size_t>(n_rows), -2.0F, 2.0F, 15);
  Span<float const> const starts(of_row);
  for (auto const* method : {"quadrature", "treeshap"}) {
    auto const gpu = MakeGpuPredictor({{"shap_method", method}});
    Caller const caller(*gpu, On({0}), model);
    auto const whole = caller.Predict(rows, PredictKind::kContribution, {{}, starts});
    std::vector<float> pieces;
    for (std::int64_t begin = 0; begin < n_rows; begin += 3000) {
      RowWindow const window(rows, begin, std::min(n_rows, begin + 3000));
      auto const piece =
          caller.Predict(window, PredictKind::kContribution, {{}, starts.subspan(begin, window.NumRows())});
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    EXPECT_TRUE(SameFloats(whole, pieces));
  }
}

TEST_F(GpuGroupTest, BoosterOnAllDevices) {
  auto const n_devices = AllDevices().size();
  KAURI_SKIP_UNLESS(n_devices >= 2, "one CUDA device");
  std::shared_ptr<DataMatrix> const data = MakeMatrix({60000, 8, 0.1, 0, false, 16});
  Random random(17);
  for (int row = 0; row < 60000; ++row) data->MutableInfo()->labels.push_back(static_cast<float>(random.Below(2)));
  std::vector<std::vector<float>> results;
  for (std::string const device : {"cuda:0", "cuda:all", "cuda:1,0"}) {
    Learner learner;
    for (auto const& [name, value] :
         ParamMap{{"device", device}, {"tree_method", "hist"}, {"objective", "binary:logistic"}}) {
      learner.SetParam(name, value);
    }
    for (int round = 0; round < 5; ++round) learner.BoostRound(data, round);
    for (auto const kind : {PredictKind::kValue, PredictKind::kLeaf, PredictKind::kContribution}) {
      PredictOptions options;
      options.kind = kind;
      results.push_back(PredictData(learner, *data, options).values);
    }
  }
  for (std::size_t i = 3; i < results.size(); ++i) EXPECT_TRUE(SameFloats(results[i], results[i % 3]));
}

}  // namespace
}  // namespace kauri::testing
