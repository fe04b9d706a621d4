/// \file The values of columns that come part by part, kept for their exact ranks within a limit of memory.
///
/// 1. Values and weights of the columns from `first` on are added, in the order of the rows.
/// 2. Where they outgrow the limit, the last columns are let go; another pass over the rows begins with those.
/// So the cuts are those of one array with all rows, however the rows come in batches and how small the limit is.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/sketch_cuts.h"

namespace kauri {

class ColumnValues {
 public:
  ColumnValues(std::int64_t first, std::int64_t n_cols);
  /// The next rows. weights: [n_rows], or empty. Keeps at most `most_bytes`, or one column.
  void Add(Context const& ctx, DataMatrix const& part, Span<float const> weights, std::int64_t most_bytes);
  /// One past the last column that is kept.
  std::int64_t End() const { return first_ + static_cast<std::int64_t>(columns_.size()); }
  std::int64_t Bytes() const;
  /// The exact cuts of the columns that are kept, in a group of those that all ranks keep. Returns one past the last.
  std::int64_t Cut(Context const& ctx, CutTask const& task, std::vector<FeatureCuts>* features) const;

 private:
  struct Column {
    std::vector<float> values;   ///< present ones
    std::vector<float> weights;  ///< of their rows, where some rows have weights

    void Add(ColumnPart const& part);
  };

  std::int64_t first_;
  std::vector<Column> columns_;
};

}  // namespace kauri
