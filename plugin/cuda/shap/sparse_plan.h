/// \file Interactions without their dense matrices: the cells that trees can fill, or the largest of them.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/shap/select_largest.h"
#include "cuda/shap/shap_entries.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// Entries and picks of a range of trees and a top_k (Predictor::PredictSparse). Immutable.
class SparsePlan {
 public:
  SparsePlan(CudaContext const& cuda, SparseEntries const& found, TreeRange trees, std::int64_t top_k);

  TreeRange Trees() const { return trees_; }
  std::int64_t TopK() const { return top_k_; }
  DeviceEntries const& Entries() const { return entries_; }
  /// Returns the floats of a row that come back from the device: values, or with a top_k two for each pick.
  std::int64_t RowFloats() const;
  /// Picks the largest values of rows. Only with a top_k.
  void Pick(CudaContext const& cuda, float const* values, std::int64_t n_rows, float* picks) const;
  /// Fills `out`; without a top_k it only makes room for the values. floats: [n_rows, RowFloats()] with a top_k,
  /// otherwise not read.
  void Fill(Context const& ctx, std::int64_t n_rows, std::vector<float> const& floats, SparseInteractions* out) const;

 private:
  void FillPicks(std::int64_t row, std::int64_t output, float const* picks, SparseInteractions* out) const;

  TreeRange trees_;
  std::int64_t top_k_;
  std::vector<std::int64_t> entry_begin_;  ///< [n_outputs + 1], into the entries
  std::vector<std::int64_t> begin_;        ///< [n_outputs + 1], into a row of the result
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> second_;
  DeviceEntries entries_;
  Buffer<PickSegment> segments_;
};

}  // namespace kauri::cuda
