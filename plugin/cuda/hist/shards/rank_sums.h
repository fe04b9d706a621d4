/// \file Adds up the histograms of some nodes over the ranks of a group (kauri/collective.h).
#pragma once

#include "cuda/collective/device_group.h"
#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/shards/node_histograms.h"
#include "kauri/context.h"

namespace kauri::cuda {

class RankSums {
 public:
  explicit RankSums(int device) : group_(device) {}
  /// Called by all ranks with the same number of nodes; waits for the other ranks. \throws Error(kCollective).
  void Sum(Context const& ctx, CudaContext const& cuda, NodeHistograms const& histograms);

 private:
  DeviceGroup group_;
  Buffer<FixedSum> packed_;
};

}  // namespace kauri::cuda
