/// \file Statistics of categories in a model of categorical_encoding=ordered: the labels of each category's training
/// rows.
///
/// Vocabulary. An encoded column is a feature whose categories became numbers, or a combination of several such
/// features. Combinations are numbered after the features. A category has one number, the mean label of its rows. With
/// several classes it has one number per class: the share of its rows in the class. Trees use the first number of an
/// encoded column under the column's own index, and the other numbers as columns after all of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri {

/// Sums over some rows in fixed point: the labels, each times its row's weight, and the weights. The label of a class
/// is 1 in its rows and 0 in others.
struct LabelSum {
  std::int64_t labels = 0;
  std::int64_t weights = 0;

  bool operator==(LabelSum const& other) const { return labels == other.labels && weights == other.weights; }
};

/// The categories of a column that occurred, ascending, and the sums over their rows.
struct OrderedColumn {
  std::vector<std::int32_t> categories;
  std::vector<LabelSum> sums;  ///< [n categories, n_numbers]

  bool operator==(OrderedColumn const& other) const { return categories == other.categories && sums == other.sums; }
};

/// Special positions of a row's cell among the categories of its column: the value is missing, or its category did not
/// occur.
constexpr std::int32_t kMissingPosition = -1;
constexpr std::int32_t kUnknownPosition = -2;

/// A combination of categorical columns: a further column, whose categories are the tuples of their categories in a
/// row. It consists of a base, which is a column or an earlier combination, and one more column.
struct OrderedCombination {
  std::int32_t base = 0;            ///< a feature, or n_features plus the number of an earlier combination
  std::int32_t feature = 0;         ///< not one of the base's
  std::vector<std::int64_t> cells;  ///< cells (CellOf) that occurred, ascending
  std::vector<LabelSum> sums;       ///< [n cells, n_numbers]

  /// Returns the cell of two positions, neither of which is missing or unknown.
  static std::int64_t CellOf(std::int32_t base_position, std::int32_t position);
  /// Returns the position of the cell; kMissingPosition if one of the two is missing, else kUnknownPosition if the cell
  /// did not occur.
  std::int32_t PositionOf(std::int32_t base_position, std::int32_t position) const;
  bool operator==(OrderedCombination const& other) const;
};

/// Returns how many numbers a category has with `n_classes` classes; 0 classes: labels are numbers. With two classes
/// the share of one is sufficient: the other share is 1 minus it, and splits on it are the same, mirrored. The share
/// used is the share of class 1, which is the mean label.
constexpr std::int64_t NumbersOf(std::int64_t n_classes) { return n_classes > 2 ? n_classes : 1; }

/// The user's settings of the encoding.
struct OrderedSettings {
  std::int64_t n_permutations = 1;
  float strength = 1.0F;  ///< weight of the prior, in rows of mean weight
  std::uint64_t seed = 0;
  std::int64_t most_combined = 1;  ///< maximum number of columns of a combination; 1: no combinations
  std::int64_t n_numbers = 1;      ///< numbers per category: NumbersOf the classes

  bool operator==(OrderedSettings const& other) const {
    return n_permutations == other.n_permutations && strength == other.strength && seed == other.seed &&
           most_combined == other.most_combined && n_numbers == other.n_numbers;
  }
};

/// The number of an encoded column that trees use as a column.
struct NumberColumn {
  std::size_t column;
  std::int64_t number;
};

/// Encodes a category as the mean label of its rows, or as their share of each class, shrunk towards the mean or share
/// of all rows, the prior. Immutable once it is made; drafts of a model share it.
struct OrderedEncoding {
  OrderedSettings settings;
  std::vector<OrderedColumn> columns;  ///< [n_features]; no categories: the column stays as it is
  std::vector<OrderedCombination> combinations;
  std::vector<LabelSum> totals{LabelSum()};  ///< [n_numbers], sums over all rows
  std::int64_t n_rows = 0;
  double label_unit = 1.0;   ///< value of one integer step; a power of two
  double weight_unit = 1.0;  ///< likewise

  bool Encodes(std::size_t feature) const { return feature < columns.size() && !columns[feature].categories.empty(); }
  /// Returns the weighted mean label of all rows, or their share of a class; 0 if no row has a weight.
  double Prior(std::int64_t number) const;
  /// Returns the weight of the prior, on the scale of the rows' weights.
  double PriorWeight() const;
  float ValueOf(LabelSum rows, std::int64_t number) const;
  /// Returns the value of the category of an encoded column at `position`, from all its rows. A category that did not
  /// occur has the prior, a missing one NaN.
  float ValueAt(NumberColumn of, std::int32_t position) const;
  /// Returns the position of a category; kUnknownPosition if it did not occur.
  std::int32_t PositionOf(std::size_t feature, std::int32_t category) const;
  /// Returns the number of categories of a feature, or of cells of a combination.
  std::size_t NumPositions(std::size_t column) const;
  /// Returns the features that a feature or combination consists of, ascending.
  std::vector<std::int32_t> MembersOf(std::size_t column) const;
  /// Returns the columns that are encoded, ascending.
  std::vector<std::size_t> EncodedColumns() const;
  /// Returns the columns that trees use after the features: combinations by their first numbers, then the other numbers
  /// of each encoded column.
  std::vector<NumberColumn> AddedColumns() const;
  std::int64_t NumAddedColumns() const;
  bool operator==(OrderedEncoding const& other) const;
};

}  // namespace kauri
