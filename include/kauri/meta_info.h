/// \file Information on rows and columns besides the feature values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/categories.h"

namespace kauri {

/// Count of rows in information that is set before the rows themselves.
constexpr std::int64_t kUnknownCount = -1;

/// Consecutive rows in the numbering over all ranks.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;

  bool operator==(RowRange const& other) const { return first == other.first && count == other.count; }
};

/// Labels, weights and other row and column information. Every vector is empty when not given. The setters in
/// data/meta_info.h describe the values that they take. Conditions between fields hold once ValidateInfo has found no
/// fault, which happens before any training or concatenation.
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
  bool is_encoded = false;                 ///< categories were replaced by the numbers that a model's trees use
  /// text of present values only: columns after the last one with a value are not visible
  bool may_lack_columns = false;
  /// CSV text, in which a category may be a name. A number in it is not a category code of a model that identifies its
  /// categories by name.
  bool may_name_categories = false;
  /// The rows' numbers among the rows of all ranks, in the local order; counts add up to n_rows. Empty: row i is row i.
  std::vector<RowRange> global_rows;

  float Weight(std::int64_t row) const { return weights.empty() ? 1.0F : weights[row]; }
};

}  // namespace kauri
