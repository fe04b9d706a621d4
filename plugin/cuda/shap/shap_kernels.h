/// \file Contributions of a forest's trees to rows on one device, by each method: quadrature, TreeShap over packed
/// paths, and the approximation of Saabas.
///
/// DeviceProgram computes semivalues and interactions by quadrature, one row per thread (shap_program.h, shap_lane.h).
///
/// DevicePaths runs TreeShap as published: one lane per path element, bins of paths per warp (path_warp.h).
///
/// DeviceMeans computes approximate contributions: a split on the row's path gives its feature the change of the node's
/// expected value (Saabas). The float64 additions and their order are the CPU's, and so are the bits.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/shap/paths/pack_paths.h"
#include "cuda/shap/row_keys.h"
#include "cuda/shap/shap_sums.h"
#include "predictor/forest/forest.h"
#include "predictor/lanes/packed_paths.h"
#include "predictor/lanes/path_pairs.h"
#include "predictor/lanes/shap_program.h"

namespace kauri::cuda {

struct LaneTask;  // quadrature_lane.cuh

/// A ShapProgram in device memory. Immutable.
class DeviceProgram {
 public:
  DeviceProgram(CudaContext const& cuda, ShapProgram const& program);

  /// Adds the contributions of `trees` (numbered within the forest) for all rows. If the program was compiled for
  /// pairs, it also adds the contributions of all pairs; sums must then have cells for them. keys and sums: row-minor.
  void Add(CudaContext const& cuda, RowKeys const& keys, TreeRange trees, ShapSumsView const& sums) const;

 private:
  /// Returns the part of a task that all launches have in common.
  LaneTask TaskOf(RowKeys const& keys, ShapSumsView const& sums) const;

  Semivalue semivalue_;
  std::vector<ProgramTree> trees_;
  std::vector<ProgramBatch> batches_;
  bool has_categorical_;
  Buffer<ProgramNode> nodes_;
  Buffer<std::uint32_t> slot_of_place_;
  Buffer<PathFeature> states_;
  Buffer<float> inverses_;
  Buffer<std::int64_t> partner_begin_;
  Buffer<ProgramPartner> partners_;
  Buffer<CategoryCondition> conditions_;
  Buffer<CategorySet> sets_;
  Buffer<std::uint32_t> set_data_;
};

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

/// A forest with the expected value of each node: 24 bytes a node. Immutable.
class DeviceMeans {
 public:
  DeviceMeans(Context const& ctx, CudaContext const& cuda, Forest const& forest);

  /// Adds the contributions of `trees` (numbered within the forest) to contributions [n_outputs, n_slots, keys.n_rows].
  void Add(CudaContext const& cuda, RowKeys const& keys, CategorySetsView const& sets, TreeRange trees,
           double* contributions) const;

 private:
  std::int64_t n_outputs_;
  std::int64_t n_slots_;
  Buffer<WideNode> nodes_;
  Buffer<double> means_;
  Buffer<std::int64_t> tree_begin_;
  Buffer<std::int32_t> output_of_tree_;
};

}  // namespace kauri::cuda
