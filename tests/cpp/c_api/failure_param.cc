/// Failures caused by parameters.
#include <string>
#include <vector>

#include "c_api/failure_case.h"

namespace kauri::testing {
namespace {

/// Trains a round with a changed parameter, which is then restored.
std::function<int(Scene const&)> RoundWith(std::string const& name, std::string const& value) {
  return [=](Scene const& scene) {
    EXPECT_OK(XGBoosterSetParam(scene.booster.get(), name.c_str(), value.c_str()));
    auto const status = scene.Continue();
    auto const own = scene.Param(name);
    if (!own.empty()) {
      EXPECT_OK(XGBoosterSetParam(scene.booster.get(), name.c_str(), own.c_str()));
    }
    return status;
  };
}

/// Predicts with an invalid parameter, which is then restored.
int PredictWith(Scene const& scene) {
  EXPECT_OK(XGBoosterSetParam(scene.booster.get(), "max_depth", "deep"));
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  auto const config = PredictConfig(0);
  auto const status =
      XGBoosterPredictFromDMatrix(scene.booster.get(), scene.data.get(), config.c_str(), &shape, &dim, &values);
  EXPECT_OK(XGBoosterSetParam(scene.booster.get(), "max_depth", "3"));
  return status;
}

int OtherBooster(Scene const& scene) {
  auto const* const other = scene.Param("booster") == "gblinear" ? "gbtree" : "gblinear";
  return RoundWith("booster", other)(scene);
}

}  // namespace

std::vector<FailureCase> FailuresOfParameters() {
  return {
      {"an unknown parameter", RoundWith("max_dept", "3")},
      {"an unknown metric", RoundWith("eval_metric", "goodness")},
      {"a bad value", RoundWith("max_depth", "deep")},
      {"a bad value before predictions", PredictWith},
      {"a value out of range", RoundWith("subsample", "1.5")},
      {"an unknown objective", RoundWith("objective", "reg:nothing")},
      {"an objective that needs bounds", RoundWith("objective", "survival:aft")},
      {"an unknown tree method", RoundWith("tree_method", "quick")},
      {"an unknown booster", RoundWith("booster", "gbforest")},
      {"a device that is not there", RoundWith("device", "cuda:99")},
      {"a booster of another kind", OtherBooster, Needs::kTraining},
  };
}

}  // namespace kauri::testing
