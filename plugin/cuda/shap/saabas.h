/// \file Approximate contributions on the device: a split on the row's path gives its feature the change of the node's
/// expected value (Saabas). The float64 additions and their order are the CPU's, and so are the bits.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/shap/row_keys.h"
#include "predictor/forest/forest.h"

namespace kauri::cuda {

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
