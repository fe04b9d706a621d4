/// \file Weights of query groups, scaled for ranking objectives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/context.h"

namespace kauri {

/// By what the weights of groups are multiplied so that their mean is 1; 1 without weights. weights: of this rank's
/// groups. n_mine, n_groups: groups of this rank and of all. \throws Error(kData) when they add up to 0, and when some
/// ranks have weights and others have none.
double WeightScale(Context const& ctx, std::string const& objective, std::vector<float> const& weights,
                   std::int64_t n_mine, std::int64_t n_groups);

/// For groups none of which counts.
[[noreturn]] void FailNoGroupWeight(std::string const& objective, std::int64_t n_groups);

}  // namespace kauri
