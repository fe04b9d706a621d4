/// \file The rows of a level's nodes, node by node, in ascending order within each node.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Device memory, not owning.
struct RowsByNode {
  std::uint32_t const* nodes = nullptr;  ///< [n_rows], ascending: the nodes of `rows`; n_nodes for rows in no node
  std::uint32_t const* rows = nullptr;   ///< [n_rows]
  std::int64_t const* begin = nullptr;   ///< [n_nodes + 1]: the start of each node's rows
  std::int64_t n_rows = 0;
  std::int32_t n_nodes = 0;
};

class NodeOrder {
 public:
  /// Sorts the rows by node. positions: [n_rows], device (entries/positions.h). sampled: [n_rows], device, 1 = used, or
  /// empty. The result is valid until the next call. Costs a radix sort of 8 bytes a row by the bits of a node's
  /// number.
  RowsByNode Sort(CudaContext const& cuda, Span<std::int32_t const> positions, Span<std::uint8_t const> sampled,
                  std::int32_t n_nodes);

 private:
  Buffer<std::uint32_t> nodes_;
  Buffer<std::uint32_t> sorted_nodes_;
  Buffer<std::uint32_t> rows_;
  Buffer<std::uint32_t> sorted_rows_;
  Buffer<std::int64_t> begin_;
};

}  // namespace kauri::cuda
