/// \file The inputs for searching the columns of a level, and the best loss change that any column has reached.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "data/categories/categories.h"
#include "data/sorted_columns.h"
#include "kauri/span.h"
#include "tree/categories/category_split.h"
#include "tree/constraints/constraints.h"
#include "tree/exact/exact_rows.h"
#include "tree/exact/exact_scan.h"
#include "tree/growth/tree_growth.h"
#include "tree/sampling/sampling.h"

namespace kauri {

// Categorical columns in the exact method: the rows of a node are added up and sent by category.

/// How to split the categorical features of a data set.
struct CategoryTask {
  CategoryLists const& lists;
  CategoryRules rules;

  bool Has(std::uint32_t feature) const { return !lists.empty() && !lists[feature].empty(); }
};

/// Returns the best candidate of a categorical feature in a node (FindCategorySplit) that is at least as good as
/// `floor`. entries: scratch.
SplitCandidate ScanCategories(GainParam const& param, CategoryTask const& task, SegmentView const& segment,
                              double floor, std::vector<CategoryEntry>* entries);

/// Returns the categories that go right at the best split of a node.
std::vector<std::int32_t> RightCategoriesOf(GainParam const& param, CategoryTask const& task,
                                            SplitCandidate const& best, Span<ColumnEntry const> segment,
                                            FixedPair const* pairs);

/// Returns the entries of a segment, reordered so that those that go left come first. right: ascending. n_left (out):
/// the number of entries that go left.
std::vector<ColumnEntry> LeftFirst(Span<ColumnEntry const> segment, std::vector<std::int32_t> const& right,
                                   std::int64_t* n_left);

class LabelBinScan;

/// A node whose split is searched, and its rows.
struct ExactNode : ActiveNode {
  PlaceRange range;
};

/// The new positions of the rows of a node of the level above.
struct RowMove {
  std::uint32_t middle = 0;  ///< new positions below this belong to the left child
  std::int32_t left = -1;    ///< index of the child among the active nodes; -1 if it is finished
  std::int32_t right = -1;
};

/// The inputs of a level's scan.
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
  Span<float const> costs = {};          ///< costs for AddCost
  double noise_deviation = 0.0;          ///< deviation for GainNoise
  LabelBinScan const* errors = nullptr;  ///< search by label bins; nullptr if splits are chosen by gradients
};

/// State shared by the threads that search a level.
class ExactLevel {
 public:
  /// `task` must outlive this object.
  explicit ExactLevel(LevelTask const& task);

  LevelTask const& Task() const { return task_; }
  bool MayUse(std::uint32_t feature, std::size_t node) const;
  /// Returns a segment without entries, count, sums, mode and has_missing, which the caller sets.
  SegmentView SegmentOf(std::uint32_t feature, std::size_t node) const;
  /// Returns the loss change below which candidates of the node need not be found.
  double Floor(std::size_t node) const { return reached_[node].load(std::memory_order_relaxed); }
  /// Keeps the better candidate in *best, the calling thread's own best of that node.
  void Keep(SplitCandidate const& candidate, std::size_t node, SplitCandidate* best) const;
  /// Merges best[thread][node] of all threads into (*merged)[node].
  void Merge(std::vector<std::vector<SplitCandidate>> const& best, std::vector<SplitCandidate>* merged) const;

 private:
  LevelTask const& task_;
  std::vector<WeightBounds> bounds_;
  std::vector<double> node_gain_;
  std::vector<GainNoise> noise_;
  std::vector<std::uint32_t> level_set_;
  std::vector<std::vector<std::uint32_t>> node_sets_;  // empty if all equal the level's set
  /// The largest loss change found so far, used to skip candidates that cannot win. Timing determines when a value
  /// arrives here, but only candidates that lose anyway are skipped.
  mutable std::vector<std::atomic<double>> reached_;
};

}  // namespace kauri
