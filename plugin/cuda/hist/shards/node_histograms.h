/// \file Copies the histograms of some nodes between the nodes' own memory and one packed array.
///
/// Bytes per sum: 16 read and 16 written, and 16 more read for each source added to it. A source on another device is
/// read at the speed of the link.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/histogram/add_rows.h"
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

}  // namespace kauri::cuda
