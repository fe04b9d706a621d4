/// \file Weights of query groups, scaled for ranking objectives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/context.h"

namespace kauri {

/// Returns the factor that scales the weights of groups to a mean of 1; 1 without weights. weights: the weights of this
/// rank's groups. n_mine, n_groups: the number of groups of this rank and of all ranks. \throws Error(kData) if they
/// add up to 0, and if some ranks have weights and others have none.
double WeightScale(Context const& ctx, std::string const& objective, std::vector<float> const& weights,
                   std::int64_t n_mine, std::int64_t n_groups);

/// \throws Error(kData) for groups that all have weight 0.
[[noreturn]] void FailNoGroupWeight(std::string const& objective, std::int64_t n_groups);

}  // namespace kauri
