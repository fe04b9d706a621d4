/// \file Sorts the entries by node: a stable one-bit partition of every segment into its two children.
///
/// The paper sorts each feature by node with a radix sort. A node's rows only ever go to its own two children, so one
/// bit per level is enough and every segment stays in place. This is the radix sort by node, with one digit of one bit
/// a level.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/entries/exact_types.h"

namespace kauri::cuda {

/// One chunk of features of one level. Device memory, not owning.
struct PartitionTask {
  SegmentTable table;  ///< segments of the parents
  EntryArrays from;
  EntryArrays to;  ///< another region
  std::int64_t n_entries = 0;
  NodeMove const* moves = nullptr;                ///< [table.n_nodes]
  std::uint32_t const* row_goes_left = nullptr;   ///< one bit per row
  std::int32_t const* parent_of_child = nullptr;  ///< [n_children]: 2 * parent + (right child)
  std::int32_t n_children = 0;
  std::int64_t const* feature_begin = nullptr;  ///< [table.n_features + 1]: the start of each feature's room in `to`
};

/// Scratch: one bit per entry in words, [NumTiles + NumSegments] counts of pieces, [NumSegments] counts of segments.
struct PartitionScratch {
  std::uint32_t* goes_left = nullptr;
  std::int64_t* piece_lefts = nullptr;
  std::int64_t* segment_lefts = nullptr;
};

/// The segments of the children.
struct ChildSegments {
  std::int64_t* begin = nullptr;     ///< [n_features * (n_children + 1) + 1]
  std::uint32_t* of_tile = nullptr;  ///< [n_tiles + 1]
  FixedSum* piece_sums = nullptr;    ///< [n_tiles + n_features * (n_children + 1)]; the sum of every piece
};

/// Moves the entries and fills `children`.
void Partition(CudaContext const& ctx, PartitionTask const& task, PartitionScratch const& scratch,
               ChildSegments const& children);

/// Fills of_tile, [NumTiles(n_entries) + 1], from the segments' starts.
void FindTileSegments(CudaContext const& ctx, SegmentTable const& table, std::int64_t n_entries,
                      std::uint32_t* of_tile);

}  // namespace kauri::cuda
