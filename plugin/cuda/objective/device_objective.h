/// \file Objectives on the device, with the host's formulas and therefore its bits.
///
/// MakeObjectiveVersion makes a device objective of a formula, for each alternative of ObjectiveFormula. Each file of
/// this folder defines some.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/data/device_info.h"
#include "kauri/gradient.h"
#include "kauri/objective.h"
#include "objective/formula.h"

namespace kauri::cuda {

/// An objective on the device. const, shared by threads. Calls are ordered on the stream of `cuda`; some objectives
/// wait for sums that the host needs.
class DeviceObjective {
 public:
  virtual ~DeviceObjective() = default;
  /// Computes gradients. margins and out: [n_rows, n_outputs], device. \throws Error(kInternal) if the sizes disagree.
  virtual void ComputeGradients(CudaContext const& cuda, Context const& ctx, Span<float const> margins,
                                DeviceInfo const& info, std::int64_t iteration, Span<GradientPair> out) const = 0;
  /// Returns whether a row's gradients depend on that row alone, so that each rank of a group can compute the gradients
  /// of its rows.
  virtual bool IsOfRowsAlone() const { return false; }
  /// Returns false if predictions are the margins; TransformMargins then does nothing.
  virtual bool Transforms() const = 0;
  /// Transforms margins to predictions, in place, [n_rows, n_outputs], device.
  virtual void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t n_outputs) const = 0;
};

/// Returns the device version of `objective`, made from its formula; nullptr if it has none.
std::unique_ptr<DeviceObjective> MakeDeviceObjective(Objective const& objective);

#define KAURI_DECLARE_VERSION(Loss) std::unique_ptr<DeviceObjective> MakeObjectiveVersion(Loss const& loss);
KAURI_FOR_EACH_ELEMENT_LOSS(KAURI_DECLARE_VERSION)
#undef KAURI_DECLARE_VERSION
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(SoftmaxLoss const& loss);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(AbsoluteLoss const& loss);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(std::vector<QuantileLoss> const& losses);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(std::vector<ExpectileLoss> const& losses);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(AftLoss const& loss);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(CoxLoss const& loss);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(LambdaRule const& rule);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(UnbiasedRule const& rule);
inline std::unique_ptr<DeviceObjective> MakeObjectiveVersion(std::monostate) { return nullptr; }

}  // namespace kauri::cuda
