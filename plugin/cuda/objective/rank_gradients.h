/// \file Gradients of rankings on the device: the host's pairs and formulas (src/objective/rank_pair.h), so its bits.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/data/device_info.h"
#include "kauri/gradient.h"
#include "objective/rank_rule.h"

namespace kauri::cuda {

/// margins and out: [n_rows], device. Asynchronous; about 90 bytes per row of device memory while it runs.
void RankGradients(CudaContext const& cuda, LambdaRule const& rule, Span<float const> margins, DeviceInfo const& info,
                   Span<GradientPair> out);

}  // namespace kauri::cuda
