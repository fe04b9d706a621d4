/// \file The pairs of features that some path of an output's trees holds together: only they interact.
///
/// Of n features there are n (n - 1) / 2 pairs, of which shallow trees hold few: with fashion-MNIST's 784 features and
/// 100 trees of depth 3 an output has at most 900 of 306,936.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Pairs are numbered by (output, slot, other slot), other > slot: an output's pairs follow each other, and as slots
/// ascend with their features, so do those of a feature.
struct PathPairs {
  std::int64_t n_outputs = 0;
  std::int64_t n_slots = 0;
  std::vector<std::int64_t> begin;    ///< [n_outputs * n_slots + 1], of output * n_slots + slot, into `other`
  std::vector<std::uint32_t> other;   ///< [n_pairs], ascending within a slot
  std::vector<std::uint8_t> is_used;  ///< [n_outputs * n_slots], whether a tree of the output splits on the slot

  std::int64_t NumPairs() const { return static_cast<std::int64_t>(other.size()); }
  /// The number of a pair of slots in any order; -1: no path holds both.
  std::int32_t Number(std::int64_t output, std::uint32_t a, std::uint32_t b) const;
};

/// trees: numbered within the forest. Time: nodes * depth. Deterministic. \throws Error(kModel) for 2^31 pairs.
PathPairs FindPathPairs(Context const& ctx, Forest const& forest, TreeRange trees);

}  // namespace kauri
