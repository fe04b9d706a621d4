/// \file TreeShap on the device as published: one lane per path element, bins of paths per warp (path_warp.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/shap/paths/pack_paths.h"
#include "cuda/shap/row_keys.h"
#include "cuda/shap/shap_sums.h"
#include "predictor/lanes/packed_paths.h"
#include "predictor/lanes/path_pairs.h"

namespace kauri::cuda {

/// Returns the number of each pair of slots a < b of an output at output * n + b (b - 1) / 2 + a, n = n_slots (n_slots
/// - 1) / 2.
std::vector<std::int32_t> MakePairTable(PathPairs const& pairs);

/// PackedPaths in device memory: 16 bytes an element. Immutable.
class DevicePaths {
 public:
  DevicePaths(CudaContext const& cuda, PackedPaths const& paths);
  explicit DevicePaths(PackedOnDevice paths);
  double Utilisation() const { return utilisation_; }
  std::int64_t NumBins() const { return n_bins_; }

  /// Adds the contributions of all rows, and with a table (in device memory) the contributions of all pairs. keys and
  /// sums: row-major.
  void Add(CudaContext const& cuda, RowKeys const& keys, ShapSumsView const& sums,
           std::int32_t const* pair_table) const;

 private:
  double utilisation_;
  std::int64_t n_bins_;
  Buffer<PathFeature> elements_;
  Buffer<std::int64_t> bin_begin_;
  Buffer<CategoryCondition> conditions_;
  Buffer<CategorySet> sets_;
  Buffer<std::uint32_t> set_data_;
};

}  // namespace kauri::cuda
