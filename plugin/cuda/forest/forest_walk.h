/// \file A traversal of a forest that is prepared once and runs on many tiles of rows (walk_forest.h: on one table).
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/forest/device_forest.h"
#include "cuda/forest/walk_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// A traversal of `trees` (numbered within the forest), prepared once for any number of tables. The forest must outlive
/// it.
class ForestWalk {
 public:
  /// Asynchronous on the stream of `cuda`: other streams must wait for it before Run, and must have passed when the
  /// object is destroyed. kind: kMargin or kLeaf; any other is refused. most_rows: rows of the largest table.
  ForestWalk(CudaContext const& cuda, DeviceForest const& forest, PredictKind kind, TreeRange trees,
             std::int64_t most_rows);

  /// Traverses the trees with all rows. kMargin: adds the leaf values, one tree after another, to out [n_rows,
  /// n_outputs]. kLeaf: writes the node ids to out [n_rows, number of the model's trees]. Asynchronous on the stream of
  /// `cuda`. Safe from many threads.
  void Run(CudaContext const& cuda, DeviceRows const& rows, float* out) const;
  Forest const& OnHost() const { return forest_.OnHost(); }

 private:
  DeviceForest const& forest_;
  PredictKind kind_;
  TreeRange trees_;
  bool has_few_rows_;
  std::int64_t max_nodes_;  ///< nodes of a buffer in shared memory
  Buffer<TreeChunk> chunks_;
};

}  // namespace kauri::cuda
