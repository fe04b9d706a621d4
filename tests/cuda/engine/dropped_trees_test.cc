/// Margins without some trees, and after trees changed their weights (booster dart): the device has the CPU's bits.
#include "booster/learner.h"
#include "cuda/engine/cuda_engine.h"
#include "cuda/predictor/gpu_predictor.h"
#include "kauri/engine.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

std::shared_ptr<DataMatrix> MakeData(bool sparse, std::uint64_t seed) {
  std::shared_ptr<DataMatrix> data = MakeMatrix({500, 6, 0.5, 0, sparse, seed});
  Random random(seed);
  for (std::int64_t row = 0; row < 500; ++row) data->MutableInfo()->labels.push_back(random.Normal());
  return data;
}

Model TrainOnTheHost(std::shared_ptr<DataMatrix> const& data) {
  Learner learner;
  learner.SetParam("booster", "dart");
  learner.SetParam("rate_drop", "0.3");
  learner.SetParam("max_depth", "3");
  for (int round = 0; round < 8; ++round) learner.BoostRound(data, round);
  return learner.GetModel();
}

/// An engine and its predictor, which get the same calls on each side.
struct Side {
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Predictor> predictor;
  Context ctx;

  std::vector<float> Margins(std::shared_ptr<DataMatrix> const& data, Model const& model,
                             std::vector<std::int64_t> const& dropped) const {
    std::vector<float> const start{0.25F};
    engine->UpdateMargins(ctx, data, model, *predictor, start, dropped);
    return engine->Margins(*data);
  }
};

using CudaEngineDroppedTrees = DeviceTest;

TEST_F(CudaEngineDroppedTrees, MarginsHaveTheHostsBits) {
  for (auto const sparse : {false, true}) {
    auto const data = MakeData(sparse, 3);
    auto model = TrainOnTheHost(data);
    Registry<PredictorFactory> registry("predictor");
    cuda::RegisterGpuPredictor(&registry);
    Side const device{cuda::MakeCudaEngine(), registry.Find("gpu_predictor").make({}), OnDevice()};
    Side const host{GetRegistries().engines.Find("cpu").make(),
                    GetRegistries().predictors.Find("cpu_predictor").make({}), Context{}};
    std::vector<float> all;
    std::vector<std::vector<std::int64_t>> const calls{{}, {0}, {2, 3, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {}};
    for (auto const& dropped : calls) {
      auto const margins = device.Margins(data, model, dropped);
      EXPECT_TRUE(SameFloats(margins, host.Margins(data, model, dropped)));
      if (dropped.empty() && !all.empty()) {
        EXPECT_TRUE(SameFloats(margins, all));
      }
      if (dropped.empty()) all = margins;
    }
    model.tree_weights[4] *= 0.5F;
    auto const weighed = device.Margins(data, model, {});
    EXPECT_TRUE(SameFloats(weighed, host.Margins(data, model, {})));
    EXPECT_FALSE(SameFloats(weighed, all));
  }
}

}  // namespace
}  // namespace kauri::testing
