/// \file Tracks which blocks of items (collective/row_sums.h) are complete on a rank, and which parts the ranks have
/// contributed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collective/parcel.h"
#include "common/block_sum.h"
#include "kauri/meta_info.h"

namespace kauri {

struct ItemBlocks {
  std::int64_t per_row = 1;         ///< items per row
  std::int64_t length = kRowBlock;  ///< items per block: kRowBlock, or kRowBlock * per_row

  bool operator==(ItemBlocks const& other) const { return per_row == other.per_row && length == other.length; }
};

struct BlockParts {
  struct Part {
    std::int64_t item;    ///< first item, in this rank's numbering
    std::int64_t global;  ///< global number of the block, or of the item
  };
  std::vector<Part> wholes;   ///< blocks that lie completely in a range
  std::vector<Part> singles;  ///< items of other blocks
};

struct PartCounts {
  std::int64_t n_wholes = 0;
  std::int64_t n_singles = 0;
};

/// Returns how many parts SplitIntoBlocks makes.
PartCounts CountParts(std::vector<RowRange> const& ranges, ItemBlocks blocks);

/// Splits the ranges into blocks and single items. The last block of all rows counts as incomplete, because a rank does
/// not know that it is shorter.
BlockParts SplitIntoBlocks(std::vector<RowRange> const& ranges, ItemBlocks blocks);

/// The beginning of every rank's parcel.
struct RankBlocks {
  std::vector<std::vector<RowRange>> ranges;
  ItemBlocks blocks;  ///< blocks of the ranks with rows
  std::int64_t n_rows = 0;
};
/// Takes ItemBlocks and ranges from each parcel. mine: blocks of this rank, nullptr if it has no rows. \throws
/// Error(kData) if the blocks of ranks with rows differ.
RankBlocks OpenBlocks(std::vector<OpenParcel>* parcels, ItemBlocks const* mine);

/// Records contributed parts, so that no part is accepted twice. If the number of items is correct, none is missing
/// then. Items contributed one by one get places; those of a block are adjacent.
class BlockLedger {
 public:
  BlockLedger(std::int64_t n_rows, ItemBlocks blocks);

  std::int64_t NumBlocks() const { return static_cast<std::int64_t>(first_place_.size()); }
  /// Returns the number of items of a block, which is smaller for the last one.
  std::int64_t BlockSize(std::int64_t block) const {
    return std::min(blocks_.length, n_items_ - block * blocks_.length);
  }
  std::int64_t NumPlaces() const { return static_cast<std::int64_t>(is_taken_.size()); }
  /// Returns the first place of a block whose items came one by one; negative if it came as a whole.
  std::int64_t FirstPlace(std::int64_t block) const { return first_place_[block]; }

  /// Records a block. \throws Error(kData) if any of it was recorded before.
  void TakeBlock(std::int64_t block);
  /// Records an item and returns its place. \throws Error(kData) if it was recorded before.
  std::int64_t TakeItem(std::int64_t item);

 private:
  static constexpr std::int64_t kAbsent = -1;
  static constexpr std::int64_t kWhole = -2;

  [[noreturn]] void FailTwice(std::int64_t item) const;

  std::int64_t n_items_;
  ItemBlocks blocks_;
  std::vector<std::int64_t> first_place_;  ///< [n_blocks]
  std::vector<bool> is_taken_;             ///< [n_places]
};

}  // namespace kauri
