/// \file Gradients of rankings on the device: the host's pairs and formulas (src/objective/ranking/rank_pair.h), so its
/// bits.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/data/device_info.h"
#include "kauri/gradient.h"
#include "objective/ranking/position_bias.h"
#include "objective/ranking/rank_rule.h"

namespace kauri::cuda {

/// Computes the gradients. margins and out: [n_rows], device. Asynchronous; about 90 bytes per row of device memory
/// while it runs.
void RankGradients(CudaContext const& cuda, LambdaRule const& rule, Span<float const> margins, DeviceInfo const& info,
                   Span<GradientPair> out);

/// Does the same with a position bias. Returns the costs of pairs by position, added up in the host's order; waits for
/// them, 16 bytes a position. Takes 16 bytes more for each position and block of groups (GroupsPerBlock) while it runs.
PositionCosts UnbiasedGradients(CudaContext const& cuda, LambdaRule const& rule, PositionBias const& bias,
                                Span<float const> margins, DeviceInfo const& info, Span<GradientPair> out);

}  // namespace kauri::cuda
