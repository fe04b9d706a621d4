/// \file What is known of the rows and columns besides the feature values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/categories.h"

namespace kauri {

/// For what is said of rows before the rows themselves come.
constexpr std::int64_t kUnknownCount = -1;

/// Consecutive rows among those of all ranks.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;

  bool operator==(RowRange const& other) const { return first == other.first && count == other.count; }
};

/// Every vector is empty when not given. The setters in data/meta_info.h say what values they take; what depends on
/// other fields holds once ValidateInfo has found no fault, which is before anything is learnt or joined.
struct MetaInfo {
  std::int64_t n_rows = 0;              ///< kUnknownCount in a proxy that holds no rows
  std::int64_t n_cols = 0;              ///< likewise
  std::int64_t n_targets = 1;           ///< columns of the labels
  std::vector<float> labels;            ///< [n_rows, n_targets], row-major; NaN in tables: unknown
  std::vector<float> weights;           ///< [n_rows], or [n_groups] for ranking; >= 0
  std::vector<std::int64_t> group_ptr;  ///< [n_groups + 1], ascending from 0 to n_rows: rows of a query are consecutive
  std::vector<float> base_margin;       ///< [n_rows, n_outputs], row-major: added instead of the base score
  std::vector<float> label_lower_bound;    ///< [n_rows], survival
  std::vector<float> label_upper_bound;    ///< [n_rows], survival
  std::vector<float> feature_weights;      ///< [n_cols], column sampling
  std::vector<std::string> feature_names;  ///< [n_cols]
  std::vector<std::string> feature_types;  ///< [n_cols]: float, q, int, i, c
  CategoryNameTable category_names;        ///< [n_cols]
  bool is_encoded = false;                 ///< categories became the numbers that a model's trees know them by
  bool may_lack_columns = false;  ///< text that names only present values: columns after the last with one are not told
  /// CSV text, in which a category may be a name: a number there is no code of a model that knows its categories by
  /// name.
  bool may_name_categories = false;
  /// Which rows of all ranks these are, in their order here; counts add up to n_rows. Empty: row i is row i.
  std::vector<RowRange> global_rows;

  float Weight(std::int64_t row) const { return weights.empty() ? 1.0F : weights[row]; }
};

}  // namespace kauri
