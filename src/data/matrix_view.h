/// \file Views of rows that already have the library's form, and the interface of sparse rows for DataMatrix::FromView.
#pragma once

#include <cstdint>
#include <memory>

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

/// Returns true if a dense copy takes at most twice the memory of the entries: such rows are stored densely.
inline bool IsMostlyPresent(std::int64_t n_entries, std::int64_t n_rows, std::int64_t n_cols) {
  return static_cast<double>(n_entries) * 2.0 >= static_cast<double>(n_rows) * static_cast<double>(n_cols);
}

/// Returns a view of [n_rows, n_cols] values, row-major, NaN for missing; they must outlive it.
std::unique_ptr<DataView> MakeRowsView(float const* values, std::int64_t n_rows, std::int64_t n_cols);

/// Returns a view of owned CSR rows; `storage` must outlive it.
std::unique_ptr<DataView> MakeStorageView(CsrStorage const& storage, std::int64_t n_cols);

}  // namespace kauri
