/// \file Predictions that stay in device memory. Kinds without a device version are computed from a copy of the rows in
/// host memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "booster/predict/prediction.h"
#include "kauri/device_memory.h"

namespace kauri {

/// A Prediction in device memory.
struct DevicePrediction {
  std::unique_ptr<DeviceFloats> values;
  std::vector<std::uint64_t> shape;
};

/// Rows in device memory. The rows must outlive this object.
struct GivenDeviceRows {
  DeviceStorage const& storage;
  Span<float const> base_margin;  ///< [n_rows, n_outputs], or empty
  DeclaredColumns columns = {};
};

/// Predicts into the memory of the rows' device.
DevicePrediction PredictOnDevice(ReadyModel const& model, GivenDeviceRows const& rows, PredictOptions const& options);

/// Returns the rows of `data`. \throws Error(kData) unless they are in device memory.
GivenDeviceRows DeviceRowsOf(DataMatrix const& data);

/// Copies a prediction to the memory of a device.
DevicePrediction UploadPrediction(Prediction const& on_host, int device);

}  // namespace kauri
