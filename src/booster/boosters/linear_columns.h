/// \file The features of a training set, column by column and by row within a column, for coordinate descent.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"

namespace kauri {

/// The present values of a feature.
struct LinearColumn {
  Span<std::uint32_t const> rows;  ///< ascending; empty when the feature has a value in every row
  Span<float const> values;
};

/// Immutable; 4 bytes per value of a matrix without missing values, else 8 bytes per present value.
class LinearColumns : public BuildState {
 public:
  /// \throws Error(kData) for 2^32 rows or more.
  LinearColumns(Context const& ctx, DataMatrix const& data);
  std::int64_t NumCols() const { return static_cast<std::int64_t>(column_ptr_.size()) - 1; }
  std::int64_t NumEntries() const { return column_ptr_.back(); }
  LinearColumn Column(std::int64_t feature) const;

 private:
  void TakeDense(Context const& ctx, DataMatrix const& data);
  void TakeSparse(DataMatrix const& data);

  std::vector<std::int64_t> column_ptr_;  ///< [n_cols + 1]
  std::vector<std::uint32_t> rows_;       ///< [n_entries]; empty: no value is missing
  std::vector<float> values_;             ///< [n_entries]
};

}  // namespace kauri
