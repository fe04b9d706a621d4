/// \file Draws one of the candidates of a categorical feature for extra_trees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tree/split_gain.h"
#include "tree/split_rules.h"

namespace kauri {

/// Candidates of one feature in one node. Candidates that differ only in the direction of missing rows share a
/// threshold.
class DrawnCandidates {
 public:
  /// Adds a candidate, valid or not: the draw does not depend on its validity.
  void Add(SplitCandidate const& candidate) { candidates_.push_back(candidate); }
  /// Returns the first of the best candidates with the random threshold, if its loss change exceeds `floor`.
  SplitCandidate Best(ThresholdDraw const& draw, double floor) const {
    SplitCandidate best;
    if (candidates_.empty()) return best;
    std::vector<float> thresholds;
    for (auto const& candidate : candidates_) thresholds.push_back(candidate.threshold);
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    auto const n = static_cast<std::int64_t>(thresholds.size());
    auto const drawn = thresholds[static_cast<std::size_t>(draw.RangeOf(candidates_.front().feature, n).first)];
    best.loss_change = floor;
    for (auto const& candidate : candidates_) {
      if (candidate.threshold == drawn && candidate.loss_change > best.loss_change) best = candidate;
    }
    return best.IsValid() ? best : SplitCandidate{};
  }

 private:
  std::vector<SplitCandidate> candidates_;
};

}  // namespace kauri
