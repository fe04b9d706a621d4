/// \file Base scores that are quantiles of the labels.
#pragma once

#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Returns the weighted quantiles of the only column of labels, [quantiles.size()], or 0 without rows. With several
/// ranks, every rank receives the labels and weights of all rows, 8 bytes per row. \throws Error(kData) if all weights
/// are 0.
std::vector<float> LabelQuantiles(Context const& ctx, MetaInfo const& info, std::vector<float> const& quantiles,
                                  std::string const& objective);

}  // namespace kauri
