/// \file Combines the best splits that ranks found in their own columns.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "tree/gain_noise.h"

namespace kauri {

/// The split that this rank found for a node, and the noise of the node, which is the same on all ranks.
struct RankedSplit {
  SplitCandidate* best;
  GainNoise noise = {};
};

/// Replaces each candidate by the best of all ranks' candidates, on all ranks. All ranks pass the same number of
/// candidates. Bytes: at most 48 per candidate and rank, in one all-reduce. \throws Error(kCollective) for a feature
/// outside n_cols, because the message came over a network.
void BestOverRanks(Context const& ctx, std::int64_t n_cols, std::vector<RankedSplit> const& candidates);

}  // namespace kauri
