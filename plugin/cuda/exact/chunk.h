/// \file A group of features whose entries live in one region of memory, and the device memory of the whole builder.
///
/// Partitioning needs a second place for what is moved. With the features in n groups there are n + 1 regions: each
/// group moves to the region that the group before it has left, so the spare room is one region, not a copy of
/// everything.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/data/device_columns.h"
#include "cuda/exact/entries/exact_types.h"
#include "cuda/exact/entries/partition.h"
#include "cuda/exact/label_bins/level_labels.h"
#include "cuda/exact/split/find_split.h"
#include "cuda/exact/split/find_split_interleaved.h"

namespace kauri::cuda {

/// One group of features while a tree grows.
struct Chunk {
  std::vector<std::int32_t> features;  ///< global ids, ascending
  std::int64_t n_entries = 0;
  std::int64_t region = 0;
  std::int32_t n_nodes = 1;            ///< that `segments` knows
  Buffer<std::int32_t> feature_ids;    ///< device copy of `features`
  Buffer<std::uint8_t> both_ways;      ///< [n_features]
  Buffer<std::int64_t> feature_begin;  ///< [n_features + 1], within the region; multiples of kEntryAlignment
  std::vector<std::int64_t> begin;     ///< [n_features + 1], host copy of it
  std::vector<std::int64_t> end;       ///< [n_features]: past the last entry of each column, as it was filled
  Buffer<std::int64_t> column_end;     ///< device copy of `end`
  Buffer<std::uint32_t> first_tile;    ///< ColumnTiles::first_tile
  std::int64_t n_column_tiles = 0;
  Buffer<std::int64_t> source;         ///< [n_features]: where each column begins in DeviceColumns
  Buffer<std::int64_t> root_segments;  ///< `segments` of a single node with all entries
  Buffer<std::int64_t> segments;       ///< SegmentTable::begin, within the region
  Buffer<std::int64_t> next_segments;
  Buffer<std::uint32_t> tile_segments;  ///< SegmentTable::of_tile
  Buffer<FixedSum> piece_sums;          ///< of the entries as they lie now

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

/// Grows as needed and is kept from tree to tree.
struct ExactWorkspace {
  std::int64_t region_size = 0;  ///< entries, a multiple of kTileEntries
  Buffer<std::uint32_t> rows;
  Buffer<float> values;
  Buffer<FixedPair> pairs;
  Buffer<SegmentCandidate> piece_best;
  Buffer<FixedSum> segment_sums;
  Buffer<SegmentCandidate> segment_best;
  Buffer<std::uint32_t> listed_tiles;  ///< with their number at the end
  Buffer<std::uint32_t> goes_left;
  Buffer<std::int64_t> piece_lefts;
  Buffer<std::int64_t> segment_lefts;
  Buffer<std::int32_t> positions;
  Buffer<std::int32_t> next_positions;
  Buffer<std::uint32_t> row_goes_left;   ///< one bit per row
  Buffer<unsigned long long> node_rows;  ///< [n_nodes], where splits are limited
  LevelLabels level_labels;              ///< where splits are chosen by errors
  // The interleaved phase's.
  Buffer<std::uint8_t> node_of_row;
  Buffer<NodePiece> node_pieces;
  Buffer<NodePiece> node_totals;
  Buffer<float> smallest;
  Buffer<std::uint32_t> node_counts;
  std::vector<std::uint32_t> features;  ///< that `chunks` are for; columns are sampled by tree
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
  /// While nothing is moved, the spare region is free: the bytes of node_of_entry of all chunks lie in its pairs.
  InterleavedScratch ReserveInterleaved(CudaContext const& cuda, Chunk const& chunk, std::int64_t spare_region,
                                        std::int32_t n_nodes);
  std::uint8_t* NodeOfEntry(Chunk const& chunk, std::int64_t spare_region) const;
};

/// The features of a chunk and its entries with the columns' padding.
struct ChunkPlan {
  std::vector<std::int32_t> features;
  std::int64_t n_entries = 0;
};

/// Groups `features` (ascending) into chunks of about equal numbers of entries; columns without entries are left out.
/// Few entries: one chunk. column_sizes: [n_cols].
std::vector<ChunkPlan> PlanChunks(std::vector<std::int64_t> const& column_sizes,
                                  std::vector<std::uint32_t> const& features);

/// Room for the entries of the largest chunk of all columns.
std::int64_t RegionSize(std::vector<std::int64_t> const& column_sizes);
/// Device memory while a tree grows from all columns: the regions, and a sixteenth of them for pieces and segments.
std::size_t BytesOfEntries(std::vector<std::int64_t> const& column_sizes);
/// Positions before and after a move, a node and a bit per row.
constexpr std::size_t kBytesPerRow = 10;

/// workspace->chunks for `features` (ascending), in their first regions, and room for them. Does nothing but that when
/// they are those of the last tree.
void MakeChunks(CudaContext const& cuda, DeviceColumns const& columns, std::vector<std::uint32_t> const& features,
                ExactWorkspace* workspace);

/// Copies the chunk's columns to its region with the pairs of their rows; one live segment per feature.
void FillChunk(CudaContext const& cuda, DeviceColumns const& columns, Span<FixedPair const> pairs,
               ExactWorkspace const& workspace, Chunk* chunk);

/// Finds the tiles' segments and the sums of the pieces anew, from the entries as they lie.
void SumSegments(CudaContext const& cuda, ExactWorkspace const& workspace, Chunk* chunk);

}  // namespace kauri::cuda
