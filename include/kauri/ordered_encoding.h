/// \file What a model of categorical_encoding=ordered knows of categories: what labels their rows had in training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri {

/// Of some rows, in fixed point: the labels, each times its row's weight, and the weights.
struct LabelSum {
  std::int64_t labels = 0;
  std::int64_t weights = 0;

  bool operator==(LabelSum const& other) const { return labels == other.labels && weights == other.weights; }
};

/// The categories of a column that occurred, ascending, and what their rows add up to.
struct OrderedColumn {
  std::vector<std::int32_t> categories;
  std::vector<LabelSum> sums;  ///< [n categories]

  bool operator==(OrderedColumn const& other) const { return categories == other.categories && sums == other.sums; }
};

/// Where a cell of a row stands among the categories of its column, or these: it is missing, or did not occur.
constexpr std::int32_t kMissingPosition = -1;
constexpr std::int32_t kUnknownPosition = -2;

/// Categorical columns taken together: a further column, whose categories are what those hold in a row. It is a column
/// or a combination before it, the base, and one column more.
struct OrderedCombination {
  std::int32_t base = 0;            ///< a feature, or n_features plus the number of a combination before
  std::int32_t feature = 0;         ///< none of the base's
  std::vector<std::int64_t> cells;  ///< those that occurred, ascending
  std::vector<LabelSum> sums;       ///< [n cells]

  /// Of the positions of base and feature, neither of which is missing or unknown.
  static std::int64_t CellOf(std::int32_t base_position, std::int32_t position);
  /// kMissingPosition where one of the two is, else kUnknownPosition for what did not occur.
  std::int32_t PositionOf(std::int32_t base_position, std::int32_t position) const;
  bool operator==(OrderedCombination const& other) const;
};

/// How categories become numbers: what a user says of it.
struct OrderedSettings {
  std::int64_t n_permutations = 1;
  float strength = 1.0F;  ///< rows of mean weight that the prior counts as
  std::uint64_t seed = 0;
  std::int64_t most_combined = 1;  ///< columns of a combination; 1: there are none

  bool operator==(OrderedSettings const& other) const {
    return n_permutations == other.n_permutations && strength == other.strength && seed == other.seed &&
           most_combined == other.most_combined;
  }
};

/// A category becomes the mean label of its rows, drawn towards that of all rows, which is the prior. Immutable once it
/// is made; drafts of a model share it.
struct OrderedEncoding {
  OrderedSettings settings;
  std::vector<OrderedColumn> columns;  ///< [n_features]; no categories: the column stays as it is
  /// Columns that only the model has: its trees know them as the features after the last.
  std::vector<OrderedCombination> combinations;
  LabelSum total;  ///< of all rows
  std::int64_t n_rows = 0;
  double label_unit = 1.0;   ///< powers of two: the worth of a step of the integers
  double weight_unit = 1.0;  ///< likewise

  bool Encodes(std::size_t feature) const { return feature < columns.size() && !columns[feature].categories.empty(); }
  /// The weighted mean label of all rows; 0 where nothing has a weight.
  double Prior() const;
  /// What the prior counts as, beside the weights of rows.
  double PriorWeight() const;
  float ValueOf(LabelSum rows) const;
  /// Of a feature or, from n_features on, a combination: from all rows of its category at `position`. One that did not
  /// occur has the prior, a missing one NaN.
  float ValueAt(std::size_t column, std::int32_t position) const;
  /// kUnknownPosition for a category that did not occur.
  std::int32_t PositionOf(std::size_t feature, std::int32_t category) const;
  /// Categories of a feature, or cells of a combination.
  std::size_t NumPositions(std::size_t column) const;
  /// The features that a column is made of, ascending.
  std::vector<std::int32_t> MembersOf(std::size_t column) const;
  bool operator==(OrderedEncoding const& other) const;
};

}  // namespace kauri
