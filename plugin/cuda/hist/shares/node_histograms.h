/// \file Histograms of some nodes, each where its node has it, and side by side.
///
/// Bytes per sum: 16 read and 16 written, and 16 read besides for each that is added to it, at the speed of the link
/// where that is on another device.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/histogram/add_rows.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Device.
struct NodeHistograms {
  Span<HistogramNode const> nodes;
  std::uint64_t n_sums;  ///< of each
};

/// Adds sums, each [n_nodes, n_sums] where the device can read them, to the histograms.
void AddToHistograms(CudaContext const& cuda, std::vector<FixedSum const*> const& sums, NodeHistograms const& to);
/// Puts them in their place.
void PutHistograms(CudaContext const& cuda, FixedSum const* sums, NodeHistograms const& to);
/// The other way round: sums (out).
void PackHistograms(CudaContext const& cuda, NodeHistograms const& from, FixedSum* sums);

}  // namespace kauri::cuda
