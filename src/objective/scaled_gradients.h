/// \file The loops over rows for the losses of scaled_losses.h: (1) every row's root is added up to a scale for each
/// output; (2) every row's gradients are computed on these scales. The bits are the same for any number of threads.
#pragma once

#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "objective/scaled_losses.h"

namespace kauri {

/// Computes the gradients. margins and out: [n_rows, losses.size()], one loss for each output. \throws Error(kInternal)
/// if the sizes disagree.
void ScaledGradients(Context const& ctx, std::vector<AbsoluteLoss> const& losses, Span<float const> margins,
                     MetaInfo const& info, Span<GradientPair> out);
void ScaledGradients(Context const& ctx, std::vector<QuantileLoss> const& losses, Span<float const> margins,
                     MetaInfo const& info, Span<GradientPair> out);

}  // namespace kauri
