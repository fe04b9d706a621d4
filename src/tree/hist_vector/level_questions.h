/// \file What the nodes of a level are asked, where a threshold is drawn for each feature and all of them share it.
///
/// Vocabulary. A plain column is a feature of dense data in bytes that no row misses and that is no category: its one
/// question is whether a code is below a bound, and those of all plain columns are answered at once
/// (drawn/node_codes.h). Each other feature has two sums of a node's rows: of those that it tells from the rest, and of
/// those that miss it. Its questions are made of these.
/// Numbers: codes up to the drawn one go left, the missing ones right, or left; or all that are there go left and the
/// missing ones right, where the last cut is finite. Categories: the drawn one goes right, the others left, the missing
/// ones left, or right.
/// The draw is that of a node, of which there is one in a level, among all cuts of the feature but the last, or among
/// its categories.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/drawn/node_codes.h"
#include "tree/hist/level_split.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/rows/row_slice.h"
#include "tree/threshold_draw.h"

namespace kauri {

/// One of them. What goes left is, in every sum, a sum of what the node, and two columns of its sums, have.
struct LevelQuestion {
  LevelSplit split;
  std::int64_t told = 0;     ///< a column
  std::int64_t missing = 0;  ///< another
  int of_node = 0;           ///< 1, 0, or -1 for what is taken away
  int of_told = 1;
  int of_missing = 0;

  /// left (out): [n_sums]. sums: [n_sums, width] of the node, whose integers `node` holds.
  void Left(SumRow node, std::int64_t const* sums, std::int64_t width, Span<std::int64_t> left) const {
    for (std::size_t sum = 0; sum < left.size(); ++sum, sums += width) {
      left[sum] = of_node * node[sum] + of_told * sums[told] + of_missing * sums[missing];
    }
  }
};

class LevelQuestions {
 public:
  /// features: ascending. bins must outlive this.
  LevelQuestions(BinMatrix const& bins, ThresholdDraw const& draw, Span<std::uint32_t const> features);

  /// Columns of sums, a multiple of kTileColumns.
  std::int64_t Width() const { return static_cast<std::int64_t>(below_.size()); }
  /// The columns of the data, padded; 0 where none is plain.
  std::int64_t NumPlainColumns() const { return n_plain_; }
  bool IsAsked(std::int64_t column) const { return below_[static_cast<std::size_t>(column)] != 0; }
  /// That of a plain column.
  LevelQuestion Of(std::int64_t column) const;
  /// Those of the other features: ascending, and in the order of above.
  std::vector<LevelQuestion> const& Others() const { return questions_; }

  /// sums (out): [n_sums, Width()], of the first n_sums integers of the rows.
  void Sum(GradientTableView const& table, std::int64_t n_sums, RowSlice slice, NodeCodes* scratch,
           std::int64_t* sums) const;

 private:
  /// A feature that is no plain column.
  struct Other {
    std::uint32_t feature;
    std::uint32_t code;  ///< the last that goes left, or the category that goes right; kNoCode: none
    bool is_categorical;
    std::int64_t told;     ///< column of the sums of the rows that are left of the code, or of the category
    std::int64_t missing;  ///< column of the sums of the rows without a value
  };

  void Ask(Other const& other);
  void SumOther(Other const& other, RowSlice slice, NodeCodes const& rows, std::int64_t* sums) const;
  LevelSplit MakeSplit(std::uint32_t feature, std::uint32_t code, bool default_left) const;

  BinMatrix const& bins_;
  std::int64_t n_plain_ = 0;
  std::vector<std::uint8_t> below_;  ///< [Width()]: codes below it go left; 0: nothing is asked, or of another feature
  std::vector<Other> others_;
  std::vector<LevelQuestion> questions_;
};

}  // namespace kauri
