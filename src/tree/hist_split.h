/// \file The best split of a node from its histogram.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bin_matrix.h"
#include "kauri/gradient.h"
#include "tree/split_gain.h"

namespace kauri {

/// What a scan needs to know of a node.
struct NodeTotal {
  FixedSum sum;
  double gain = 0.0;  ///< LeafGain(sum)
};

/// Scratch of one thread: the bins of a feature that hold rows.
struct ScanScratch {
  std::vector<FixedSum> left;        ///< sums up to and including each such bin
  std::vector<std::uint32_t> codes;  ///< their codes
};

/// Replaces *best where a split at `feature` is better (IsBetter); call it for ascending features.
/// cells: the feature's part of the node's histogram. Candidates, as XGBoost's: with the missing rows to the right, the
/// first cut behind every bin that holds rows, the last of them only where rows are missing; with the missing rows to
/// the left, the last cut before every such bin but the first. A node in which no row misses the feature has no
/// candidates of the second kind.
void FindBestSplit(GainParam const& param, BinMatrix const& bins, std::uint32_t feature, FixedSum const* cells,
                   NodeTotal const& node, ScanScratch* scratch, SplitCandidate* best);

/// The code of the last bin left of a threshold that is one of the feature's cuts.
std::uint32_t CodeOfThreshold(BinMatrix const& bins, std::uint32_t feature, float threshold);

}  // namespace kauri
