#include "booster/config/predictor_name.h"

#include "kauri/error.h"
#include "kauri/plugin.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

constexpr char const* kOnDevice = "gpu_predictor";
constexpr char const* kOfLinear = "linear_predictor";

/// Loads the plug-in with the device's predictor.
void RequireDevicePredictor() {
  auto const status = GetCudaPluginStatus();
  if (status.problem.empty()) return;
  Fail(ErrorKind::kDevice, "predictor=gpu_predictor: ", status.problem, " Or use predictor=cpu_predictor.");
}

}  // namespace

std::string PredictorName(LearnerParam const& param, DeviceKind device) {
  auto const& name = param.predictor;
  auto const is_linear = param.booster == "gblinear";
  if (name == "auto") return is_linear ? kOfLinear : device == DeviceKind::kCuda ? kOnDevice : "cpu_predictor";
  if (is_linear && name == kOnDevice) return kOfLinear;
  if (name == kOnDevice) RequireDevicePredictor();
  if (GetRegistries().predictors.TryFind(name) == nullptr) GetCudaPluginStatus();  // the message lists its names, too
  GetRegistries().predictors.Find(name);
  if (is_linear) return kOfLinear;
  if (name != kOfLinear) return name;
  Fail(ErrorKind::kParameter, "predictor=linear_predictor is for booster=gblinear, but booster=", param.booster,
       " trains trees; use predictor=auto.");
}

}  // namespace kauri
