/// Data without rows have no margins, for any model, on the device as on the host.
#include "booster/booster_fixture.h"
#include "booster/learner.h"
#include "cuda/engine/cuda_engine.h"
#include "cuda/predictor/gpu_predictor.h"
#include "kauri/engine.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

using CudaEngineNoRows = DeviceTest;

Model TrainOnTheHost(Params const& params, int n_classes) {
  return Train(MakeLabelled({300, 6, 0.2, 0, false, 4}, n_classes), params, 4)->GetModel();
}

TEST_F(CudaEngineNoRows, MarginsOfAModelAreEmpty) {
  Registry<PredictorFactory> registry("predictor");
  cuda::RegisterGpuPredictor(&registry);
  auto const predictor = registry.Find("gpu_predictor").make({});
  std::vector<Model> const models{
      TrainOnTheHost({}, 0),
      TrainOnTheHost({{"objective", "multi:softprob"}, {"num_class", "3"}}, 3),
      TrainOnTheHost({{"booster", "dart"}, {"rate_drop", "0.5"}}, 0),
  };
  for (auto const& model : models) {
    for (auto const sparse : {false, true}) {
      auto const engine = cuda::MakeCudaEngine();
      std::shared_ptr<DataMatrix> const data = MakeMatrix({0, 6, 0.2, 0, sparse, 1});
      std::vector<float> const start(ToSize(model.NumOutputs()), 0.25F);
      std::vector<std::int64_t> const first{0};
      for (auto const& dropped : {std::vector<std::int64_t>{}, first, std::vector<std::int64_t>{}}) {
        engine->UpdateMargins(OnDevice(), data, model, *predictor, start, dropped);
        EXPECT_TRUE(engine->Margins(*data).empty());
      }
    }
  }
}

}  // namespace
}  // namespace kauri::testing
