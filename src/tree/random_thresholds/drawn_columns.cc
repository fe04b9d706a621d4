#include "tree/random_thresholds/drawn_columns.h"

#include <array>

#include "common/memory_size.h"

namespace kauri {

bool DrawsMostColumns(BinMatrix const& bins) {
  constexpr std::int64_t kMostOthers = 4;  // at most one in this many features
  if (!bins.IsDense() || bins.HasBundles() || !bins.HasByteCodes()) return false;
  std::int64_t n_others = 0;
  for (std::uint32_t feature = 0; feature < bins.NumCols(); ++feature) {
    n_others += bins.Cuts().IsCategorical(feature) || bins.MissingCode(feature) != kNoCode ? 1 : 0;
  }
  return n_others * kMostOthers <= bins.NumCols();
}

void DrawThresholds(BinMatrix const& bins, ThresholdDraw const& draw, Span<std::uint32_t const> features,
                    DrawnColumns* columns) {
  columns->n_columns = bins.Bytes().row_stride;
  columns->below.assign(static_cast<std::size_t>(columns->n_columns), 0);
  columns->left.resize(SizeInMemory(columns->n_columns * columns->rows.n_sums));
  columns->others.clear();
  columns->flags.resize(kTileColumns * kTileCodes);
  std::array<UsedCodes, kTileColumns> used;
  std::int64_t tile = -1;
  for (auto const feature : features) {
    if (bins.Cuts().IsCategorical(feature)) {
      columns->others.push_back(feature);
      continue;
    }
    if (feature / kTileColumns != tile) {
      tile = feature / kTileColumns;
      FindUsedCodes(columns->rows, tile * kTileColumns, columns->flags.data(), &used);
    }
    auto const& codes = used[feature % kTileColumns];
    auto const missing = bins.MissingCode(feature);
    if (missing != kNoCode && codes.Has(missing)) {
      columns->others.push_back(feature);
      continue;
    }
    auto const range = draw.RangeOf(feature, codes.Count() - 1);
    if (range.Size() > 0) columns->below[feature] = static_cast<std::uint8_t>(codes.At(range.first) + 1);
  }
  SumBelow(columns->rows, columns->below, columns->left.data());
}

}  // namespace kauri
