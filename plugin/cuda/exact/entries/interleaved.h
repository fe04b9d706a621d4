/// \file The interleaved phase (Mitchell & Frank 2017, "Phase 1: find splits", interleaved variant): entries stay in
/// the order of their values, whatever their node.
///
/// Vocabulary. A column tile is up to kTileEntries consecutive entries of one feature, the work of one warp. Its part
/// in a node is a node piece; piece = tile * n_nodes + node. An entry whose row is in no active node has kInactive.
///
/// What is found in that phase: split/find_split_interleaved.h. SortByNode ends it.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/entries/exact_types.h"
#include "kauri/span.h"

namespace kauri::cuda {

constexpr std::int32_t kMostInterleavedLevels = 6;
constexpr std::int32_t kMostInterleavedNodes = 32;  ///< of the last interleaved level
constexpr std::int32_t kMostSortedNodes = 64;       ///< of the level that SortByNode sorts for
constexpr std::uint8_t kInactive = 255;

/// The tiles of a chunk's columns; device memory, not owning.
struct ColumnTiles {
  std::int32_t n_features = 0;
  std::int64_t n_tiles = 0;
  std::uint32_t const* first_tile = nullptr;   ///< [n_features + 1]
  std::int64_t const* column_begin = nullptr;  ///< [n_features]: first entry, a multiple of kEntryAlignment
  std::int64_t const* column_end = nullptr;    ///< [n_features]: past the last entry
};

/// What a tile adds to a node, or what is before it.
struct NodePiece {
  FixedSum sum;
  float last;  ///< the largest value; -infinity where there is no entry
};

/// node_of_row[row] = the active node of each row, kInactive for a finished one or one that is not sampled (sampled may
/// be empty: all are). [n_rows].
void NarrowPositions(CudaContext const& ctx, Span<std::int32_t const> positions, Span<std::uint8_t const> sampled,
                     std::uint8_t* node_of_row);

/// One column whose feature some nodes split on.
struct InterleavedMove {
  std::int64_t begin = 0;  ///< of the column's entries
  std::int64_t end = 0;
  std::int32_t feature = 0;  ///< among all features
  EntryArrays entries;
  std::uint8_t const* node_of_entry = nullptr;
  NodeMove const* moves = nullptr;
  std::int32_t* next = nullptr;
};

/// The column's rows whose node splits on its feature move by their value.
void MoveInterleaved(CudaContext const& ctx, InterleavedMove const& move);

/// Sorts every column stably by node, dropping entries without one: a radix sort with the node as its only digit.
struct SortTask {
  ColumnTiles tiles;
  std::int32_t n_nodes = 0;  ///< at most kMostSortedNodes
  EntryArrays from;
  EntryArrays to;
  std::uint8_t const* node_of_row = nullptr;
  std::int64_t const* feature_begin = nullptr;  ///< [n_features + 1], where the room of each feature begins in `to`
  std::uint32_t* counts = nullptr;              ///< scratch, [n_tiles, n_nodes]
  std::int64_t* totals = nullptr;               ///< scratch, [n_features, n_nodes]
};
/// segments (out): SegmentTable::begin, [n_features * (n_nodes + 1) + 1].
void SortByNode(CudaContext const& ctx, SortTask const& task, std::int64_t* segments);

}  // namespace kauri::cuda
