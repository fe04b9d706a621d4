/// \file Histograms of some nodes, added up over the ranks of a group (kauri/collective.h).
///
/// They go through host memory and the group's own transport: bytes per sum and rank 16 each way over the bus, and what
/// Collective::Sum sends.
#pragma once

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/shares/add_sums.h"
#include "kauri/context.h"

namespace kauri::cuda {

class RankSums {
 public:
  /// All ranks call it, with as many nodes; waits for the other ranks. \throws Error(kCollective).
  void Sum(Context const& ctx, CudaContext const& cuda, NodeHistograms const& histograms);

 private:
  Buffer<FixedSum> packed_;
  PinnedBuffer<FixedSum> on_host_;
};

}  // namespace kauri::cuda
