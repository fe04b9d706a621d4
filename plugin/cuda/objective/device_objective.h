/// \file Objectives on the device: the host's formulas, so the host's bits.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/common/cuda_context.h"
#include "cuda/data/device_info.h"
#include "kauri/gradient.h"
#include "kauri/objective.h"

namespace kauri::cuda {

/// const, shared by threads. Every call is asynchronous on the stream of `cuda`.
class DeviceObjective {
 public:
  virtual ~DeviceObjective() = default;
  /// margins and out: [n_rows, n_outputs], device. \throws Error(kInternal) when the sizes disagree.
  virtual void ComputeGradients(CudaContext const& cuda, Context const& ctx, Span<float const> margins,
                                DeviceInfo const& info, std::int64_t iteration, Span<GradientPair> out) const = 0;
  /// Whether a row's gradients follow from that row alone, so that each rank of a group can compute those of its rows.
  virtual bool IsOfRowsAlone() const { return false; }
  /// False: predictions are the margins, and TransformMargins does nothing.
  virtual bool Transforms() const = 0;
  /// Margins to predictions, in place, [n_rows, n_outputs], device.
  virtual void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t n_outputs) const = 0;
};

/// The device version of `objective`, from its formula; nullptr when it has none.
std::unique_ptr<DeviceObjective> MakeDeviceObjective(Objective const& objective);

}  // namespace kauri::cuda
