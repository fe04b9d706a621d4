/// \file Finds the best splits on columns with few different values, from the sums of rows by value.
///
/// The candidates, and so the trees, are the same as with sorted entries (exact_columns.h): a boundary lies between two
/// values that both have rows in the node.
/// 1. A node's histogram holds, for each value of each narrow column, the sum of its rows. The sibling with fewer rows
///    is added up; the other's histogram is the parent's minus that one, exactly, because the sums are integers.
/// 2. If a node has fewer rows than values, and for wide columns, the rows are added column by column to cells that are
///    otherwise zero; a bit marks each cell in use. Siblings are then searched separately.
/// 3. The values with rows, and their sums, are scanned like a segment, or passed to category_split.h.
/// A value has rows if its sum is not zero, so each hessian must be positive if the column holds numbers.
///
/// Lower bound of the cost: step 1 takes an addition of 16 bytes, 0.9 to 1.2 ns, per row of the smaller child and
/// column, and about 5 ns per value with rows; step 2 takes about 3 ns per row and column. The sorted entries take 1.3
/// to 2.1 ns for every row of both children, or 5 ns for categories.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "tree/exact/exact_codes.h"
#include "tree/exact/exact_level.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

class CodedColumns {
 public:
  /// `codes` must outlive this object.
  explicit CodedColumns(ExactCodes const& codes);

  /// Returns to the root. Only these elements of Columns() (ascending) take part in the tree.
  void Start(std::vector<std::uint32_t> columns);
  /// Does what ExactColumns::FindSplits does. pairs: [n_rows], the tree's pairs by row.
  void FindSplits(Context const& ctx, ExactLevel const& level, Span<FixedPair const> pairs, Span<RowMove const> moves,
                  std::vector<SplitCandidate>* best);
  /// Returns the categories of a column with rows in an active node.
  std::vector<CategoryEntry> SumsOf(CodedColumn const& column, RowOrder const& rows, PlaceRange range) const;

 private:
  /// The two children of one node, or a single node as `small`.
  struct Family {
    std::int32_t small = -1;  ///< index of an active node
    std::int32_t large = -1;
    FixedSum* small_cells = nullptr;
    FixedSum* large_cells = nullptr;  ///< the parent's cells until the subtraction
    std::vector<FixedSum*> partial = {};
  };
  struct Scratch {
    std::vector<FixedSum> cells;       ///< zero between two columns
    std::vector<std::uint64_t> used;   ///< a bit for each cell, also zero between two columns
    std::vector<ColumnEntry> entries;  ///< the values with rows; `row` is the code
    std::vector<FixedSum> sums;
    std::size_t count = 0;  ///< number of values with rows
    std::vector<CategoryEntry> categories;

    void Reserve(std::size_t n_codes);
    void FillCategories();
  };

  bool PaysFor(std::int64_t n_rows) const;
  std::vector<Family> MakeFamilies(Span<ExactNode const> nodes, Span<RowMove const> moves);
  void AddRows(Context const& ctx, ExactLevel const& level, Span<FixedPair const> pairs, Span<Family> families);
  void Finish(ExactLevel const& level, Family const& family, CodedColumn const& column,
              std::vector<SplitCandidate>* best);
  void Search(ExactLevel const& level, CodedColumn const& column, std::int32_t node, FixedSum const* cells,
              std::vector<SplitCandidate>* best);
  static SplitCandidate SearchNumbers(ExactLevel const& level, CodedColumn const& column, std::size_t node,
                                      Scratch* scratch);
  static SplitCandidate SearchCategories(ExactLevel const& level, CodedColumn const& column, std::size_t node,
                                         Scratch* scratch);
  /// Collect the values with rows in a node, with their sums.
  static void CollectCells(CodedColumn const& column, FixedSum const* cells, Scratch* scratch);
  void CollectRows(CodedColumn const& column, RowOrder const& rows, PlaceRange range, Scratch* scratch) const;

  ExactCodes const* codes_;
  HistogramPool pool_;
  std::unique_ptr<HistogramAdder> adder_;
  std::vector<std::uint32_t> columns_;  // columns of the tree
  std::vector<std::uint32_t> narrow_;   // narrow columns of the tree, by their index in the codes
  std::vector<FixedSum*> cells_;        // [active nodes], nullptr: none
  std::vector<Scratch> scratch_;        // [threads]
};

}  // namespace kauri
