/// \file The entries of the features without codes (exact_coded_columns.h), grouped by node. Each level partitions them
/// stably and then scans them for splits.
///
/// 1. At the root, the segment of a feature is its sorted column itself; nothing is copied.
/// 2. A split sends each entry of its node's segment to the left or the right child's segment in the same order,
///    according to the entry's new position. Segments thus stay sorted and contiguous; segments of finished nodes are
///    dropped.
/// 3. Each child's segment is scanned right after it is written, while it is in the cache.
/// 4. A categorical column's segment is added up by category and searched by category_split.h.
/// 5. The candidates of all features are merged by IsBetter, or with the noise of random_strength (gain_noise.h). Both
///    are total orders, so any schedule gives the same split.
///
/// Lower bound of the cost: a level moves 8 bytes in and 8 out per entry (in place; the right half passes through a
/// buffer of the thread) and gathers 4 bytes (new position) and 8 bytes (gradient pair) at random. At two loads that
/// miss the first-level cache per two cycles, that is 4 to 5 cycles or 1.1 ns per entry and level while a node's row
/// arrays fit the L2 cache. Measured on one core at 4.4 GHz: 1.2 ns at 20 k rows, 1.4 to 1.6 at 200 k, 2.1 at 1 M
/// (XGBoost 3.2.0's exact method: 11 and 12 at 200 k and 1 M). Tried and slower: one gather of a 16-byte record for
/// both, gather instructions, prefetching the pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/sorted_columns.h"
#include "kauri/context.h"
#include "tree/exact/exact_level.h"

namespace kauri {

class ExactColumns {
 public:
  /// `source` must outlive this object.
  explicit ExactColumns(SortedColumns const& source);

  /// Returns to the root. Only `features` (ascending) take part in the tree.
  void Start(std::vector<std::uint32_t> const& features);
  /// Splits the segments and searches the children. moves: [nodes of the level above], by the rows' new positions;
  /// empty if no rows have moved. best: [nodes], replaced if a better candidate is found.
  void FindSplits(Context const& ctx, ExactLevel const& level, Span<RowMove const> moves,
                  std::vector<SplitCandidate>* best);
  /// Returns the entries of a feature in an active node; empty if all are missing.
  Span<ColumnEntry const> Segment(std::uint32_t feature, std::int64_t node) const;

 private:
  /// Entries [begin, begin + count) of the arrays, in active node `node`.
  struct Place {
    std::int64_t begin;
    std::int64_t count;
    std::int64_t node;
  };
  struct Column {
    std::uint32_t feature;
    ScanMode mode;
    std::vector<Place> places;  ///< nodes ascending, none empty
  };
  struct Work;

  std::vector<Work> CutIntoWork() const;
  /// Partitions a place into the children's places and scans these.
  void SplitPlace(ExactLevel const& level, RowMove const& move, std::size_t column, std::size_t index,
                  std::vector<SplitCandidate>* best);
  void ScanPlace(ExactLevel const& level, Column const& column, ColumnEntry const* entries, Place const& place,
                 std::vector<SplitCandidate>* best);
  void AdoptChildren();

  SortedColumns const* source_;
  std::unique_ptr<ColumnEntry[]> moved_;  // [n_entries], written from the second level on
  ColumnEntry const* entries_ = nullptr;  // entries of source_ or moved_
  std::vector<Column> columns_;
  std::vector<std::vector<Place>> next_;                      // [columns][2 * places]: children, some empty
  std::vector<std::vector<ColumnEntry>> buffers_;             // [threads]
  std::vector<std::vector<CategoryEntry>> category_entries_;  // [threads]
};

// Stably partitions a segment's entries by the new positions of their rows.

/// Both functions write entries with their new positions, in order, and return how many they wrote. `out` may be
/// `entries`.

/// Writes entries with new positions below `middle` to `out`, followed by all others (none may be dropped). Returns the
/// number of the former. buffer: [count], scratch.
std::int64_t PartitionEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                              std::uint32_t middle, ColumnEntry* buffer, ColumnEntry* out);

/// Writes only entries with new positions in [first, end).
std::int64_t SelectEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                           std::uint32_t first, std::uint32_t end, ColumnEntry* out);

}  // namespace kauri
