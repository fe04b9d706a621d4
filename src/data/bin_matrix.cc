#include "data/bin_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/parallel_for.h"
#include "data/bin_bundles.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 9;  // a block of a few dozen columns stays in the second-level cache

/// The cells that a feature takes: whole cache lines, and not a power of two of them, or features of that size would
/// crowd into a few sets of the cache.
std::uint32_t SpacedCells(std::uint32_t n_codes) {
  constexpr std::uint32_t kPerLine = 4;
  auto const cells = (n_codes + kPerLine - 1) / kPerLine * kPerLine;
  return cells % 64 == 0 ? cells + kPerLine : cells;
}

/// Which features of dense data miss a value somewhere: [n_cols].
std::vector<std::uint8_t> FindMissing(Context const& ctx, DataMatrix const& data) {
  auto const n_cols = data.NumCols();
  std::vector<std::uint8_t> missing(static_cast<std::size_t>(n_cols), 0);
  if (!data.HasMissing()) return missing;
  std::vector<std::vector<std::uint8_t>> of_thread(static_cast<std::size_t>(ctx.threads), missing);
  ParallelForBlocks(ctx, data.NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto& marks = of_thread[static_cast<std::size_t>(ThreadIndex())];
    for (auto row = begin; row < end; ++row) {
      auto const* values = data.Dense().values.data() + row * n_cols;
      for (std::int64_t feature = 0; feature < n_cols; ++feature) {
        marks[static_cast<std::size_t>(feature)] |= static_cast<std::uint8_t>(std::isnan(values[feature]));
      }
    }
  });
  for (auto const& marks : of_thread) {
    for (std::size_t feature = 0; feature < missing.size(); ++feature) missing[feature] |= marks[feature];
  }
  return missing;
}

/// One feature: its cuts and the code that stands for NaN.
struct FeatureBins {
  float const* cuts;
  std::uint32_t n_bins;
  std::uint32_t missing_code;
};

/// Codes of values[0], values[stride], ... (n <= kRowsPerBlock): FindBin for all of them in step, so that the latencies
/// of the searches overlap.
template <typename Code>
void EncodeColumn(FeatureBins const& bins, float const* values, std::int64_t stride, std::int64_t n, Code* codes) {
  std::array<float, kRowsPerBlock> value;
  std::array<std::uint32_t, kRowsPerBlock> first;
  auto const count = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < count; ++i) {
    value[i] = values[static_cast<std::int64_t>(i) * stride];
    first[i] = 0;
  }
  for (auto length = bins.n_bins; length > 1;) {
    auto const half = length / 2;
    for (std::size_t i = 0; i < count; ++i) {
      // A mask, not a choice: the outcome is a coin toss, and a branch would be mispredicted half of the time.
      first[i] += half & (0U - static_cast<std::uint32_t>(bins.cuts[first[i] + half - 1] <= value[i]));
    }
    length -= half;
  }
  for (std::size_t i = 0; i < count; ++i) {
    codes[i] = static_cast<Code>(std::isnan(value[i]) ? bins.missing_code : first[i]);
  }
}

template <typename Code>
void EncodeDense(Context const& ctx, DataMatrix const& data, BinMatrix const& layout, BinCodes<Code>* out) {
  auto const n_rows = data.NumRows();
  auto const n_cols = data.NumCols();
  out->row_stride = NumBlocks(n_cols, BinCodes<Code>::kPerWord) * BinCodes<Code>::kPerWord;
  out->rows.resize(static_cast<std::size_t>(n_rows * out->row_stride + BinCodes<Code>::kPadding));
  out->columns.resize(static_cast<std::size_t>(n_rows * n_cols + BinCodes<Code>::kPadding));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto const* values = data.Dense().values.data() + begin * n_cols;
    auto* rows = out->rows.data() + begin * out->row_stride;
    for (std::int64_t feature = 0; feature < n_cols; ++feature) {
      auto const index = static_cast<std::size_t>(feature);
      auto* column = out->columns.data() + feature * n_rows + begin;
      EncodeColumn({layout.Cuts().Of(index), layout.NumBins(index), layout.MissingCode(index)}, values + feature,
                   n_cols, end - begin, column);
      for (std::int64_t row = 0; row < end - begin; ++row) rows[row * out->row_stride + feature] = column[row];
    }
  });
}

void EncodeSparse(Context const& ctx, CsrStorage const& csr, BinMatrix const& layout, BinEntries* out) {
  out->row_ptr = csr.row_ptr;
  out->cells.resize(csr.values.size());
  auto const n_entries = static_cast<std::int64_t>(csr.values.size());
  ParallelForBlocks(ctx, n_entries, 1 << 16, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      auto const feature = csr.features[i];
      out->cells[i] =
          layout.FeatureBegin()[feature] + FindBin(layout.Cuts().Of(feature), layout.NumBins(feature), csr.values[i]);
    }
  });
}

/// next[part][column]: where the first entry of this column goes that lies in this part of the rows.
using ColumnPlaces = std::vector<std::vector<std::int64_t>>;

/// Turns counts into places, column by column, parts in order within a column.
void PlaceColumns(ColumnPlaces* counts, std::vector<std::int64_t>* column_ptr) {
  std::int64_t place = 0;
  for (std::size_t column = 0; column < column_ptr->size(); ++column) {
    (*column_ptr)[column] = place;
    if (column + 1 == column_ptr->size()) break;
    for (auto& part : *counts) {
      auto const count = part[column];
      part[column] = place;
      place += count;
    }
  }
}

/// The same entries column by column: a counting sort, each thread on a part of the rows. Stable, so any number of
/// parts gives the same order.
void SortByColumn(Context const& ctx, CsrStorage const& csr, std::int64_t n_cols,
                  std::vector<std::uint32_t> const& feature_begin, BinEntries* out) {
  auto const n_rows = static_cast<std::int64_t>(csr.row_ptr.size()) - 1;
  auto const part_rows = std::max<std::int64_t>(1, NumBlocks(n_rows, ctx.threads));
  ColumnPlaces next(static_cast<std::size_t>(NumBlocks(n_rows, part_rows)));
  ParallelForBlocks(ctx, n_rows, part_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t part) {
    auto& counts = next[static_cast<std::size_t>(part)];
    counts.assign(static_cast<std::size_t>(n_cols), 0);
    for (auto i = csr.row_ptr[static_cast<std::size_t>(begin)]; i < csr.row_ptr[static_cast<std::size_t>(end)]; ++i) {
      ++counts[csr.features[static_cast<std::size_t>(i)]];
    }
  });
  out->column_ptr.resize(static_cast<std::size_t>(n_cols) + 1);
  PlaceColumns(&next, &out->column_ptr);
  out->column_rows.resize(csr.features.size());
  out->column_codes.resize(csr.features.size());
  ParallelForBlocks(ctx, n_rows, part_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t part) {
    auto& places = next[static_cast<std::size_t>(part)];
    for (auto row = begin; row < end; ++row) {
      for (auto i = csr.row_ptr[static_cast<std::size_t>(row)]; i < csr.row_ptr[static_cast<std::size_t>(row) + 1];
           ++i) {
        auto const feature = csr.features[static_cast<std::size_t>(i)];
        auto const place = static_cast<std::size_t>(places[feature]++);
        out->column_rows[place] = static_cast<std::uint32_t>(row);
        out->column_codes[place] =
            static_cast<std::uint16_t>(out->cells[static_cast<std::size_t>(i)] - feature_begin[feature]);
      }
    }
  });
}

}  // namespace

BinMatrix::BinMatrix(Context const& ctx, DataMatrix const& data, QuantileCuts cuts)
    : n_rows_(data.NumRows()), cuts_(std::move(cuts)) {
  if (!data.IsDense()) {
    feature_begin_ = cuts_.feature_begin;
    bundled_ = FindSparseBundles(ctx, data.Csr(), &feature_begin_);
    EncodeSparse(ctx, data.Csr(), *this, &entries_);
    if (HasBundles()) {
      EncodeBundles(ctx, data.Csr(), entries_.cells, &bundled_);
    } else {
      SortByColumn(ctx, data.Csr(), data.NumCols(), feature_begin_, &entries_);
    }
    return;
  }
  has_missing_ = FindMissing(ctx, data);
  PlaceCells();
  if (byte_codes_) {
    EncodeDense(ctx, data, *this, &bytes_);
    if (!even_cells_) bundled_ = BundleDense(ctx, *this);
  } else {
    EncodeDense(ctx, data, *this, &words_);
  }
}

void BinMatrix::PlaceCells() {
  std::uint32_t most_codes = 0;
  std::uint64_t n_codes = 0;
  for (std::size_t feature = 0; feature < has_missing_.size(); ++feature) {
    auto const codes = cuts_.NumBins(feature) + has_missing_[feature];
    most_codes = std::max(most_codes, codes);
    n_codes += codes;
  }
  byte_codes_ = most_codes <= 1U << 8U;
  even_cells_ = byte_codes_ && n_codes * 4 >= has_missing_.size() * kEvenCells * std::uint64_t{3};
  feature_begin_.push_back(0);
  for (std::size_t feature = 0; feature < has_missing_.size(); ++feature) {
    auto const cells = even_cells_ ? kEvenCells : SpacedCells(cuts_.NumBins(feature) + has_missing_[feature]);
    feature_begin_.push_back(feature_begin_.back() + cells);
  }
}

void BinMatrix::FillUsual(std::uint32_t first, std::uint32_t last, FixedSum total, FixedSum* histogram) const {
  if (bundled_.usual.empty()) return;
  for (auto feature = first; feature < last; ++feature) {
    if (bundled_.usual[feature] == kNoUsual) continue;
    auto* const usual = histogram + feature_begin_[feature] + bundled_.usual[feature];
    *usual = {};
    FixedSum others;
    for (auto cell = feature_begin_[feature]; cell < feature_begin_[feature + 1]; ++cell) others += histogram[cell];
    *usual = total - others;
  }
}

std::uint32_t BinMatrix::FindCode(std::int64_t row, std::size_t feature) const {
  if (IsDense()) {
    auto const index = feature * static_cast<std::size_t>(n_rows_) + static_cast<std::size_t>(row);
    return byte_codes_ ? bytes_.columns[index] : words_.columns[index];
  }
  if (HasBundles()) {
    auto const* column = bundled_.codes.columns.data() + bundled_.bundle_of[feature] * n_rows_;
    auto const code = column[row] - BundleOffset(feature);
    return code < NumBins(feature) ? code : kNoCode;
  }
  auto const begin = entries_.cells.begin() + entries_.row_ptr[static_cast<std::size_t>(row)];
  auto const end = entries_.cells.begin() + entries_.row_ptr[static_cast<std::size_t>(row) + 1];
  auto const found = std::lower_bound(begin, end, feature_begin_[feature]);
  return found != end && *found < feature_begin_[feature + 1] ? *found - feature_begin_[feature] : kNoCode;
}

}  // namespace kauri
