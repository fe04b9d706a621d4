#include "data/column_parts.h"

#include "common/large_memory.h"

namespace kauri {

SparseColumns::SparseColumns(DataMatrix const& data, std::int64_t first, std::int64_t last, Span<float const> weights) {
  auto const& csr = data.Csr();
  auto const row_begin = [&](std::int64_t row) { return static_cast<std::size_t>(csr.row_ptr[row]); };
  begin_.assign(static_cast<std::size_t>(data.NumCols()) + 1, 0);
  for (auto i = row_begin(first); i < row_begin(last); ++i) ++begin_[csr.features[i] + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  auto next = begin_;
  ResizeLarge(&values_, row_begin(last) - row_begin(first));
  weights_.resize(weights.empty() ? 0 : values_.size());
  for (auto row = first; row < last; ++row) {
    for (auto i = row_begin(row); i < row_begin(row + 1); ++i) {
      auto const place = static_cast<std::size_t>(next[csr.features[i]]++);
      values_[place] = csr.values[i];
      if (!weights_.empty()) weights_[place] = weights[static_cast<std::size_t>(row)];
    }
  }
}

void CopyColumns(Context const& ctx, DenseRows const& data, std::int64_t first, std::int64_t n_columns,
                 std::int64_t first_row, std::int64_t n_rows, std::vector<float>* columns) {
  constexpr std::int64_t kRowsPerBlock = 1 << 12;
  auto const n_cols = data.NumCols();
  auto const* values = data.values + first_row * n_cols + first;
  ResizeLarge(columns, static_cast<std::size_t>(ColumnStride(n_rows) * n_columns));
  auto* out = columns->data();
  auto const stride = ColumnStride(n_rows);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t column = 0; column < n_columns; ++column) {
        out[column * stride + row] = values[row * n_cols + column];
      }
    }
  });
}

}  // namespace kauri
