/// \file Histograms of some nodes, each where its node has it, and side by side.
///
/// Bytes per sum: 16 read and 16 written, and 16 read besides where it is added to another.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/histogram/add_rows.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Device.
struct NodeHistograms {
  Span<HistogramNode const> nodes;
  std::uint32_t n_sums;  ///< of each
};

/// Adds sums, [n_nodes, n_sums], to the histograms.
void AddToHistograms(CudaContext const& cuda, FixedSum const* sums, NodeHistograms const& to);
/// Puts them in their place.
void PutHistograms(CudaContext const& cuda, FixedSum const* sums, NodeHistograms const& to);
/// The other way round: sums (out).
void PackHistograms(CudaContext const& cuda, NodeHistograms const& from, FixedSum* sums);

}  // namespace kauri::cuda
