/// \file Grows one tree from rows on the CPU: the axes "rows" and "criterion" of a growth (tree/README.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/collective.h"
#include "tree/growth/hist_growth.h"
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

}  // namespace kauri
