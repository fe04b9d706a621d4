/// \file The interleaved phase (Mitchell & Frank 2017, "Phase 1: find splits", interleaved variant): entries stay in
/// the order of their values, whatever their node.
///
/// Vocabulary. A column tile is up to kTileEntries consecutive entries of one feature, the work of one warp. Its part
/// in a node is a node piece; piece = tile * n_nodes + node. An entry whose row is in no active node has kInactive.
///
/// split/find_split.h finds splits in this phase. SortByNode ends it.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/entries/exact_types.h"
#include "kauri/span.h"

namespace kauri::cuda {

constexpr std::int32_t kMostInterleavedLevels = 6;
constexpr std::int32_t kMostInterleavedNodes = 32;  ///< nodes of the last interleaved level
constexpr std::int32_t kMostSortedNodes = 64;       ///< nodes of the level that SortByNode sorts for
constexpr std::uint8_t kInactive = 255;

/// The tiles of a chunk's columns; device memory, not owning.
struct ColumnTiles {
  std::int32_t n_features = 0;
  std::int64_t n_tiles = 0;
  std::uint32_t const* first_tile = nullptr;   ///< [n_features + 1]
  std::int64_t const* column_begin = nullptr;  ///< [n_features]: first entry, a multiple of kEntryAlignment
  std::int64_t const* column_end = nullptr;    ///< [n_features]: end of the entries
};

/// The sum of a tile's entries in a node, or of the entries before it.
struct NodePiece {
  FixedSum sum;
  float last;  ///< the largest value; -infinity if there is no entry
};

/// Sets node_of_row, [n_rows], to the active node of each row, or kInactive for a row that is finished or not sampled.
/// An empty `sampled` means that all rows are sampled.
void NarrowPositions(CudaContext const& ctx, Span<std::int32_t const> positions, Span<std::uint8_t const> sampled,
                     std::uint8_t* node_of_row);

/// A column whose feature some nodes split on.
struct InterleavedMove {
  std::int64_t begin = 0;  ///< start of the column's entries
  std::int64_t end = 0;
  std::int32_t feature = 0;  ///< among all features
  EntryArrays entries;
  std::uint8_t const* node_of_entry = nullptr;
  NodeMove const* moves = nullptr;
  std::int32_t* next = nullptr;
};

/// Moves the column's rows by their value, if their node splits on its feature.
void MoveInterleaved(CudaContext const& ctx, InterleavedMove const& move);

/// Sorts every column stably by node, without the entries that have no node: a radix sort with the node as its only
/// digit.
struct SortTask {
  ColumnTiles tiles;
  std::int32_t n_nodes = 0;  ///< at most kMostSortedNodes
  EntryArrays from;
  EntryArrays to;
  std::uint8_t const* node_of_row = nullptr;
  std::int64_t const* feature_begin = nullptr;  ///< [n_features + 1], the start of each feature's room in `to`
  std::uint32_t* counts = nullptr;              ///< scratch, [n_tiles, n_nodes]
  std::int64_t* totals = nullptr;               ///< scratch, [n_features, n_nodes]
};
/// segments (out): SegmentTable::begin, [n_features * (n_nodes + 1) + 1].
void SortByNode(CudaContext const& ctx, SortTask const& task, std::int64_t* segments);

}  // namespace kauri::cuda
