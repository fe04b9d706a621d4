/// \file Views of rows that already have the library's form, and the interface of sparse rows for DataMatrix::FromView.
///
/// RowReader reads the rows of a view one by one, as dense floats.
///
/// RowWindow is a view of some rows of another view, for work in tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

class SparseView : public DataView {
 public:
  /// Returns the present entries in the form for DataMatrix::FromCsr. \throws Error(kData) for an infinite value.
  virtual CsrStorage CopyCsr(Context const& ctx) const = 0;
  /// Returns the rows themselves if the library owns them, otherwise nullptr.
  virtual CsrStorage const* OwnedCsr() const { return nullptr; }
};

/// Functor that returns the column of a feature in DataView::CopyFeatures, or a negative number.
struct SlotLookup {
  Span<std::int32_t const> slot_of_feature;
  std::int64_t operator()(std::uint32_t feature) const {
    return feature < slot_of_feature.size() ? std::int64_t{slot_of_feature[feature]} : -1;
  }
};

/// Sparse rows that are copied entry by entry. Rows, the derived class, has ForEachEntry(row, fn), which calls
/// fn(feature, value) for the present entries of a row.
template <typename Rows>
class EntryView : public SparseView {
 public:
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    Scatter(begin, end, n_cols, tile,
            [&](std::uint32_t feature) { return feature < n_cols ? std::int64_t{feature} : -1; });
  }

  bool CopyFeatures(std::int64_t begin, std::int64_t end, Span<std::int32_t const> slot_of_feature,
                    std::int64_t n_slots, float* tile) const override {
    Scatter(begin, end, n_slots, tile, SlotLookup{slot_of_feature});
    return true;
  }

 private:
  /// Writes each entry to column slot_of(feature) of `tile`. Skips entries with a negative slot.
  template <typename SlotOf>
  void Scatter(std::int64_t begin, std::int64_t end, std::int64_t n_slots, float* tile, SlotOf&& slot_of) const {
    auto const& rows = static_cast<Rows const&>(*this);
    std::fill(tile, tile + (end - begin) * n_slots, std::numeric_limits<float>::quiet_NaN());
    for (auto row = begin; row < end; ++row, tile += n_slots) {
      rows.ForEachEntry(row, [&](std::uint32_t feature, float value) {
        auto const slot = slot_of(feature);
        if (slot >= 0) tile[slot] = value;
      });
    }
  }
};

/// Returns true if a dense copy takes at most twice the memory of the entries: such rows are stored densely.
inline bool IsMostlyPresent(std::int64_t n_entries, std::int64_t n_rows, std::int64_t n_cols) {
  return static_cast<double>(n_entries) * 2.0 >= static_cast<double>(n_rows) * static_cast<double>(n_cols);
}

/// Returns a view of [n_rows, n_cols] values, row-major, NaN for missing; they must outlive it.
std::unique_ptr<DataView> MakeRowsView(float const* values, std::int64_t n_rows, std::int64_t n_cols);

/// Returns a view of owned CSR rows; `storage` must outlive it.
std::unique_ptr<DataView> MakeStorageView(CsrStorage const& storage, std::int64_t n_cols);

/// A reader for one thread; the view must outlive it.
class RowReader {
 public:
  /// n_cols: the number of leading features to read.
  RowReader(DataView const& rows, std::int64_t n_cols)
      : rows_(rows), n_cols_(n_cols), dense_(n_cols <= rows.NumCols() ? rows.DenseRows() : nullptr) {
    if (dense_ == nullptr) scratch_.resize(static_cast<std::size_t>(n_cols));
  }
  /// Returns a row, [n_cols], NaN where missing; valid until the next call. Costs a copy unless the rows are dense.
  float const* Row(std::int64_t row) {
    if (dense_ != nullptr) return dense_ + row * rows_.NumCols();
    rows_.CopyRows(row, row + 1, n_cols_, scratch_.data());
    return scratch_.data();
  }

 private:
  DataView const& rows_;
  std::int64_t n_cols_;
  float const* dense_;
  std::vector<float> scratch_;
};

/// Rows [begin, end) of another view, which must outlive it.
class RowWindow : public DataView {
 public:
  RowWindow(DataView const& all, std::int64_t begin, std::int64_t end) : all_(all), begin_(begin), end_(end) {
    SetCategories(all.Categories());
  }

  std::int64_t NumRows() const override { return end_ - begin_; }
  std::int64_t NumCols() const override { return all_.NumCols(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    all_.CopyRows(begin_ + begin, begin_ + end, n_cols, tile);
  }
  bool CopyFeatures(std::int64_t begin, std::int64_t end, Span<std::int32_t const> slot_of_feature,
                    std::int64_t n_slots, float* tile) const override {
    return all_.CopyFeatures(begin_ + begin, begin_ + end, slot_of_feature, n_slots, tile);
  }
  float const* DenseRows() const override {
    auto const* const rows = all_.DenseRows();
    return rows == nullptr ? nullptr : rows + begin_ * NumCols();
  }

 private:
  DataView const& all_;
  std::int64_t begin_;
  std::int64_t end_;
};

}  // namespace kauri
