/// \file The sums that nodes answer the questions of a level with (level_questions.h), of rows in memory.
///
/// Cost of a row: an addition of 8 lanes for each sum and tile of plain columns (drawn/node_codes.h); for each other
/// feature a look-up of its code, and where it is told from the rest or missing, an addition for each sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/drawn/node_codes.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist_vector/level_questions.h"
#include "tree/hist_vector/vector_growth.h"
#include "tree/rows/row_lists.h"

namespace kauri {

/// Dense data in bytes, that are no bundles, have plain columns.
PlainColumns PlainColumnsOf(BinMatrix const& bins);

class LevelSums {
 public:
  /// n_sums: the first integers of a row of the table. What is given must outlive this.
  LevelSums(BinMatrix const& bins, GradientTableView const& table, std::int64_t n_sums)
      : bins_(bins), table_(table), n_sums_(n_sums) {}

  /// [n_nodes, n_sums, questions.Width()], of the rows of all ranks; until the next call.
  std::int64_t const* Of(Context const& ctx, LevelQuestions const& questions,
                         Span<GrowingNode<VectorGrowth> const> nodes, RowLists const& rows);

 private:
  void SumPart(LevelQuestions const& questions, RowSlice slice, NodeCodes* scratch, std::int64_t* sums) const;
  void SumOther(AskedFeature const& other, RowSlice slice, NodeCodes const& rows, std::int64_t width,
                std::int64_t* sums) const;

  BinMatrix const& bins_;
  GradientTableView const& table_;
  std::int64_t n_sums_;
  std::vector<NodeCodes> scratch_;   ///< by thread
  std::vector<std::uint8_t> below_;  ///< of the questions, in bytes
  std::vector<std::int64_t> sums_;   ///< [n_parts, n_sums, width], of which the nodes' first parts come first
};

}  // namespace kauri
