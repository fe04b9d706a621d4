/// \file Base scores that are quantiles of the labels.
#pragma once

#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// The weighted quantiles of the only column of labels, [quantiles.size()]. 0 without rows. Every one of several ranks
/// gets the labels and weights of all rows, 8 bytes each. \throws Error(kData) when all weights are 0.
std::vector<float> LabelQuantiles(Context const& ctx, MetaInfo const& info, std::vector<float> const& quantiles,
                                  std::string const& objective);

}  // namespace kauri
