/// \file Grows one tree from rows on the CPU: the axes "rows" and "criterion" of a growth (tree/README.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/collective.h"
#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/growth/hist_growth.h"
#include "tree/random_thresholds/drawn_columns.h"
#include "tree/rows/row_lists.h"

namespace kauri {

/// Rows: the place of the rows while a tree grows. MemoryRows (rows/row_lists.h) or PagedHist (hist/paged_hist.h).
/// Derived classes find the splits.
template <typename Growth, typename Rows>
class HostGrowth : public HistGrowth<Growth> {
 public:
  HostGrowth(Context const& ctx, GrowthRules const& rules, TreeTask const& task, Rows* rows,
             Span<std::int32_t> leaf_of_row)
      : HistGrowth<Growth>(ctx, rules, Growth::UnitsOf(task), rows->Cuts()),
        task_(task),
        rows_(rows),
        leaf_of_row_(leaf_of_row) {}

 protected:
  using Total = typename Growth::Total;
  using Node = GrowingNode<Growth>;

  Total MakeRoot() override { return this->SetRoot(task_); }
  void ResetRows() override { rows_->Reset(task_.sampled_rows); }
  void SplitRows(std::vector<CodeSplit> const& splits) override { rows_->Split(this->ctx_, splits, leaf_of_row_); }
  void WriteLeaves() override {
    rows_->WriteLeaves(this->ctx_, leaf_of_row_);
    this->Smooth(task_.sampled_rows, leaf_of_row_);
  }
  bool HasFewerRows(Node const& left, Node const& right) const override {
    if constexpr (Rows::kCountsRows) {
      if (!IsDistributed(this->ctx_)) return rows_->NumRows(left.id) <= rows_->NumRows(right.id);
    }
    return this->WeighsLess(left.total, right.total);
  }

  TreeTask const& task_;
  Rows* rows_;
  Span<std::int32_t> leaf_of_row_;
};

/// A tree with scalar leaves while it grows from rows in memory. Referenced objects outlive the criterion.
struct CriterionTask {
  Context const& ctx;
  TreeTask const& task;
  BinMatrix const& bins;
  GainParam const& gain;
};

/// Chooses splits otherwise than by the gains of gradients.
class SplitCriterion {
 public:
  virtual ~SplitCriterion() = default;
  /// Sets `best` of the open nodes in the pairs. rows: the rows of each node.
  virtual void FindSplits(RowLists const& rows, Span<GrowingPair<ScalarGrowth> const> pairs) = 0;
};

/// Makes the criterion of one tree.
using MakeCriterion = std::unique_ptr<SplitCriterion> (*)(CriterionTask const& task);

// Decides which nodes of a level are searched without a histogram (hist/few_rows.h,
// hist_vector/vector_workspace.h).

template <typename Growth>
struct LevelByRows {
  std::vector<GrowingPair<Growth>> others;  ///< pairs with more rows
  std::vector<GrowingNode<Growth>*> few;    ///< open nodes of the pairs with few rows
  double n_rows = 0.0;                      ///< rows of the pairs with few rows
};

/// Returns whether the nodes of a level draw random thresholds for most columns at once. finder: split finder.
/// scratches: scratch of all threads, with earlier results of this tree.
template <typename Growth, typename Finder, typename Scratch>
bool DrawsColumns(BinMatrix const& bins, Finder const& finder, std::vector<Scratch> const& scratches,
                  Span<GrowingPair<Growth> const> pairs) {
  if (pairs.empty() || !finder.GoesByGainAlone(pairs[0].small->total) || !DrawsMostColumns(bins)) return false;
  return std::none_of(scratches.begin(), scratches.end(), [](Scratch const& one) { return one.drawn.has_failed; });
}

/// Divides the pairs of a level by their number of rows. are_few(n_rows): whether a pair has few rows.
/// give_back(histogram): called for parents whose children need no histogram.
template <typename Growth, typename AreFew, typename GiveBack>
LevelByRows<Growth> DivideByRows(Span<GrowingPair<Growth> const> pairs, RowLists const& rows, AreFew const& are_few,
                                 GiveBack const& give_back) {
  LevelByRows<Growth> level;
  for (auto const& pair : pairs) {
    auto const together = rows.NumRows(pair.small->id) + (pair.large == nullptr ? 0 : rows.NumRows(pair.large->id));
    if (!are_few(together)) {
      level.others.push_back(pair);
      continue;
    }
    if (pair.parent != nullptr) give_back(pair.parent);
    for (auto* node : {pair.small, pair.large}) {
      if (node != nullptr && node->IsOpen()) level.few.push_back(node);
    }
    level.n_rows += static_cast<double>(together);
  }
  return level;
}

}  // namespace kauri
