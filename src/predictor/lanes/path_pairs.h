/// \file The pairs of features that share a path in some tree of an output: only these pairs interact.
///
/// Shallow trees contain few of the n (n - 1) / 2 pairs of n features. With fashion-MNIST's 784 features and 100 trees
/// of depth 3, an output has at most 900 of 306,936 pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Pairs of slots, numbered by (output, slot, other slot) with other > slot. The pairs of an output are consecutive,
/// and so are the pairs of a feature within it, because slots ascend with their features.
struct PathPairs {
  std::int64_t n_outputs = 0;
  std::int64_t n_slots = 0;
  std::vector<std::int64_t> begin;    ///< [n_outputs * n_slots + 1], by output * n_slots + slot, index into `other`
  std::vector<std::uint32_t> other;   ///< [n_pairs], ascending within a slot
  std::vector<std::uint8_t> is_used;  ///< [n_outputs * n_slots], 1 if a tree of the output splits on the slot

  std::int64_t NumPairs() const { return static_cast<std::int64_t>(other.size()); }
  /// Returns the number of a pair of slots, in any order; -1: no path holds both.
  std::int32_t Number(std::int64_t output, std::uint32_t a, std::uint32_t b) const;
};

/// Finds the pairs of trees, which are numbered within the forest. Time: nodes * depth. Deterministic. \throws
/// Error(kModel) for 2^31 pairs or more.
PathPairs FindPathPairs(Context const& ctx, Forest const& forest, TreeRange trees);

}  // namespace kauri
