/// \file The best splits on columns of few different values, from the sums of rows by value.
///
/// The candidates, and so the trees, are those of the sorted entries (exact_columns.h): a boundary lies between two
/// values that both have rows in the node.
/// 1. A node's histogram holds, for each value of each narrow column, the sum of its rows. Of two siblings the one with
///    fewer rows is added up; the other's is the parent's less that one, exactly, as the sums are integers.
/// 2. Where a node has fewer rows than values, and for wide columns, the rows are added to cells that are zero
///    otherwise, with a bit for each that is not, one column after the other; the siblings are then searched alone.
/// 3. The values with rows, and their sums, are scanned as a segment is, or given to category_split.h.
/// Whether a value has rows is told by its sum, so each hessian must be positive where the column holds numbers.
///
/// The floor. Step 1 costs an addition of 16 bytes, 0.9 to 1.2 ns, per row of the smaller child and column, and about
/// 5 ns per value that has rows; step 2 about 3 ns per row and column. The sorted entries take 1.3 to 2.1 ns for every
/// row of both children, those of categories 5 ns.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "tree/exact/exact_codes.h"
#include "tree/exact/exact_level.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/histogram/sum_pool.h"

namespace kauri {

class CodedColumns {
 public:
  /// `codes` must outlive this.
  explicit CodedColumns(ExactCodes const& codes);

  /// Back to the root; only these of Columns() (ascending) take part in the tree.
  void Start(std::vector<std::uint32_t> columns);
  /// As ExactColumns::FindSplits; pairs: [n_rows], the tree's, by row.
  void FindSplits(Context const& ctx, ExactLevel const& level, Span<FixedPair const> pairs, Span<RowMove const> moves,
                  std::vector<SplitCandidate>* best);
  /// The categories of a column that have rows in an active node.
  std::vector<CategoryEntry> SumsOf(CodedColumn const& column, RowOrder const& rows, PlaceRange range) const;

 private:
  /// Children of one node, or a node alone as `small`.
  struct Family {
    std::int32_t small = -1;  ///< active nodes
    std::int32_t large = -1;
    FixedSum* small_cells = nullptr;
    FixedSum* large_cells = nullptr;  ///< the parent's until it has been derived
    std::vector<FixedSum*> partial = {};
  };
  struct Scratch {
    std::vector<FixedSum> cells;       ///< zero between two columns
    std::vector<std::uint64_t> used;   ///< a bit for each cell, zero likewise
    std::vector<ColumnEntry> entries;  ///< of the values with rows: `row` is the code
    std::vector<FixedSum> sums;
    std::size_t count = 0;  ///< how many those are
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
  /// The values with rows in a node, with their sums.
  static void CollectCells(CodedColumn const& column, FixedSum const* cells, Scratch* scratch);
  void CollectRows(CodedColumn const& column, RowOrder const& rows, PlaceRange range, Scratch* scratch) const;

  ExactCodes const* codes_;
  HistogramPool pool_;
  std::unique_ptr<HistogramAdder> adder_;
  std::vector<std::uint32_t> columns_;  // of the tree
  std::vector<std::uint32_t> narrow_;   // likewise, by their places in the codes
  std::vector<FixedSum*> cells_;        // [active nodes], nullptr: none
  std::vector<Scratch> scratch_;        // [threads]
};

}  // namespace kauri
