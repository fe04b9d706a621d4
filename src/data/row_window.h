/// \file A view of some rows of another view, for work in tiles.
#pragma once

#include <cstdint>

#include "kauri/data_matrix.h"

namespace kauri {

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
