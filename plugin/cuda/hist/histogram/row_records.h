/// \file Codes and pairs of narrow rows side by side, by which they are added up.
///
/// Deep in a tree the rows of a node are far apart in memory, which gives 64 bytes wherever a row of up to eight codes
/// is, and 64 more where its pair is. In records of 16 bytes both come together. Whoever adds up the root of a tree,
/// row after row, writes them: 16 bytes a row, while additions to shared memory take as long.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/row_codes.h"

namespace kauri::cuda {

/// A row of up to eight codes: those of its first word, gradient, those of its second word or nothing, hessian. What
/// lanes that have a word each write is side by side.
using RowRecord = uint4;

class RowRecords {
 public:
  /// Room for the rows of narrow bins (HasNarrowRows), if a sixteenth of the device's free memory has it; else none.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins, std::uint64_t least_bytes = kBytesInCache);
  /// A tree that may be so deep; 0: without a limit.
  void BeginTree(int max_depth);
  /// [n_rows], device; nullptr where the tree has none.
  RowRecord* Data() const { return is_used_ ? records_.data() : nullptr; }
  /// Whether they are to be written now: once a tree, when its root is added up.
  bool TakeTurn();

 private:
  Buffer<RowRecord> records_;
  bool is_used_ = false;
  bool is_made_ = false;
};

}  // namespace kauri::cuda
