/// \file Traversal of a forest's trees by rows in device memory.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/forest/device_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// Features in device memory; not owning. CSR if `row_ptr` is set, else dense.
struct DeviceRows {
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  float const* values = nullptr;  ///< NaN = missing; element (row, col) at row * row_stride + col * col_stride
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 1;
  bool columns_are_slots = false;           ///< column s holds slot s of the forest, and n_cols is their number
  std::int64_t const* row_ptr = nullptr;    ///< [n_rows + 1]
  std::uint32_t const* features = nullptr;  ///< [n_entries], ascending within a row
  float const* entries = nullptr;           ///< [n_entries]
};

/// A traversal of `trees` (numbered within the forest), prepared once for any number of tables. The forest must outlive
/// it.
class ForestWalk {
 public:
  /// Asynchronous on the stream of `cuda`: other streams must wait for it before Run, and must have passed when the
  /// object is destroyed. kind: kMargin or kLeaf; any other is refused.
  ForestWalk(CudaContext const& cuda, DeviceForest const& forest, PredictKind kind, TreeRange trees);

  /// Traverses the trees with all rows. kMargin: adds the leaf values, one tree after another, to out [n_rows,
  /// n_outputs]. kLeaf: writes the node ids to out [n_rows, number of the model's trees]. Asynchronous on the stream of
  /// `cuda`. Safe from many threads.
  void Run(CudaContext const& cuda, DeviceRows const& rows, float* out) const;
  Forest const& OnHost() const { return forest_.OnHost(); }

 private:
  DeviceForest const& forest_;
  PredictKind kind_;
  TreeRange trees_;
  std::int64_t max_nodes_;  ///< nodes of a buffer in shared memory
  Buffer<TreeChunk> chunks_;
};

/// Prepares a traversal and runs it once. The forest must stay until the stream has passed.
void WalkForest(CudaContext const& cuda, DeviceForest const& forest, DeviceRows const& rows, PredictKind kind,
                TreeRange trees, float* out);

}  // namespace kauri::cuda
