#include "cuda/common/device_problem.h"

#include <cstdlib>
#include <sstream>

namespace kauri::cuda {
namespace {

std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

DeviceSurvey SurveyDevices() {
  DeviceSurvey survey;
  survey.code = cudaGetDeviceCount(&survey.n_devices);
  cudaGetLastError();  // clears the error, which the next, unrelated call would return
  cudaDriverGetVersion(&survey.driver_version);
  cudaRuntimeGetVersion(&survey.runtime_version);
  survey.visible_devices = std::getenv("CUDA_VISIBLE_DEVICES");
  return survey;
}

std::string DeviceProblem(DeviceSurvey const& survey) {
  std::ostringstream text;
  if (survey.code == cudaSuccess && survey.n_devices > 0) return {};
  if (survey.code == cudaErrorInsufficientDriver && survey.driver_version == 0) {
    text << "no NVIDIA driver is installed. Install one that supports CUDA " << VersionText(survey.runtime_version)
         << ".";
  } else if (survey.code == cudaErrorInsufficientDriver) {
    text << "the NVIDIA driver supports CUDA " << VersionText(survey.driver_version)
         << ", but the plug-in was built for CUDA " << VersionText(survey.runtime_version) << ". Update the driver.";
  } else if (survey.code == cudaSuccess || survey.code == cudaErrorNoDevice) {
    text << "the NVIDIA driver sees no CUDA device";
    if (survey.visible_devices != nullptr) {
      text << "; CUDA_VISIBLE_DEVICES is '" << survey.visible_devices << "'. Unset it to use all devices.";
    } else {
      text << ". Check with nvidia-smi that one is there, and that this container or account may use it.";
    }
  } else {
    text << "the CUDA runtime does not start: " << cudaGetErrorName(survey.code) << " ("
         << cudaGetErrorString(survey.code) << "). Check the driver with nvidia-smi.";
  }
  return text.str();
}

}  // namespace kauri::cuda
