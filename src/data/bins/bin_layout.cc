#include "data/bins/bin_layout.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "common/large_memory.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/column_parts.h"
#include "data/matrix_view.h"

namespace kauri {

std::vector<std::uint32_t> FeaturesOfCells(std::vector<std::uint32_t> const& feature_begin) {
  std::vector<std::uint32_t> features(feature_begin.back());
  for (std::uint32_t feature = 0; feature + 1 < feature_begin.size(); ++feature) {
    std::fill(features.begin() + feature_begin[feature], features.begin() + feature_begin[feature + 1], feature);
  }
  return features;
}

void SortByColumn(Context const& ctx, std::int64_t n_cols, std::vector<std::uint32_t> const& feature_begin,
                  BinEntries* out) {
  auto const feature_of = FeaturesOfCells(feature_begin);
  auto const& row_ptr = out->row_ptr;
  auto const n_rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  auto const part_rows = RowsPerColumnPart(ctx, n_rows, n_cols, row_ptr.back());
  ColumnPlaces next(static_cast<std::size_t>(NumBlocks(n_rows, part_rows)));
  ParallelForBlocks(ctx, n_rows, part_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t part) {
    auto& counts = next[part];
    counts.assign(n_cols, 0);
    for (auto i = row_ptr[begin]; i < row_ptr[end]; ++i) {
      ++counts[feature_of[out->cells[i]]];
    }
  });
  out->column_ptr.resize(static_cast<std::size_t>(n_cols) + 1);
  PlaceColumns(&next, &out->column_ptr);
  out->column_rows.resize(out->cells.size());
  out->column_codes.resize(out->cells.size());
  ParallelForBlocks(ctx, n_rows, part_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t part) {
    auto& places = next[part];
    for (auto row = begin; row < end; ++row) {
      for (auto i = row_ptr[row]; i < row_ptr[row + 1]; ++i) {
        auto const cell = out->cells[i];
        auto const feature = feature_of[cell];
        auto const place = static_cast<std::size_t>(places[feature]++);
        out->column_rows[place] = static_cast<std::uint32_t>(row);
        out->column_codes[place] = static_cast<std::uint16_t>(cell - feature_begin[feature]);
      }
    }
  });
}

namespace {

constexpr std::int64_t kShapeRows = 1 << 9;

/// Returns for each feature of sparse data whether it has fewer entries than there are rows: [n_cols].
std::vector<std::uint8_t> FindAbsent(DataMatrix const& data) {
  std::vector<std::int64_t> counts(data.NumCols(), 0);
  for (auto const feature : data.Csr().features) ++counts[feature];
  std::vector<std::uint8_t> missing;
  for (auto const count : counts) missing.push_back(count < data.NumRows() ? 1 : 0);
  return missing;
}

/// Returns for each feature of dense data whether some value is missing: [n_cols].
std::vector<std::uint8_t> FindMissing(Context const& ctx, DataMatrix const& data) {
  auto const n_cols = data.NumCols();
  std::vector<std::uint8_t> missing(n_cols, 0);
  if (!data.HasMissing()) return missing;
  std::vector<std::vector<std::uint8_t>> of_thread(ctx.threads, missing);
  ParallelForBlocks(ctx, data.NumRows(), kShapeRows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto& marks = of_thread[ThreadIndex()];
    for (auto row = begin; row < end; ++row) {
      auto const* values = data.Dense().values.data() + row * n_cols;
      for (std::int64_t feature = 0; feature < n_cols; ++feature) {
        marks[feature] |= static_cast<std::uint8_t>(std::isnan(values[feature]));
      }
    }
  });
  for (auto const& marks : of_thread) {
    for (std::size_t feature = 0; feature < missing.size(); ++feature) missing[feature] |= marks[feature];
  }
  return missing;
}

/// Returns whether the rows of all ranks are stored densely. The decision is the same as for one process with all rows.
bool IsDenseOverRanks(Context const& ctx, DataMatrix const& data) {
  if (MaxOverRanks(ctx, data.IsDense() ? 0 : 1) == 0) return true;
  if (!IsDistributed(ctx)) return false;
  auto const n_rows = CountGlobalRows(ctx, data.NumRows());
  return IsMostlyPresent(SumOverRanks(ctx, data.NumEntries()), n_rows, data.NumCols());
}

}  // namespace

BinShape ShapeOf(Context const& ctx, DataMatrix const& data) {
  BinShape shape;
  shape.n_rows = data.NumRows();
  shape.is_dense = IsDenseOverRanks(ctx, data);
  if (!shape.is_dense) return shape;
  shape.has_missing = data.IsDense() ? FindMissing(ctx, data) : FindAbsent(data);
  std::vector<std::uint64_t> marks(shape.has_missing.begin(), shape.has_missing.end());
  MaxOverRanks(ctx, Span<std::uint64_t>(marks));
  std::transform(marks.begin(), marks.end(), shape.has_missing.begin(),
                 [](std::uint64_t mark) -> std::uint8_t { return mark == 0 ? 0 : 1; });
  return shape;
}

namespace {

constexpr std::int64_t kBundleRows = 1 << 10;
constexpr std::uint32_t kByteCells = 256;

/// Returns whether every row of all ranks has an entry of each of the features with `wanted` set, [n_cols].
bool AreInAllRows(Context const& ctx, CsrStorage const& data, std::vector<std::uint8_t> const& wanted) {
  auto const n_wanted = std::count(wanted.begin(), wanted.end(), 1);
  if (n_wanted == 0) return true;
  auto const n_rows = static_cast<std::int64_t>(data.row_ptr.size()) - 1;
  std::atomic<std::int64_t> n_others{0};  // rows without one of the features
  ParallelForBlocks(ctx, n_rows, kBundleRows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::int64_t n = 0;
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      auto const* const first = data.features.data() + data.row_ptr[row];
      auto const* const last = data.features.data() + data.row_ptr[row + 1];
      auto const n_found = std::count_if(first, last, [&](auto feature) { return wanted[feature] != 0; });
      n += n_found == n_wanted ? 0 : 1;
    }
    n_others += n;
  });
  return SumOverRanks(ctx, n_others.load()) == 0;
}

std::vector<std::uint32_t> BundleOfFeatures(std::vector<FeatureBundle> const& bundles) {
  std::vector<std::uint32_t> bundle_of(bundles.back().last);
  for (std::size_t bundle = 0; bundle < bundles.size(); ++bundle) {
    std::fill(bundle_of.begin() + bundles[bundle].first, bundle_of.begin() + bundles[bundle].last,
              static_cast<std::uint32_t>(bundle));
  }
  return bundle_of;
}

void MakeRoom(Context const& ctx, std::int64_t n_rows, bool with_columns, BundledCodes* bundled) {
  constexpr auto kPerWord = BinCodes<std::uint8_t>::kPerWord;
  constexpr auto kPadding = BinCodes<std::uint8_t>::kPadding;
  auto const n_bundles = static_cast<std::int64_t>(bundled->bundles.size());
  auto& codes = bundled->codes;
  codes.row_stride = NumBlocks(n_bundles, kPerWord) * kPerWord;
  ResizeLarge(ctx, &codes.rows, SizeInMemory(n_rows * codes.row_stride + kPadding));
  if (with_columns) ResizeLarge(ctx, &codes.columns, SizeInMemory(n_rows * n_bundles + kPadding));
}

void EncodeDenseBundles(Context const& ctx, ByteColumns const& data, std::vector<std::uint32_t> const& cell_begin,
                        BundledCodes* bundled) {
  auto& codes = bundled->codes;
  ParallelForBlocks(ctx, data.n_rows, kBundleRows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::array<std::uint8_t, kBundleRows> column;
    for (std::size_t bundle = 0; bundle < bundled->bundles.size(); ++bundle) {
      BundleCodes(data, bundled->bundles[bundle], bundled->most_frequent, cell_begin, begin,
                  {column.data(), ToSize(end - begin)});
      auto* rows = codes.rows.data() + begin * codes.row_stride + bundle;
      for (std::int64_t i = 0; i < end - begin; ++i) rows[i * codes.row_stride] = column[i];
    }
  });
}

}  // namespace

BundledCodes BundleDense(Context const& ctx, BinMatrix const& bins) {
  auto const n_cols = static_cast<std::size_t>(bins.NumCols());
  ByteColumns const data{bins.Bytes().columns.data(), bins.NumRows(), bins.NumCols()};
  std::vector<std::uint32_t> n_codes(n_cols);
  std::vector<std::uint32_t> n_cells(n_cols);
  for (std::size_t feature = 0; feature < n_cols; ++feature) {
    n_codes[feature] = bins.NumBins(feature) + (bins.MissingCode(feature) == kNoCode ? 0U : 1U);
    n_cells[feature] = bins.FeatureBegin()[feature + 1] - bins.FeatureBegin()[feature];
  }
  auto most_frequent = FindMostFrequentCodes(ctx, data, n_codes);
  auto const n_open = std::count_if(most_frequent.begin(), most_frequent.end(),
                                    [](std::uint32_t code) { return code != kNoMostFrequent; });
  if (n_open * 4 <= bins.NumCols()) return {};
  auto bundles = BundleNeighbours(FindOverlaps(ctx, data, most_frequent), n_cells, 0);
  if (bundles.size() * 4 > n_cols * 3) return {};
  for (auto const& bundle : bundles) {
    if (bundle.IsSingle()) most_frequent[bundle.first] = kNoMostFrequent;
  }
  BundledCodes bundled{std::move(bundles), {}, std::move(most_frequent), {}};
  bundled.bundle_of = BundleOfFeatures(bundled.bundles);
  MakeRoom(ctx, bins.NumRows(), false, &bundled);
  EncodeDenseBundles(ctx, data, bins.FeatureBegin(), &bundled);
  return bundled;
}

BundledCodes FindSparseBundles(Context const& ctx, CsrStorage const& csr, std::vector<std::uint32_t>* feature_begin) {
  auto& begin = *feature_begin;
  auto const n_cols = begin.size() - 1;
  std::vector<std::uint32_t> n_cells(n_cols);
  for (std::size_t feature = 0; feature < n_cols; ++feature) n_cells[feature] = begin[feature + 1] - begin[feature];
  auto const fits = [](std::uint32_t n) { return n <= kByteCells; };
  auto const n_entries = SumOverRanks(ctx, static_cast<std::int64_t>(csr.values.size()));
  if (n_entries == 0 || !std::all_of(n_cells.begin(), n_cells.end(), fits)) return {};
  std::vector<std::uint8_t> is_full(n_cols);  // whether there is no code for absence
  std::transform(n_cells.begin(), n_cells.end(), is_full.begin(),
                 [](std::uint32_t n) -> std::uint8_t { return n == kByteCells ? 1 : 0; });
  if (!AreInAllRows(ctx, csr, is_full)) return {};
  BundledCodes bundled;
  bundled.bundles = BundleNeighbours(FindOverlaps(ctx, csr, static_cast<std::int64_t>(n_cols)), n_cells, 1);
  auto const n_rows = static_cast<std::int64_t>(csr.row_ptr.size()) - 1;
  // Exact in floating point. As an integer product, sums that a faulty connection has changed could overflow.
  auto const n_codes = static_cast<double>(bundled.bundles.size()) * static_cast<double>(SumOverRanks(ctx, n_rows));
  if (n_codes > 2.0 * static_cast<double>(n_entries)) return {};
  bundled.bundle_of = BundleOfFeatures(bundled.bundles);
  std::uint32_t n_spare = 0;
  for (auto const& bundle : bundled.bundles) {
    n_spare += is_full[bundle.first] != 0 ? 0 : 1;
    for (auto feature = bundle.first; feature < bundle.last; ++feature) begin[feature] += n_spare;
  }
  begin[n_cols] += n_spare;
  MakeRoom(ctx, n_rows, true, &bundled);
  return bundled;
}

void EncodeBundles(Context const& ctx, CsrStorage const& csr, std::vector<std::uint32_t> const& cells,
                   BundledCodes* bundled) {
  auto& codes = bundled->codes;
  auto const n_rows = static_cast<std::int64_t>(csr.row_ptr.size()) - 1;
  ParallelForBlocks(ctx, n_rows, kBundleRows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      auto* const row_codes = codes.rows.data() + row * codes.row_stride;
      auto const last = static_cast<std::size_t>(csr.row_ptr[row + 1]);
      for (auto i = static_cast<std::size_t>(csr.row_ptr[row]); i < last; ++i) {
        auto const bundle = bundled->bundle_of[csr.features[i]];
        row_codes[bundle] = static_cast<std::uint8_t>(cells[i] - bundled->bundles[bundle].first_cell);
      }
    }
    for (std::size_t bundle = 0; bundle < bundled->bundles.size(); ++bundle) {
      auto* const column = codes.columns.data() + static_cast<std::int64_t>(bundle) * n_rows;
      for (auto row = begin; row < end; ++row) {
        column[row] = codes.rows[static_cast<std::size_t>(row * codes.row_stride) + bundle];
      }
    }
  });
}

}  // namespace kauri
