/// \file The rows of each node of a growing tree: one ascending list per node, side by side in one array.
///
/// Splitting a node sorts its part of the array stably into left and right:
/// 1. each block of rows is split separately into two scratch lists (route_rows.h);
/// 2. the counts of the blocks determine the position of each part;
/// 3. the parts are copied there.
/// Rows of nodes whose children are leaves are not moved; they get their leaf immediately.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/rows/code_split.h"
#include "tree/rows/route_rows.h"

namespace kauri {

// Bin indices of one feature, row by row, for partitioning rows.
//
// Dense matrices have such columns, and bundled ones have the columns of the bundles. For other sparse matrices the
// column's entries are written into an array that contains "absent" for all other rows, and are cleared one by one
// after use. If a node has few rows compared to the column's entries, its rows look up their bin indices one by one
// instead.

/// A column with bytes or words, [n_rows]. If both are null, BinMatrix::FindCode must be used.
struct CodeColumn {
  std::uint8_t const* bytes = nullptr;
  std::uint16_t const* words = nullptr;
  /// Offset to subtract from a code to get the feature's bin index; codes of other features become invalid bins.
  std::uint32_t offset = 0;
};

/// A feature and the number of rows whose bin index will be read.
struct ColumnRequest {
  std::uint32_t feature = 0;
  std::int64_t n_rows = 0;
};

/// Provides a few columns at a time.
class CodeColumns {
 public:
  /// Returns how many columns can be available at once.
  static std::size_t MaxColumns(Context const& ctx, BinMatrix const& bins, std::size_t n_wanted);

  /// Makes the columns of at most MaxColumns requests available, and invalidates the previous ones.
  void Prepare(Context const& ctx, BinMatrix const& bins, std::vector<ColumnRequest> requests);
  CodeColumn Of(std::size_t request) const { return columns_[request]; }

 private:
  void Expand(BinMatrix const& bins, std::size_t slot);
  void Wipe(BinMatrix const& bins, std::size_t slot);

  std::vector<ColumnRequest> requests_;
  std::vector<CodeColumn> columns_;                ///< by request
  std::vector<std::vector<std::uint16_t>> slots_;  ///< by request, sparse data only: kAbsentCode except where expanded
};

/// Row numbers are 32 bits wide.
class RowLists {
 public:
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  /// Puts all rows of the data into the root.
  void Reset(std::int64_t n_rows);
  /// Puts the rows with marks[row] == mark into the root. marks: [n_rows], 0 or 1.
  void Reset(Span<std::uint8_t const> marks, std::uint8_t mark);

  std::int64_t NumRows(std::int32_t node) const {
    auto const range = RangeOf(node);
    return range.end - range.begin;
  }
  Range RangeOf(std::int32_t node) const { return ranges_[node]; }
  /// Returns the row numbers by position; nullptr means that position i holds row i.
  std::uint32_t const* Rows() const { return is_identity_ ? nullptr : rows_.data(); }

  /// Splits nodes with disjoint rows. If is_last, writes leaf_of_row instead and leaves the node's list empty.
  void Split(Context const& ctx, BinMatrix const& bins, Span<CodeSplit const> splits, Span<std::int32_t> leaf_of_row);
  /// Takes over the scratch memory of other lists, which allocate it again when needed.
  void TakeScratch(RowLists* other) {
    left_.swap(other->left_);
    right_.swap(other->right_);
  }
  /// Writes leaf_of_row for all rows that are still in a list.
  void WriteLeaves(Context const& ctx, Span<std::int32_t> leaf_of_row) const;

 private:
  /// A block of the rows of one split.
  struct Task {
    std::int64_t split = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t n_left = 0;
    std::int64_t left_place = 0;
    std::int64_t right_place = 0;
  };

  void MakeTasks(Span<CodeSplit const> splits, std::int64_t rows_per_task);
  void PlaceTasks(Span<CodeSplit const> splits);
  void RouteTasks(Context const& ctx, BinMatrix const& bins, Span<CodeSplit const> splits,
                  Span<std::int32_t> leaf_of_row);
  std::int64_t RouteBlockRows(BinMatrix const& bins, CodeSplit const& split, CodeColumn column, RouteBlock block);
  void WriteBlockLeaves(BinMatrix const& bins, CodeSplit const& split, CodeColumn column, RouteBlock block,
                        std::int32_t* leaf_of_row);
  std::int64_t RouteCategories(BinMatrix const& bins, CodeSplit const& split, CodeColumn column, RouteBlock block);
  void WriteCategoryLeaves(BinMatrix const& bins, CodeSplit const& split, CodeColumn column, RouteBlock block,
                           std::int32_t* leaf_of_row);
  void CopyBlock(Task const& task);

  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> left_;  ///< scratch, one part per block
  std::vector<std::uint32_t> right_;
  std::vector<Range> ranges_;  ///< by node
  std::vector<Task> tasks_;
  CodeColumns columns_;
  bool is_identity_ = false;  ///< only the root exists and holds all rows; rows_ is not set
};

/// The rows of one data set in memory while a tree grows.
class MemoryRows {
 public:
  /// NumRows is known for every node.
  static constexpr bool kCountsRows = true;

  /// `bins` must outlive this object.
  explicit MemoryRows(BinMatrix const& bins) : bins_(&bins) {}

  BinMatrix const& Bins() const { return *bins_; }
  QuantileCuts const& Cuts() const { return bins_->Cuts(); }
  /// Returns the lists of the sampled rows, which histograms are made of.
  RowLists const& Sampled() const { return sampled_; }
  std::int64_t NumRows(std::int32_t node) const { return sampled_.NumRows(node); }

  /// Begins a new tree: all rows are in its root. sampled: [n_rows], 0 or 1; empty if all rows are sampled.
  void Reset(Span<std::uint8_t const> sampled);
  /// Sends rows to the children of their nodes, as RowLists::Split.
  void Split(Context const& ctx, Span<CodeSplit const> splits, Span<std::int32_t> leaf_of_row);
  void WriteLeaves(Context const& ctx, Span<std::int32_t> leaf_of_row) const;

 private:
  BinMatrix const* bins_;
  RowLists sampled_;
  RowLists others_;  ///< the rows that are not sampled
  bool has_others_ = false;
};

}  // namespace kauri
