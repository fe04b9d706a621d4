#include "data/column_parts.h"

#include "common/large_memory.h"
#include "common/memory_size.h"

namespace kauri {

SparseColumns::SparseColumns(Context const& ctx, DataMatrix const& data, std::int64_t first, std::int64_t last,
                             Span<float const> weights) {
  auto const& csr = data.Csr();
  auto const row_begin = [&](std::int64_t row) { return static_cast<std::size_t>(csr.row_ptr[row]); };
  auto const n_cols = data.NumCols();
  auto const n_entries = row_begin(last) - row_begin(first);
  auto const part_rows = RowsPerColumnPart(ctx, last - first, n_cols, static_cast<std::int64_t>(n_entries));
  ColumnPlaces next(static_cast<std::size_t>(NumBlocks(last - first, part_rows)));
  ParallelForBlocks(ctx, last - first, part_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t part) {
    auto& counts = next[part];
    counts.assign(n_cols, 0);
    for (auto i = row_begin(first + begin); i < row_begin(first + end); ++i) ++counts[csr.features[i]];
  });
  begin_.resize(static_cast<std::size_t>(n_cols) + 1);
  PlaceColumns(&next, &begin_);
  ResizeLarge(ctx, &values_, n_entries);
  weights_.resize(weights.empty() ? 0 : values_.size());
  ParallelForBlocks(ctx, last - first, part_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t part) {
    auto& places = next[part];
    for (auto row = first + begin; row < first + end; ++row) {
      for (auto i = row_begin(row); i < row_begin(row + 1); ++i) {
        auto const place = static_cast<std::size_t>(places[csr.features[i]]++);
        values_[place] = csr.values[i];
        if (!weights_.empty()) weights_[place] = weights[row];
      }
    }
  });
}

void CopyColumns(Context const& ctx, DenseBlock const& block, std::vector<float>* columns) {
  constexpr std::int64_t kRowsPerBlock = 1 << 12;
  auto const n_columns = block.n_columns;
  auto const row_stride = block.row_stride;
  auto const* const values = block.values;
  auto const stride = ColumnStride(block.n_rows);
  ResizeLarge(ctx, columns, SizeInMemory(stride * n_columns));
  auto* const out = columns->data();
  ParallelForBlocks(ctx, block.n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t column = 0; column < n_columns; ++column) {
        out[column * stride + row] = values[row * row_stride + column];
      }
    }
  });
}

}  // namespace kauri
