/// \file Grows one tree from histograms of rows in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/collective.h"
#include "tree/growth/hist_growth.h"
#include "tree/rows/row_lists.h"

namespace kauri {

/// The rows of one data set while a tree grows.
struct GrowingRows {
  RowLists used;         ///< rows that histograms are made of
  RowLists not_sampled;  ///< all other rows
};

template <typename Growth>
class HostHistGrowth : public HistGrowth<Growth> {
 public:
  HostHistGrowth(Context const& ctx, GrowthRules const& rules, TreeTask const& task, BinMatrix const& bins,
                 GrowingRows* rows, Span<std::int32_t> leaf_of_row)
      : HistGrowth<Growth>(ctx, rules, Growth::UnitsOf(task), bins.Cuts()),
        task_(task),
        bins_(bins),
        rows_(rows),
        leaf_of_row_(leaf_of_row) {}

 protected:
  using Node = GrowingNode<Growth>;

  void ResetRows() override {
    if (task_.sampled_rows.empty()) {
      rows_->used.Reset(bins_.NumRows());
    } else {
      rows_->used.Reset(task_.sampled_rows, 1);
      rows_->not_sampled.Reset(task_.sampled_rows, 0);
    }
  }
  void SplitRows(std::vector<CodeSplit> const& splits) override {
    rows_->used.Split(this->ctx_, bins_, splits, leaf_of_row_);
    if (!task_.sampled_rows.empty()) rows_->not_sampled.Split(this->ctx_, bins_, splits, leaf_of_row_);
  }
  void WriteLeaves() override {
    rows_->used.WriteLeaves(this->ctx_, leaf_of_row_);
    if (!task_.sampled_rows.empty()) rows_->not_sampled.WriteLeaves(this->ctx_, leaf_of_row_);
    this->Smooth(task_.sampled_rows, leaf_of_row_);
  }
  bool HasFewerRows(Node const& left, Node const& right) const override {
    if (IsDistributed(this->ctx_)) return this->WeighsLess(left.total, right.total);
    return rows_->used.NumRows(left.id) <= rows_->used.NumRows(right.id);
  }

  TreeTask const& task_;
  BinMatrix const& bins_;
  GrowingRows* rows_;
  Span<std::int32_t> leaf_of_row_;
};

}  // namespace kauri
