/// \file What a model of categorical_encoding=ordered knows of categories: what labels their rows had in training.
///
/// Vocabulary. An encoded column is a feature whose categories became numbers, or a combination of some; combinations
/// are numbered after the features. A category has one number, which says what label its rows have in the mean, or
/// of several classes one for each: the share that its rows have of the class. Trees know the first numbers of an
/// encoded column by its own number, and the others as columns after all of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri {

/// Of some rows, in fixed point: the labels, each times its row's weight, and the weights. The label of a class is 1 in
/// its rows and 0 in others.
struct LabelSum {
  std::int64_t labels = 0;
  std::int64_t weights = 0;

  bool operator==(LabelSum const& other) const { return labels == other.labels && weights == other.weights; }
};

/// The categories of a column that occurred, ascending, and what their rows add up to.
struct OrderedColumn {
  std::vector<std::int32_t> categories;
  std::vector<LabelSum> sums;  ///< [n categories, n_numbers]

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
  std::vector<LabelSum> sums;       ///< [n cells, n_numbers]

  /// Of the positions of base and feature, neither of which is missing or unknown.
  static std::int64_t CellOf(std::int32_t base_position, std::int32_t position);
  /// kMissingPosition where one of the two is, else kUnknownPosition for what did not occur.
  std::int32_t PositionOf(std::int32_t base_position, std::int32_t position) const;
  bool operator==(OrderedCombination const& other) const;
};

/// The numbers of a category of `n_classes` classes, 0: labels are numbers. Of two classes the share of one says all:
/// the other's is what is left of 1, and splits of it are the same, mirrored. So it is that of class 1, the mean label.
constexpr std::int64_t NumbersOf(std::int64_t n_classes) { return n_classes > 2 ? n_classes : 1; }

/// How categories become numbers: what a user says of it.
struct OrderedSettings {
  std::int64_t n_permutations = 1;
  float strength = 1.0F;  ///< rows of mean weight that the prior counts as
  std::uint64_t seed = 0;
  std::int64_t most_combined = 1;  ///< columns of a combination; 1: there are none
  std::int64_t n_numbers = 1;      ///< of a category: NumbersOf the classes

  bool operator==(OrderedSettings const& other) const {
    return n_permutations == other.n_permutations && strength == other.strength && seed == other.seed &&
           most_combined == other.most_combined && n_numbers == other.n_numbers;
  }
};

/// Which number of which encoded column it is that trees know as a column.
struct NumberColumn {
  std::size_t column;
  std::int64_t number;
};

/// A category becomes the mean label of its rows, or their share of each class, drawn towards that of all rows, which
/// is the prior. Immutable once it is made; drafts of a model share it.
struct OrderedEncoding {
  OrderedSettings settings;
  std::vector<OrderedColumn> columns;  ///< [n_features]; no categories: the column stays as it is
  std::vector<OrderedCombination> combinations;
  std::vector<LabelSum> totals{LabelSum()};  ///< [n_numbers]: of all rows
  std::int64_t n_rows = 0;
  double label_unit = 1.0;   ///< powers of two: the worth of a step of the integers
  double weight_unit = 1.0;  ///< likewise

  bool Encodes(std::size_t feature) const { return feature < columns.size() && !columns[feature].categories.empty(); }
  /// The weighted mean label of all rows, or their share of a class; 0 where nothing has a weight.
  double Prior(std::int64_t number) const;
  /// What the prior counts as, beside the weights of rows.
  double PriorWeight() const;
  float ValueOf(LabelSum rows, std::int64_t number) const;
  /// From all rows of a category of an encoded column, at `position`. One that did not occur has the prior, a missing
  /// one NaN.
  float ValueAt(NumberColumn of, std::int32_t position) const;
  /// kUnknownPosition for a category that did not occur.
  std::int32_t PositionOf(std::size_t feature, std::int32_t category) const;
  /// Categories of a feature, or cells of a combination.
  std::size_t NumPositions(std::size_t column) const;
  /// The features that a feature or combination is made of, ascending.
  std::vector<std::int32_t> MembersOf(std::size_t column) const;
  /// Those that are encoded, ascending.
  std::vector<std::size_t> EncodedColumns() const;
  /// What trees know as the columns after the features: combinations by their first numbers, then, of each encoded
  /// column, the other numbers.
  std::vector<NumberColumn> AddedColumns() const;
  std::int64_t NumAddedColumns() const;
  bool operator==(OrderedEncoding const& other) const;
};

}  // namespace kauri
