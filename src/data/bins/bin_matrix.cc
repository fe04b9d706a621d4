#include "data/bins/bin_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "common/files/checksum.h"
#include "common/large_memory.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/bins/bin_finder.h"
#include "data/bins/bin_layout.h"
#include "data/matrix_view.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 9;  // a block of a few dozen columns stays in the second-level cache

/// Returns the number of cells reserved for a feature: whole cache lines, but never a multiple of 16 of them, because
/// features of such sizes would crowd into a few sets of the cache.
std::uint32_t SpacedCells(std::uint32_t n_codes) {
  constexpr std::uint32_t kPerLine = 4;
  auto const cells = (n_codes + kPerLine - 1) / kPerLine * kPerLine;
  return cells % 64 == 0 ? cells + kPerLine : cells;
}

using ValueBlock = std::array<float, kRowsPerBlock>;

/// Computes the codes of the first n values. missing_code: the code of NaN.
template <typename Code>
void EncodeColumn(BinFinder const& finder, std::uint32_t missing_code, ValueBlock const& values, std::size_t n,
                  Code* codes) {
  std::array<std::uint32_t, kRowsPerBlock> bins;
  finder.Find(values.data(), n, bins.data());
  for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<Code>(std::isnan(values[i]) ? missing_code : bins[i]);
}

template <typename Code>
void Reserve(Context const& ctx, BinMatrix const& layout, BinCodes<Code>* out) {
  auto const n_rows = layout.NumRows();
  out->row_stride = NumBlocks(layout.NumCols(), BinCodes<Code>::kPerWord) * BinCodes<Code>::kPerWord;
  ResizeLarge(ctx, &out->rows, SizeInMemory(n_rows * out->row_stride + BinCodes<Code>::kPadding));
  if (!layout.HasColumns()) return;
  ResizeLarge(ctx, &out->columns, SizeInMemory(n_rows * layout.NumCols() + BinCodes<Code>::kPadding));
}

/// Requires that no value is missing. A missing value without a code would get the code of another cell.
void RequireNoMissing(ValueBlock const& values, std::size_t n, std::int64_t feature) {
  std::size_t n_missing = 0;  // counted, because a compiler makes vector code of a count and not of a flag
  for (std::size_t i = 0; i < n; ++i) n_missing += values[i] == values[i] ? 0 : 1;
  if (n_missing == 0) return;
  Fail(ErrorKind::kData, "feature ", feature,
       " has a missing value that it did not have before; an iterator must give the same rows each time.");
}

[[noreturn]] void FailUnknownCategory(float category, std::uint64_t feature) {
  Fail(ErrorKind::kData, "category ", category, " of column ", feature,
       " does not occur in the data that the bins were made from (Found a category not in the training set). Make it "
       "missing, or let those data have it.");
}

/// Requires that all categories are known: FindBin gives an unknown category the code of another one.
template <typename Code>
void RequireCategories(QuantileCuts const& cuts, std::size_t feature, ValueBlock const& values, std::size_t n,
                       Code const* codes) {
  auto const& categories = cuts.categories[feature];
  for (std::size_t i = 0; i < n; ++i) {
    auto const value = values[i];
    if (std::isnan(value) || value == static_cast<float>(categories[codes[i]])) continue;
    FailUnknownCategory(value, feature);
  }
}

/// Writes the codes of `rows` to the rows of the layout from first_row on.
template <typename Code>
void EncodeDense(Context const& ctx, DataView const& rows, std::int64_t first_row, BinMatrix const& layout,
                 BinCodes<Code>* out) {
  auto const n_cols = layout.NumCols();
  auto const finders = MakeBinFinders(
      rows.NumRows(), n_cols, [&](std::size_t feature) { return layout.Cuts().Of(feature); },
      [&](std::size_t feature) { return layout.NumBins(feature); });
  ParallelForBlocks(ctx, rows.NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::vector<float> tile;
    auto const* values = rows.DenseRows();
    if (values != nullptr) {
      values += begin * n_cols;
    } else {
      tile.resize(SizeInMemory((end - begin) * n_cols));
      rows.CopyRows(begin, end, n_cols, tile.data());
      values = tile.data();
    }
    ValueBlock block;
    std::array<Code, kRowsPerBlock> own_column;
    auto const n = static_cast<std::size_t>(end - begin);
    auto* row_codes = out->rows.data() + (first_row + begin) * out->row_stride;
    for (std::int64_t feature = 0; feature < n_cols; ++feature) {
      auto const index = static_cast<std::size_t>(feature);
      auto* column = layout.HasColumns() ? out->columns.data() + feature * layout.NumRows() + first_row + begin
                                         : own_column.data();
      for (std::int64_t row = 0; row < end - begin; ++row) block[row] = values[row * n_cols + feature];
      auto const missing_code = layout.MissingCode(index);
      if (missing_code == kNoCode) RequireNoMissing(block, n, feature);
      EncodeColumn(finders[index], missing_code, block, n, column);
      if (layout.Cuts().IsCategorical(index)) RequireCategories(layout.Cuts(), index, block, n, column);
      auto* code = row_codes + feature;
      for (std::size_t row = 0; row < n; ++row, code += out->row_stride) *code = column[row];
    }
  });
}

template <typename Code>
void CopyToColumns(Context const& ctx, std::int64_t n_rows, std::int64_t n_cols, BinCodes<Code>* codes) {
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (std::int64_t feature = 0; feature < n_cols; ++feature) {
      auto* const column = codes->columns.data() + feature * n_rows;
      for (auto row = begin; row < end; ++row) column[row] = codes->rows[row * codes->row_stride + feature];
    }
  });
}

/// Returns the present entries of rows of any form.
CsrStorage CompressRows(DataView const& rows) {
  CsrStorage out;
  out.row_ptr.push_back(0);
  std::vector<float> tile(rows.NumCols());
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    rows.CopyRows(row, row + 1, rows.NumCols(), tile.data());
    for (std::size_t feature = 0; feature < tile.size(); ++feature) {
      if (std::isnan(tile[feature])) continue;
      out.features.push_back(static_cast<std::uint32_t>(feature));
      out.values.push_back(tile[feature]);
    }
    out.row_ptr.push_back(static_cast<std::int64_t>(out.values.size()));
  }
  return out;
}

bool FitDenseCodes(QuantileCuts const& cuts) {
  for (std::size_t feature = 0; feature < static_cast<std::size_t>(cuts.NumCols()); ++feature) {
    if (cuts.NumBins(feature) > kMaxShortCodes) return false;
  }
  return true;
}

}  // namespace

BinMatrix::BinMatrix(Context const& ctx, DataMatrix const& data, QuantileCuts cuts)
    : BinMatrix(ctx, std::move(cuts), ShapeOf(ctx, data)) {
  if (is_dense_) {
    Append(ctx, data.IsDense() ? *MakeRowsView(data.Dense().values.data(), data.NumRows(), data.NumCols())
                               : *MakeStorageView(data.Csr(), data.NumCols()));
    Finish(ctx);
    return;
  }
  CsrStorage copy;
  if (data.IsDense()) copy = CompressRows(*data.View());
  auto const& csr = data.IsDense() ? copy : data.Csr();
  bundled_ = FindSparseBundles(ctx, csr, &feature_begin_);
  AppendSparse(ctx, csr);
  if (HasBundles()) {
    EncodeBundles(ctx, csr, entries_.cells, &bundled_);
  } else {
    Finish(ctx);
  }
}

BinMatrix::BinMatrix(Context const& ctx, QuantileCuts cuts, BinShape const& shape)
    : n_rows_(shape.n_rows),
      cuts_(std::move(cuts)),
      is_dense_(shape.is_dense && FitDenseCodes(cuts_)),
      by_column_(shape.by_column) {
  if (!is_dense_) {
    feature_begin_ = cuts_.feature_begin;
    entries_.row_ptr.push_back(0);
    return;
  }
  has_missing_ = shape.has_missing;
  PlaceCells();
  if (byte_codes_) {
    Reserve(ctx, *this, &bytes_);
  } else {
    Reserve(ctx, *this, &words_);
  }
}

void BinMatrix::Append(Context const& ctx, DataView const& rows) {
  if (rows.NumRows() > n_rows_ - n_filled_ || rows.NumCols() != NumCols()) {
    Fail(ErrorKind::kData, "rows ", n_filled_, " to ", n_filled_ + rows.NumRows(), " of ", rows.NumCols(),
         " columns were added, but ", n_rows_, " rows of ", NumCols(),
         " were expected; an iterator must give the same rows each time.");
  }
  if (!is_dense_) {
    auto const* sparse = dynamic_cast<SparseView const*>(&rows);
    auto const* owned = sparse == nullptr ? nullptr : sparse->OwnedCsr();
    return AppendSparse(ctx, owned == nullptr ? CompressRows(rows) : *owned);
  }
  if (byte_codes_) {
    EncodeDense(ctx, rows, n_filled_, *this, &bytes_);
  } else {
    EncodeDense(ctx, rows, n_filled_, *this, &words_);
  }
  n_filled_ += rows.NumRows();
}

void BinMatrix::AppendSparse(Context const& ctx, CsrStorage const& rows) {
  auto const first = static_cast<std::int64_t>(entries_.cells.size());
  for (std::size_t row = 1; row < rows.row_ptr.size(); ++row) entries_.row_ptr.push_back(first + rows.row_ptr[row]);
  ResizeLarge(ctx, &entries_.cells, entries_.cells.size() + rows.values.size());
  auto const n_entries = static_cast<std::int64_t>(rows.values.size());
  ParallelForBlocks(ctx, n_entries, 1 << 16, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      auto const feature = rows.features[i];
      auto const bin = FindBin(cuts_.Of(feature), NumBins(feature), rows.values[i]);
      if (cuts_.IsCategorical(feature) && static_cast<float>(cuts_.categories[feature][bin]) != rows.values[i]) {
        FailUnknownCategory(rows.values[i], feature);
      }
      entries_.cells[first + i] = feature_begin_[feature] + bin;
    }
  });
  n_filled_ += static_cast<std::int64_t>(rows.row_ptr.size()) - 1;
}

void BinMatrix::Finish(Context const& ctx) {
  if (n_filled_ != n_rows_) {
    Fail(ErrorKind::kData, n_filled_, " rows were added, but ", n_rows_,
         " were expected; an iterator must give the same rows each time.");
  }
  if (!by_column_) return;
  if (!is_dense_) {
    SortByColumn(ctx, NumCols(), feature_begin_, &entries_);
  } else if (byte_codes_ && !even_cells_) {
    bundled_ = BundleDense(ctx, *this);
    if (HasBundles()) return;
    ByteColumns const columns{bytes_.columns.data(), n_rows_, NumCols()};
    sparse_ = ListSparseBins(ctx, columns, bytes_.rows.data(), bytes_.row_stride, feature_begin_);
  }
}

void BinMatrix::FinishCodes(Context const& ctx) {
  if (by_column_ && is_dense_) {
    if (byte_codes_) {
      CopyToColumns(ctx, n_rows_, NumCols(), &bytes_);
    } else {
      CopyToColumns(ctx, n_rows_, NumCols(), &words_);
    }
  }
  n_filled_ = n_rows_;
  Finish(ctx);
}

void BinMatrix::Resize(std::int64_t n_rows, std::int64_t n_entries) {
  n_rows_ = n_rows;
  if (!is_dense_) {
    entries_.row_ptr.resize(static_cast<std::size_t>(n_rows) + 1);
    entries_.cells.resize(n_entries);
  } else if (byte_codes_) {
    Reserve({}, *this, &bytes_);
  } else {
    Reserve({}, *this, &words_);
  }
}

Span<char> BinMatrix::MutableCodes() {
  auto const bytes = [](auto& codes, std::int64_t n) {
    return Span<char>(reinterpret_cast<char*>(codes.data()), static_cast<std::size_t>(n) * sizeof(codes[0]));
  };
  if (!is_dense_) return bytes(entries_.cells, static_cast<std::int64_t>(entries_.cells.size()));
  return byte_codes_ ? bytes(bytes_.rows, n_rows_ * bytes_.row_stride)
                     : bytes(words_.rows, n_rows_ * words_.row_stride);
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

std::uint32_t BinMatrix::LayoutDigest() const {
  std::uint32_t digest = is_dense_ ? 1 : 0;
  auto const add = [&](auto const& values) {
    digest = Crc32c({reinterpret_cast<char const*>(values.data()), values.size() * sizeof(values[0])}, digest);
  };
  add(cuts_.values);
  add(cuts_.min_values);
  for (auto const& categories : cuts_.categories) add(categories);
  add(has_missing_);
  add(feature_begin_);
  add(bundled_.bundle_of);
  add(bundled_.most_frequent);
  add(sparse_.most_frequent);
  return digest;
}

std::int64_t BinMatrix::BytesHeld() const {
  auto const bytes = [](auto const&... vectors) {
    return static_cast<std::int64_t>(((vectors.size() * sizeof(vectors[0])) + ...));
  };
  return bytes(cuts_.values, cuts_.feature_begin, cuts_.min_values, cuts_.first_values, has_missing_, feature_begin_) +
         bytes(bytes_.rows, bytes_.columns, words_.rows, words_.columns) +
         bytes(entries_.row_ptr, entries_.cells, entries_.column_ptr, entries_.column_rows, entries_.column_codes) +
         bytes(bundled_.bundle_of, bundled_.most_frequent, bundled_.codes.rows, bundled_.codes.columns) +
         bytes(sparse_.most_frequent, sparse_.row_ptr, sparse_.cells);
}

std::int64_t BinMatrix::CountEntries(Context const& ctx) const {
  if (!is_dense_) return static_cast<std::int64_t>(entries_.cells.size());
  std::vector<std::int64_t> missing(has_missing_.size(), 0);
  ParallelFor(ctx, NumCols(), [&](std::int64_t index) {
    auto const feature = static_cast<std::size_t>(index);
    if (has_missing_[feature] == 0) return;
    for (std::int64_t row = 0; row < n_rows_; ++row) {
      missing[feature] += static_cast<std::int64_t>(FindCode(row, feature) == NumBins(feature));
    }
  });
  return n_rows_ * NumCols() - std::accumulate(missing.begin(), missing.end(), std::int64_t{0});
}

void BinMatrix::FillMostFrequent(std::uint32_t first, std::uint32_t last, FixedSum total, FixedSum* histogram) const {
  auto const& most_frequent_codes = HasBundles() ? bundled_.most_frequent : sparse_.most_frequent;
  if (most_frequent_codes.empty()) return;
  for (auto feature = first; feature < last; ++feature) {
    if (most_frequent_codes[feature] == kNoMostFrequent) continue;
    auto* const most_frequent = histogram + feature_begin_[feature] + most_frequent_codes[feature];
    *most_frequent = {};
    FixedSum others;
    for (auto cell = feature_begin_[feature]; cell < feature_begin_[feature + 1]; ++cell) others += histogram[cell];
    *most_frequent = total - others;
  }
}

std::uint32_t BinMatrix::FindCode(std::int64_t row, std::size_t feature) const {
  if (is_dense_) {
    auto const at = static_cast<std::size_t>(row);
    auto const find = [&](auto const& codes) -> std::uint32_t {
      if (!by_column_) return codes.rows[at * static_cast<std::size_t>(codes.row_stride) + feature];
      return codes.columns[feature * static_cast<std::size_t>(n_rows_) + at];
    };
    return byte_codes_ ? find(bytes_) : find(words_);
  }
  if (HasBundles()) {
    auto const* column = bundled_.codes.columns.data() + bundled_.bundle_of[feature] * n_rows_;
    auto const code = column[row] - BundleOffset(feature);
    return code < NumBins(feature) ? code : kNoCode;
  }
  auto const begin = entries_.cells.begin() + entries_.row_ptr[row];
  auto const end = entries_.cells.begin() + entries_.row_ptr[row + 1];
  auto const found = std::lower_bound(begin, end, feature_begin_[feature]);
  return found != end && *found < feature_begin_[feature + 1] ? *found - feature_begin_[feature] : kNoCode;
}

}  // namespace kauri
