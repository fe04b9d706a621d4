/// \file The reason why no CUDA device can be used, as a message for the user.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace kauri::cuda {

/// Facts about the machine from the CUDA runtime. Versions in CUDA's notation: 12040 is 12.4.
struct DeviceSurvey {
  cudaError_t code = cudaSuccess;
  int n_devices = 0;
  int driver_version = 0;  ///< 0: there is no driver
  int runtime_version = 0;
  char const* visible_devices = nullptr;  ///< the variable CUDA_VISIBLE_DEVICES; null if not set
};

/// Queries the runtime; never throws.
DeviceSurvey SurveyDevices();

/// Returns the problem and its cure, in whole sentences; empty if there is a device.
std::string DeviceProblem(DeviceSurvey const& survey);

}  // namespace kauri::cuda
