#include "data/empty_columns.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "data/matrix_view.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerTile = 1 << 10;

/// Marks the columns that have a value in a tile, [n_rows, flags->size()].
void MarkValues(std::vector<float> const& tile, std::int64_t n_rows, ColumnFlags* flags) {
  auto const n_cols = flags->size();
  for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
    for (std::size_t col = 0; col < n_cols; ++col) {
      if (!std::isnan(tile[row * n_cols + col])) (*flags)[col] = 1;
    }
  }
}

bool AreAllSet(ColumnFlags const& flags) {
  return std::all_of(flags.begin(), flags.end(), [](auto const flag) { return flag != 0; });
}

/// Returns the type that the batches agree on for a column; empty if none of them has types.
std::string TypeOf(std::vector<MetaInfo*> const& infos, std::vector<ColumnFlags> const& has_value, std::size_t col) {
  std::string type;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    auto const& types = infos[i]->feature_types;
    if (col >= types.size()) continue;
    if (has_value[i][col] != 0) return types[col];
    if (type.empty() || types[col] == "c") type = types[col];
  }
  return type;
}

}  // namespace

ColumnFlags ColumnsWithValues(DataView const& rows) {
  auto const n_cols = rows.NumCols();
  auto const is_skipped = rows.OnDevice() != nullptr || dynamic_cast<SparseView const*>(&rows) != nullptr;
  ColumnFlags flags(static_cast<std::size_t>(n_cols), is_skipped ? 1 : 0);
  std::vector<float> tile;
  for (std::int64_t begin = 0; begin < rows.NumRows() && !AreAllSet(flags); begin += kRowsPerTile) {
    auto const end = std::min(begin + kRowsPerTile, rows.NumRows());
    tile.resize((end - begin) * n_cols);
    rows.CopyRows(begin, end, n_cols, tile.data());
    MarkValues(tile, end - begin, &flags);
  }
  return flags;
}

void SettleTypes(std::vector<MetaInfo*> const& infos, std::vector<ColumnFlags> const& has_value) {
  std::size_t n_cols = 0;
  for (auto const* const info : infos) n_cols = std::max(n_cols, info->feature_types.size());
  for (std::size_t col = 0; col < n_cols; ++col) {
    auto const type = TypeOf(infos, has_value, col);
    for (std::size_t i = 0; i < infos.size(); ++i) {
      auto& types = infos[i]->feature_types;
      if (col < types.size() && has_value[i][col] == 0) types[col] = type;
    }
  }
}

}  // namespace kauri
