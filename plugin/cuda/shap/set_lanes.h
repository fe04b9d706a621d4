/// \file The sums of interactions of sets on a device, a row per thread (predictor/lanes/interaction_lane.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/shap/row_keys.h"
#include "predictor/interactions/interaction_forest.h"
#include "predictor/interactions/set_interactions.h"
#include "predictor/lanes/interaction_lane.h"

namespace kauri::cuda {

/// Sums of a tile of rows in device memory, [n_sets, n_rows], in units.
struct SetSums {
  unsigned long long* sums;  ///< the type that atomicAdd knows
  std::int64_t n_rows;
  double scale;  ///< units of 1, a power of two
};

/// A forest compiled for interactions, in device memory. Immutable.
class DeviceSets {
 public:
  /// Waits for the copies.
  DeviceSets(CudaContext const& cuda, InteractionForest const& forest);

  /// Numbers of trees, in device memory.
  struct Trees {
    std::int32_t const* numbers;
    std::int64_t size;
    std::int32_t most_places;  ///< of a row in one of the trees (PlacesOf)
  };
  /// Adds the terms of trees for all rows. keys: row-minor. Asynchronous.
  void Add(CudaContext const& cuda, RowKeys const& keys, Trees const& trees, SetSums const& sums) const;

  /// Returns the doubles that a row needs in a tree.
  std::int32_t PlacesOf(std::int64_t tree) const { return places_[ToSize(tree)]; }

 private:
  std::vector<std::int32_t> places_;
  Buffer<InteractionStep> steps_;
  Buffer<InteractionEdge> edges_;
  Buffer<InteractionSplit> splits_;
  Buffer<std::uint32_t> levels_;
  Buffer<std::uint32_t> sets_;
  Buffer<double> constants_;
  Buffer<double> cold_gains_;
  Buffer<double> weights_;
  Buffer<InteractionTreeView> views_;
  Buffer<CategoryCondition> conditions_;
  Buffer<CategorySet> category_sets_;
  Buffer<std::uint32_t> category_data_;
};

/// The values of an output's sets, in device memory.
struct SetValues {
  std::uint32_t const* sets;  ///< [n_sets], of the entries
  std::int64_t n_sets;
  std::int64_t const* share_begin;  ///< nullptr: sums are not aggregated (SetShares)
  SetShare const* shares;
  float* out;  ///< the first row's first entry of the output
  std::int64_t row_floats;
};

/// Writes the values of all rows. Asynchronous.
void WriteSetValues(CudaContext const& cuda, SetSums const& sums, SetValues const& values);

}  // namespace kauri::cuda
