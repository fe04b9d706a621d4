/// \file Computes the edges of a node's label bins from its rows, and the bin of a residual. Used on the CPU and on
/// CUDA devices (label_binner.h, cuda/exact/label_bins/node_bins.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "kauri/host_device.h"
#include "tree/absolute_error/bin_sides.h"

namespace kauri {

/// Maximum number of rows of a node that determine its edges.
constexpr std::int64_t kMostEdgeRows = 4096;

constexpr float kNoEdge = std::numeric_limits<float>::infinity();

/// Returns the distance between these rows: the first of a node's ascending rows and every n-th after it.
KAURI_HD std::int64_t EdgeStride(std::int64_t n_rows) {
  return n_rows <= kMostEdgeRows ? 1 : (n_rows + kMostEdgeRows - 1) / kMostEdgeRows;
}

/// Sets the edges without repetition, followed by infinity. shares: [kLabelBins - 1], ascending, positions among the
/// rows with weight. value_of(i): their residuals, [n], ascending. edges (out): [kLabelBins].
template <typename ValueOf>
KAURI_HD void PickEdges(double const* shares, std::int64_t n, ValueOf const& value_of, float* edges) {
  for (std::size_t i = 0; i < kLabelBins; ++i) edges[i] = kNoEdge;
  std::size_t n_edges = 0;
  for (std::size_t i = 0; n > 0 && i + 1 < kLabelBins; ++i) {
    auto const rank = static_cast<std::int64_t>(shares[i] * static_cast<double>(n));
    auto const edge = value_of(rank < n ? rank : n - 1);
    if (edge > (n_edges == 0 ? value_of(0) : edges[n_edges - 1])) edges[n_edges++] = edge;
  }
}

/// Does what FindBins does: returns the number of edges, except the last, that do not exceed the residual; 0 for NaN.
KAURI_HD std::uint8_t BinOfResidual(float residual, float const* edges) {
  std::uint32_t first = 0;
  for (auto end = static_cast<std::uint32_t>(kLabelBins - 1); first < end;) {
    auto const middle = first + (end - first) / 2;
    if (edges[middle] <= residual) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return static_cast<std::uint8_t>(first);
}

// Maps numbers to bits with the same order.

/// Returns bits in the order of the numbers, which must not be NaN. Negative zero precedes positive zero. All results
/// are below kNoOrderedBits.
KAURI_HD std::uint32_t OrderedBits(float value) {
  constexpr std::uint32_t kSign = 0x80000000U;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits ^ ((bits & kSign) != 0 ? ~0U : kSign);
}

constexpr std::uint32_t kNoOrderedBits = 0xFFFFFFFFU;

KAURI_HD float FloatOfOrdered(std::uint32_t ordered) {
  constexpr std::uint32_t kSign = 0x80000000U;
  auto const bits = ordered ^ ((ordered & kSign) != 0 ? kSign : ~0U);
  float value = 0.0F;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace kauri
