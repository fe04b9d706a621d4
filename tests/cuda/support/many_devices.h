/// \file Several devices for tests: one stands for several; if there are more, tests use all of them as well.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "kauri/context.h"

namespace kauri::testing {

using Devices = std::vector<int>;

inline int NumDevices() {
  int n_devices = 0;
  return cudaGetDeviceCount(&n_devices) == cudaSuccess ? n_devices : 0;
}

/// Returns the first device, twice and thrice, and all available devices.
inline std::vector<Devices> ManyDevices() {
  Devices all;
  for (int device = 0; device < NumDevices(); ++device) all.push_back(device);
  std::vector<Devices> lists{{0, 0}, {0, 0, 0}};
  if (all.size() > 1) lists.push_back(all);
  return lists;
}

inline Context Among(Context ctx, Devices const& devices) {
  ctx.device.ordinals = devices;
  return ctx;
}

inline std::string Text(Devices const& devices) {
  std::string text = "cuda:";
  for (auto const device : devices) text += (text.back() == ':' ? "" : ",") + std::to_string(device);
  return text;
}

}  // namespace kauri::testing
