/// \file As RoundErrors (engine/round_errors.h), of margins and labels in device memory.
#pragma once

#include "cuda/common/buffer.h"
#include "cuda/data/device_info.h"
#include "engine/line_slopes.h"
#include "kauri/engine.h"
#include "kauri/tree_builder.h"

namespace kauri::cuda {

class DeviceRoundErrors {
 public:
  /// A round begins, of this objective.
  void Begin(Objective const& objective) {
    slopes_ = LineSlopes(objective);
    is_computed_ = false;
  }
  /// Its gradients come from elsewhere.
  void Forget() { slopes_ = LineSlopes(); }
  /// Of one tree, arrays in device memory; without residuals where the loss has other shapes. margins: [n_rows,
  /// n_outputs]. The residuals are those of the margins that the round began with. Valid until the next. Asynchronous.
  LineErrors Of(CudaContext const& cuda, DeviceInfo const& info, Span<float const> margins, RoundTree const& tree);

 private:
  LineSlopes slopes_;
  bool is_computed_ = false;
  Buffer<float> residuals_;  ///< [n_outputs, n_rows]
};

}  // namespace kauri::cuda
