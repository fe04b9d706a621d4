/// \file The values of columns that come part by part, kept for their exact ranks within a memory limit.
///
/// 1. Values and weights of the columns from `first` on are added, in the order of the rows.
/// 2. If they exceed the limit, the last columns are dropped; another pass over the rows begins with the dropped
///    columns.
/// The cuts are therefore the same as for one array with all rows, whatever the batches and the limit.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/sketch_cuts.h"

namespace kauri {

class ColumnValues {
 public:
  ColumnValues(std::int64_t first, std::int64_t n_cols);
  /// Adds the next rows. weights: [n_rows], or empty. Keeps at most `most_bytes`, but at least one column.
  void Add(Context const& ctx, DataMatrix const& part, Span<float const> weights, std::int64_t most_bytes);
  /// Returns one past the last column that is kept.
  std::int64_t End() const { return first_ + static_cast<std::int64_t>(columns_.size()); }
  std::int64_t Bytes() const;
  /// Computes the exact cuts of the columns that are kept, in a group of the columns that all ranks keep. Returns one
  /// past the last of them.
  std::int64_t Cut(Context const& ctx, CutTask const& task, std::vector<FeatureCuts>* features) const;

 private:
  struct Column {
    std::vector<float> values;   ///< present values
    std::vector<float> weights;  ///< weights of their rows, if some rows have weights

    void Add(ColumnPart const& part);
  };

  std::int64_t first_;
  std::vector<Column> columns_;
};

}  // namespace kauri
