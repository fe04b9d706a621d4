/// \file Copies the histograms of some nodes between the nodes' own memory and one packed array, and adds them up over
/// the ranks of a group (kauri/collective.h).
///
/// Bytes per sum: 16 read and 16 written, and 16 more read for each source added to it. A source on another device is
/// read at the speed of the link.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/collective/device_ranks.h"
#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/histogram/add_rows.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Device memory.
struct NodeHistograms {
  Span<HistogramNode const> nodes;
  std::uint64_t n_sums;  ///< number of sums per node
};

/// Adds each source to the histograms. A source is [n_nodes, n_sums], in memory that the device can read.
void AddToHistograms(CudaContext const& cuda, std::vector<FixedSum const*> const& sums, NodeHistograms const& to);
/// Copies packed sums to the nodes' histograms.
void PutHistograms(CudaContext const& cuda, FixedSum const* sums, NodeHistograms const& to);
/// Copies the nodes' histograms to packed sums. sums: (out).
void PackHistograms(CudaContext const& cuda, NodeHistograms const& from, FixedSum* sums);

class RankSums {
 public:
  explicit RankSums(int device) : group_(device) {}
  /// Called by all ranks with the same number of nodes; waits for the other ranks. \throws Error(kCollective).
  void Sum(Context const& ctx, CudaContext const& cuda, NodeHistograms const& histograms);

 private:
  DeviceRanks group_;
  Buffer<FixedSum> packed_;
};

}  // namespace kauri::cuda
