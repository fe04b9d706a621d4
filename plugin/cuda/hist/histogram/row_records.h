/// \file Records that hold the codes and the gradient pair of a narrow row side by side, used to add up rows.
///
/// Deep in a tree the rows of a node are far apart in memory. A read fetches 64 bytes for a row of up to eight codes,
/// and 64 more for its pair. A record of 16 bytes holds both. The records are written while the root of a tree is added
/// up, row after row: 16 bytes a row, while additions to shared memory take as long.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/row_codes.h"

namespace kauri::cuda {

/// A row of up to eight codes: first word of codes, gradient, second word of codes or 0, hessian. Lanes that have one
/// word each write adjacent memory.
using RowRecord = uint4;

class RowRecords {
 public:
  /// Allocates records for the rows of narrow bins (HasNarrowRows), if they fit into a sixteenth of the device's free
  /// memory.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins, std::uint64_t least_bytes = kBytesInCache);
  /// Begins a tree. max_depth: 0 if unlimited.
  void BeginTree(int max_depth);
  /// Returns the records, [n_rows], device; nullptr if the tree has none.
  RowRecord* Data() const { return is_used_ ? records_.data() : nullptr; }
  /// Returns whether records must be written now: once a tree, when its root is added up.
  bool TakeTurn();

 private:
  Buffer<RowRecord> records_;
  bool is_used_ = false;
  bool is_made_ = false;
};

}  // namespace kauri::cuda
