/// \file Data that contributions of a forest need on its device besides the rows. Each part is made on first use and
/// kept.
///
/// SparsePlan has interactions without their dense matrices: the cells that trees can fill, or the largest of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/forest/device_forest.h"
#include "cuda/shap/select_largest.h"
#include "cuda/shap/shap_entries.h"
#include "cuda/shap/shap_kernels.h"
#include "kauri/predictor.h"
#include "predictor/lanes/bin_packing.h"

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

/// The expected values that a range of trees adds to the bias, and the units of its sums (shap_sums.h). [n_outputs]
struct RangeFacts {
  TreeRange trees;
  Buffer<double> ranges;
  Buffer<double> units;
  Buffer<double> expected;
};

struct PackedRange {
  TreeRange trees;
  BinPacking packing;
  DevicePaths paths;
};

/// Parts of a forest's explanations. Safe from many threads. Parts are complete when they are returned, so that any
/// stream may read them. A call for another range replaces a part of one range of trees; it is freed once nobody holds
/// it. The caller must therefore wait for its work before releasing the part.
class ShapParts {
 public:
  explicit ShapParts(DeviceForest const& forest)
      : on_device_(forest), forest_(forest.OnHost()), stream_(forest.DeviceOrdinal()) {}

  /// \throws Error(kModel) when the trees have no covers.
  std::shared_ptr<RangeFacts const> Facts(Context const& ctx, TreeRange trees) const;
  std::shared_ptr<PackedRange const> Paths(Context const& ctx, TreeRange trees, BinPacking packing) const;
  std::shared_ptr<SparsePlan const> Sparse(Context const& ctx, TreeRange trees, std::int64_t top_k) const;

  std::shared_ptr<DeviceProgram const> Program(Context const& ctx, Semivalue semivalue, bool with_pairs) const;
  std::shared_ptr<DeviceMeans const> Means(Context const& ctx) const;
  /// Returns the pairs of all trees.
  std::shared_ptr<DevicePairs const> Pairs(Context const& ctx) const;
  std::shared_ptr<Buffer<std::int32_t> const> PairTable(Context const& ctx) const;
  /// Returns the entries of contributions or matrices, with all outputs and features.
  std::shared_ptr<DeviceEntries const> Entries(Context const& ctx, bool are_pairs) const;

 private:
  TreeRange AllTrees() const { return {0, forest_.NumTrees()}; }
  std::shared_ptr<DevicePairs const> LockedPairs(Context const& ctx) const;

  /// Packs paths: on the device for best fit if PackPathsOnDevice can do it, else on the host.
  DevicePaths MakePaths(Context const& ctx, TreeRange trees, BinPacking packing) const;

  DeviceForest const& on_device_;
  Forest const& forest_;
  StreamOwner stream_;  ///< before the buffers, which are freed on it
  mutable std::mutex mutex_;
  mutable std::shared_ptr<RangeFacts const> facts_;   ///< of the last range
  mutable std::shared_ptr<PackedRange const> paths_;  ///< of the last range and packing
  mutable std::shared_ptr<SparsePlan const> sparse_;  ///< of the last range and top_k
  mutable std::map<std::pair<Semivalue, bool>, std::shared_ptr<DeviceProgram const>> programs_;
  mutable std::shared_ptr<DeviceMeans const> means_;
  mutable std::shared_ptr<DevicePairs const> pairs_;
  mutable std::shared_ptr<Buffer<std::int32_t> const> pair_table_;
  mutable std::shared_ptr<DeviceEntries const> contribution_entries_;
  mutable std::shared_ptr<DeviceEntries const> matrix_entries_;
};

}  // namespace kauri::cuda
