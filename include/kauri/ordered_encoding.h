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

/// How categories become numbers: what a user says of it.
struct OrderedSettings {
  std::int64_t n_permutations = 1;
  float strength = 1.0F;  ///< rows of mean weight that the prior counts as
  std::uint64_t seed = 0;

  bool operator==(OrderedSettings const& other) const {
    return n_permutations == other.n_permutations && strength == other.strength && seed == other.seed;
  }
};

/// A category becomes the mean label of its rows, drawn towards that of all rows, which is the prior. Immutable once it
/// is made; drafts of a model share it.
struct OrderedEncoding {
  OrderedSettings settings;
  std::vector<OrderedColumn> columns;  ///< [n_features]; no categories: the column stays as it is
  LabelSum total;                      ///< of all rows
  std::int64_t n_rows = 0;
  double label_unit = 1.0;   ///< powers of two: the worth of a step of the integers
  double weight_unit = 1.0;  ///< likewise

  bool Encodes(std::size_t feature) const { return feature < columns.size() && !columns[feature].categories.empty(); }
  /// The weighted mean label of all rows; 0 where nothing has a weight.
  double Prior() const;
  float ValueOf(LabelSum rows) const;
  /// From all rows of the category; one that did not occur has the prior.
  float ValueOf(std::size_t feature, std::int32_t category) const;
  bool operator==(OrderedEncoding const& other) const;
};

}  // namespace kauri
