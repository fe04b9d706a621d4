/// \file The best splits among those that ranks have found in their shares of the columns.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "tree/gain_noise.h"

namespace kauri {

/// What this rank has found for a node, and the noise there, which is every rank's.
struct RankedSplit {
  SplitCandidate* best;
  GainNoise noise = {};
};

/// Each candidate becomes the best of what the ranks have for it, on all of them. Every rank has as many. Bytes: 48 a
/// candidate and rank at most, in one sum. \throws Error(kCollective) for a feature that is none of n_cols: what other
/// ranks have found came over a wire.
void BestOverRanks(Context const& ctx, std::int64_t n_cols, std::vector<RankedSplit> const& candidates);

}  // namespace kauri
