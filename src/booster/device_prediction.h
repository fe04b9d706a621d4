/// \file Predictions that stay in device memory. What has no device version is computed from a copy of the rows in host
/// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "booster/prediction.h"
#include "kauri/device_memory.h"

namespace kauri {

/// As Prediction.
struct DevicePrediction {
  std::unique_ptr<DeviceFloats> values;
  std::vector<std::uint64_t> shape;
};

/// Rows in device memory, which must outlive it.
struct GivenDeviceRows {
  DeviceStorage const& storage;
  Span<float const> base_margin;  ///< [n_rows, n_outputs], or empty
  DeclaredColumns columns = {};
};

/// The result is in the memory of the rows' device.
DevicePrediction PredictOnDevice(ReadyModel const& model, GivenDeviceRows const& rows, PredictOptions const& options);

/// \throws Error(kData) unless `data` is in device memory.
GivenDeviceRows DeviceRowsOf(DataMatrix const& data);

/// A copy in the memory of a device.
DevicePrediction UploadPrediction(Prediction const& on_host, int device);

}  // namespace kauri
