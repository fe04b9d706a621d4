/// \file A group of features whose entries are in one region of memory, and the device memory of the whole builder.
///
/// Partitioning needs a second place for the moved entries. With the features in n groups there are n + 1 regions. Each
/// group moves to the region that the group before it has left, so the spare memory is one region, not a copy of
/// everything.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/data/device_columns.h"
#include "cuda/exact/entries/exact_types.h"
#include "cuda/exact/entries/partition.h"
#include "cuda/exact/label_bins/level_labels.h"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {

/// A group of features while a tree grows.
struct Chunk {
  std::vector<std::int32_t> features;  ///< global ids, ascending
  std::int64_t n_entries = 0;
  std::int64_t region = 0;
  std::int32_t n_nodes = 1;            ///< nodes in `segments`
  Buffer<std::int32_t> feature_ids;    ///< device copy of `features`
  Buffer<std::uint8_t> both_ways;      ///< [n_features]
  Buffer<std::int64_t> feature_begin;  ///< [n_features + 1], within the region; multiples of kEntryAlignment
  std::vector<std::int64_t> begin;     ///< [n_features + 1], host copy of it
  std::vector<std::int64_t> end;       ///< [n_features]: end of each column's entries, as it was filled
  Buffer<std::int64_t> column_end;     ///< device copy of `end`
  Buffer<std::uint32_t> first_tile;    ///< ColumnTiles::first_tile
  std::int64_t n_column_tiles = 0;
  Buffer<std::int64_t> source;         ///< [n_features]: start of each column in DeviceColumns
  Buffer<std::int64_t> root_segments;  ///< `segments` of a single node with all entries
  Buffer<std::int64_t> segments;       ///< SegmentTable::begin, within the region
  Buffer<std::int64_t> next_segments;
  Buffer<std::uint32_t> tile_segments;  ///< SegmentTable::of_tile
  Buffer<FixedSum> piece_sums;          ///< sums of the entries in their current order

  SegmentTable Table() const {
    return {segments.data(), tile_segments.data(), static_cast<std::int32_t>(features.size()), n_nodes};
  }
  ColumnTiles Columns() const {
    return {static_cast<std::int32_t>(features.size()), n_column_tiles, first_tile.data(), feature_begin.data(),
            column_end.data()};
  }
  std::size_t NumPieces(std::int32_t nodes) const {
    return static_cast<std::size_t>(NumTiles(n_entries)) + features.size() * (static_cast<std::size_t>(nodes) + 1);
  }
};

constexpr std::int64_t kMostChunks = 8;
static_assert(kMostChunks <= static_cast<std::int64_t>(sizeof(FixedPair)), "a byte per entry fits the spare pairs");

/// Device memory of the builder. Grows as needed and is kept from tree to tree.
struct ExactWorkspace {
  std::int64_t region_size = 0;  ///< entries, a multiple of kTileEntries
  Buffer<std::uint32_t> rows;
  Buffer<float> values;
  Buffer<FixedPair> pairs;
  Buffer<SegmentCandidate> piece_best;
  Buffer<FixedSum> segment_sums;
  Buffer<SegmentCandidate> segment_best;
  Buffer<std::uint32_t> listed_tiles;  ///< followed by their number
  Buffer<std::uint32_t> goes_left;
  Buffer<std::int64_t> piece_lefts;
  Buffer<std::int64_t> segment_lefts;
  Buffer<std::int32_t> positions;
  Buffer<std::int32_t> next_positions;
  Buffer<std::uint32_t> row_goes_left;   ///< one bit per row
  Buffer<unsigned long long> node_rows;  ///< [n_nodes], if splits are limited
  LevelLabels level_labels;              ///< if errors choose the splits
  // The members below belong to the interleaved phase.
  Buffer<std::uint8_t> node_of_row;
  Buffer<NodePiece> node_pieces;
  Buffer<NodePiece> node_totals;
  Buffer<float> smallest;
  Buffer<std::uint32_t> node_counts;
  std::vector<std::uint32_t> features;  ///< features of `chunks`; columns are sampled by tree
  std::vector<Chunk> chunks;
  Upload level_upload;
  Upload move_upload;
  PinnedBuffer<SplitCandidate> best;

  EntryArrays Region(std::int64_t region) const {
    return {rows.data() + region * region_size, values.data() + region * region_size,
            pairs.data() + region * region_size};
  }
  SplitScratch ReserveSplit(CudaContext const& cuda, Chunk const& chunk);
  PartitionScratch ReservePartition(CudaContext const& cuda, Chunk const& chunk);
  /// Returns scratch of the interleaved phase. No entry moves in that phase, so the node_of_entry bytes of all chunks
  /// are in the pairs of the spare region, which is free.
  InterleavedScratch ReserveInterleaved(CudaContext const& cuda, Chunk const& chunk, std::int64_t spare_region,
                                        std::int32_t n_nodes);
  std::uint8_t* NodeOfEntry(Chunk const& chunk, std::int64_t spare_region) const;
};

/// The features of a chunk and its entries with the columns' padding.
struct ChunkPlan {
  std::vector<std::int32_t> features;
  std::int64_t n_entries = 0;
};

/// Groups `features` (ascending) into chunks of about equal numbers of entries. Columns without entries are left out.
/// Few entries give one chunk. column_sizes: [n_cols].
std::vector<ChunkPlan> PlanChunks(std::vector<std::int64_t> const& column_sizes,
                                  std::vector<std::uint32_t> const& features);

/// Returns the number of entries of the largest chunk of all columns.
std::int64_t RegionSize(std::vector<std::int64_t> const& column_sizes);
/// Returns the device memory for a tree on all columns: the regions, and a sixteenth of them for pieces and segments.
std::size_t BytesOfEntries(std::vector<std::int64_t> const& column_sizes);
/// Bytes per row: positions before and after a move, a node and a bit.
constexpr std::size_t kBytesPerRow = 10;

/// Makes workspace->chunks for `features` (ascending), in their first regions, and reserves memory for them. If the
/// last tree had the same features, the chunks are only put back to their first regions.
void MakeChunks(CudaContext const& cuda, DeviceColumns const& columns, std::vector<std::uint32_t> const& features,
                ExactWorkspace* workspace);

/// Copies the chunk's columns to its region with the pairs of their rows. Each feature has one live segment.
void FillChunk(CudaContext const& cuda, DeviceColumns const& columns, Span<FixedPair const> pairs,
               ExactWorkspace const& workspace, Chunk* chunk);

/// Recomputes the tiles' segments and the sums of the pieces from the current order of the entries.
void SumSegments(CudaContext const& cuda, ExactWorkspace const& workspace, Chunk* chunk);

}  // namespace kauri::cuda
