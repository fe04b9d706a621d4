/// \file Base scores that are quantiles of the labels.
#pragma once

#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// The weighted quantile of each output's labels, [quantiles.size()]: of the target of the same number, or of the only
/// target. 0 without rows. \throws Error(kData) when all weights are 0.
std::vector<float> LabelQuantiles(Context const& ctx, MetaInfo const& info, std::vector<float> const& quantiles);

}  // namespace kauri
