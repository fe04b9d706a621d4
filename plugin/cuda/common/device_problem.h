/// \file Why no CUDA device can be used, in words for the person at the keyboard.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace kauri::cuda {

/// What the CUDA runtime says of the machine. Versions as CUDA writes them: 12040 is 12.4.
struct DeviceSurvey {
  cudaError_t code = cudaSuccess;
  int n_devices = 0;
  int driver_version = 0;  ///< 0: there is no driver
  int runtime_version = 0;
  char const* visible_devices = nullptr;  ///< the variable CUDA_VISIBLE_DEVICES; null: not set
};

/// Asks the runtime; never throws.
DeviceSurvey SurveyDevices();

/// What is wrong and the cure, in whole sentences; empty when there is a device.
std::string DeviceProblem(DeviceSurvey const& survey);

}  // namespace kauri::cuda
