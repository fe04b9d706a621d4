/// \file The candidate conditions of a level if one random threshold per feature is drawn for all of its nodes.
///
/// Vocabulary. The nodes provide sums of their rows, in columns. A plain column belongs to a numerical feature that no
/// row misses. Rows up to the drawn bin go left, which is the feature's only condition. Any other feature has two
/// columns: the sum of the rows that its draw selects, and the sum of its missing rows; its conditions combine both.
/// Numerical features: bins up to the drawn one go left, and missing rows go right, or left; or all present rows go
/// left and missing rows right, if the last bin edge is finite. Categorical features: the drawn category goes right,
/// the others left, and missing rows left, or right.
/// A level has one draw, like a node otherwise. It is among all bin edges of the feature except the last, or among its
/// categories.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/span.h"
#include "tree/growth/split_search.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/split_rules.h"

namespace kauri {

/// A condition. Every sum of the left child is a combination of the node's sum and two columns of sums.
struct LevelCondition {
  LevelSplit split;
  std::int64_t told = 0;     ///< column of the rows that the draw selects
  std::int64_t missing = 0;  ///< column of the missing rows
  int of_node = 0;           ///< factor of the node's sum: 1, 0, or -1
  int of_told = 1;
  int of_missing = 0;

  /// Computes left (out): [n_sums]. sums: [n_sums, width] of the node. node: the node's total sums.
  void Left(SumRow node, std::int64_t const* sums, std::int64_t width, Span<std::int64_t> left) const {
    for (std::size_t sum = 0; sum < left.size(); ++sum, sums += width) {
      left[sum] = of_node * node[sum] + of_told * sums[told] + of_missing * sums[missing];
    }
  }
};

/// A feature with conditions.
struct TestedFeature {
  static constexpr std::int64_t kNoColumn = -1;

  std::uint32_t feature;
  std::uint32_t code;  ///< last bin that goes left, or the selected category; kNoCode: none
  bool is_categorical;
  std::int64_t told;     ///< column of the rows up to the bin, or of the category
  std::int64_t missing;  ///< column of the rows without a value, or kNoColumn
};

/// The features that have plain columns. Plain columns come first and are numbered like their features.
struct PlainColumns {
  std::int64_t n = 0;                       ///< a multiple of kTileColumns; 0 if no feature has a plain column
  std::vector<std::uint8_t> may_miss = {};  ///< [n_cols], unless n is 0: whether some row misses the feature
};

class LevelConditions {
 public:
  /// features: ascending. cuts must outlive this.
  LevelConditions(QuantileCuts const& cuts, PlainColumns const& plain, ThresholdDraw const& draw,
                  Span<std::uint32_t const> features);

  /// Returns the number of columns of sums, a multiple of kTileColumns.
  std::int64_t Width() const { return static_cast<std::int64_t>(below_.size()); }
  /// Returns the bounds of plain columns, [Width()]: smaller bin indices are selected; 0 if the column is not plain or
  /// has no condition.
  std::vector<std::uint16_t> const& Below() const { return below_; }
  /// Returns the features with conditions but without a plain column, ascending.
  std::vector<TestedFeature> const& Others() const { return others_; }
  /// Returns all features with conditions, in no particular order.
  std::vector<TestedFeature> All() const;

  std::int64_t NumPlain() const { return n_plain_; }
  bool IsAsked(std::int64_t column) const { return below_[static_cast<std::size_t>(column)] != 0; }
  /// Returns the condition of a plain column.
  LevelCondition Of(std::int64_t column) const;
  /// Returns the conditions of other features, ascending, in the order given above.
  std::vector<LevelCondition> const& OfOthers() const { return conditions_; }

 private:
  void Ask(TestedFeature const& other);
  LevelSplit MakeSplit(std::uint32_t feature, std::uint32_t code, bool default_left) const;

  QuantileCuts const& cuts_;
  std::int64_t n_plain_;
  std::vector<std::uint16_t> below_;
  std::vector<TestedFeature> others_;
  std::vector<LevelCondition> conditions_;
};

}  // namespace kauri
