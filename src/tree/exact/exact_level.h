/// \file What the columns of a level are searched with, and the best loss change that any of them has reached.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "tree/constraints/constraints.h"
#include "tree/exact/exact_categories.h"
#include "tree/exact/exact_rows.h"
#include "tree/exact/exact_scan.h"
#include "tree/growth/tree_growth.h"
#include "tree/sampling/sampling.h"

namespace kauri {

class LabelBinScan;

/// A node whose split is looked for, and its rows.
struct ExactNode : ActiveNode {
  PlaceRange range;
};

/// Where the rows of a node of the level above went.
struct RowMove {
  std::uint32_t middle = 0;  ///< new positions below it are the left child's
  std::int32_t left = -1;    ///< index of the child among the active nodes; -1 when it is done
  std::int32_t right = -1;
};

/// What a level is scanned with.
struct LevelTask {
  GainParam gain;
  Span<ExactNode const> nodes;
  RowOrder const* rows;
  ColumnSampler const* sampler;
  TreeConstraints const* constraints;
  std::int32_t depth;
  CategoryTask const* categories;
  std::int64_t least_rows = 0;           ///< min_data_in_leaf
  bool draws_thresholds = false;         ///< extra_trees
  Span<float const> costs = {};          ///< of AddCost
  double noise_deviation = 0.0;          ///< of GainNoise
  LabelBinScan const* errors = nullptr;  ///< what splits are chosen by; nullptr: gains of gradients
};

/// Shared by the threads that search a level.
class ExactLevel {
 public:
  /// `task` must outlive this.
  explicit ExactLevel(LevelTask const& task);

  LevelTask const& Task() const { return task_; }
  bool MayUse(std::uint32_t feature, std::size_t node) const;
  /// All of a segment but its entries, what they weigh, the mode and has_missing.
  SegmentView SegmentOf(std::uint32_t feature, std::size_t node) const;
  /// Candidates of the node with less than this need not be found.
  double Floor(std::size_t node) const { return reached_[node].load(std::memory_order_relaxed); }
  /// Keeps the better one in *best, which is the calling thread's own, of that node.
  void Keep(SplitCandidate const& candidate, std::size_t node, SplitCandidate* best) const;
  /// best[thread][node] of all threads into (*merged)[node].
  void Merge(std::vector<std::vector<SplitCandidate>> const& best, std::vector<SplitCandidate>* merged) const;

 private:
  LevelTask const& task_;
  std::vector<WeightBounds> bounds_;
  std::vector<double> node_gain_;
  std::vector<GainNoise> noise_;
  std::vector<std::uint32_t> level_set_;
  std::vector<std::vector<std::uint32_t>> node_sets_;  // empty when all are the level's
  /// The largest loss change found so far, to pass over what cannot win. It is timing that decides how early a value
  /// gets here, but only candidates that lose anyway are passed over.
  mutable std::vector<std::atomic<double>> reached_;
};

}  // namespace kauri
