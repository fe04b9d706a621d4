/// \file RoundErrors (engine/round_errors.h) for margins and labels in device memory.
#pragma once

#include "cuda/common/buffer.h"
#include "cuda/data/device_info.h"
#include "engine/round_errors.h"
#include "kauri/engine.h"
#include "kauri/tree_builder.h"

namespace kauri::cuda {

class DeviceRoundErrors {
 public:
  /// Begins a round of this objective.
  void Begin(Objective const& objective) {
    slopes_ = LineSlopes(objective);
    is_computed_ = false;
  }
  /// Marks the round's gradients as not computed by the objective.
  void Forget() { slopes_ = LineSlopes(); }
  /// Returns the errors of one tree, as arrays in device memory; without residuals if the loss has another shape.
  /// margins: [n_rows, n_outputs]. The residuals follow from the margins with which the round began. Valid until the
  /// next round. Asynchronous.
  LineErrors Of(CudaContext const& cuda, DeviceInfo const& info, Span<float const> margins, RoundTree const& tree);

 private:
  LineSlopes slopes_;
  bool is_computed_ = false;
  Buffer<float> residuals_;  ///< [n_outputs, n_rows]
};

}  // namespace kauri::cuda
