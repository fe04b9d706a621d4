/// \file What the nodes of a level are asked, where a threshold is drawn for each feature and all of them share it.
///
/// Vocabulary. What a node answers with are sums of its rows, a column of them for each of what follows. A plain column
/// is that of a feature which is a number and which no row misses: its rows up to the drawn code go left, which is the
/// one question about it. Any other feature has two columns: of the rows that its draw tells from the rest, and of
/// those that miss it; its questions are made of both.
/// Numbers: codes up to the drawn one go left, the missing ones right, or left; or all that are there go left and the
/// missing ones right, where the last cut is finite. Categories: the drawn one goes right, the others left, the missing
/// ones left, or right.
/// The draw is that of a node, of which there is one in a level, among all cuts of the feature but the last, or among
/// its categories.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/span.h"
#include "tree/growth/level_split.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/threshold_draw.h"

namespace kauri {

/// A question. What goes left is, in every sum, made of what the node, and two columns of its sums, have.
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

/// A feature of which something is asked.
struct AskedFeature {
  static constexpr std::int64_t kNoColumn = -1;

  std::uint32_t feature;
  std::uint32_t code;  ///< the last that goes left, or the category that is told from the rest; kNoCode: none
  bool is_categorical;
  std::int64_t told;     ///< column of the rows up to the code, or of the category
  std::int64_t missing;  ///< column of the rows without a value, or kNoColumn
};

/// Which features have plain columns: those are the first columns, by the features' numbers.
struct PlainColumns {
  std::int64_t n = 0;                       ///< a multiple of kTileColumns; 0: no feature has one
  std::vector<std::uint8_t> may_miss = {};  ///< [n_cols], unless n is 0: which features are missed by some row
};

class LevelQuestions {
 public:
  /// features: ascending. cuts must outlive this.
  LevelQuestions(QuantileCuts const& cuts, PlainColumns const& plain, ThresholdDraw const& draw,
                 Span<std::uint32_t const> features);

  /// Columns of sums, a multiple of kTileColumns.
  std::int64_t Width() const { return static_cast<std::int64_t>(below_.size()); }
  /// [Width()]: codes below it are told from the rest; 0: nothing is asked there, or the column is no plain one.
  std::vector<std::uint16_t> const& Below() const { return below_; }
  /// Those that are asked and have no plain column, ascending.
  std::vector<AskedFeature> const& Others() const { return others_; }
  /// Those that have one, too, in no order.
  std::vector<AskedFeature> All() const;

  std::int64_t NumPlain() const { return n_plain_; }
  bool IsAsked(std::int64_t column) const { return below_[static_cast<std::size_t>(column)] != 0; }
  /// That of a plain column.
  LevelQuestion Of(std::int64_t column) const;
  /// Those of other features: ascending, and in the order of above.
  std::vector<LevelQuestion> const& OfOthers() const { return questions_; }

 private:
  void Ask(AskedFeature const& other);
  LevelSplit MakeSplit(std::uint32_t feature, std::uint32_t code, bool default_left) const;

  QuantileCuts const& cuts_;
  std::int64_t n_plain_;
  std::vector<std::uint16_t> below_;
  std::vector<AskedFeature> others_;
  std::vector<LevelQuestion> questions_;
};

}  // namespace kauri
