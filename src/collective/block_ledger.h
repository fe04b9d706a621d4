/// \file Which blocks of items (collective/row_sums.h) are whole on a rank, and what the ranks have brought of all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collective/parcel.h"
#include "common/block_sum.h"
#include "kauri/meta_info.h"

namespace kauri {

struct ItemBlocks {
  std::int64_t per_row = 1;         ///< items of a row
  std::int64_t length = kRowBlock;  ///< items of a block: kRowBlock, or as many for each item of a row

  bool operator==(ItemBlocks const& other) const { return per_row == other.per_row && length == other.length; }
};

struct BlockParts {
  struct Part {
    std::int64_t item;    ///< first, as this rank numbers its own
    std::int64_t global;  ///< number of the block, or of the item
  };
  std::vector<Part> wholes;   ///< blocks that lie whole in a range
  std::vector<Part> singles;  ///< items of other blocks
};

struct PartCounts {
  std::int64_t n_wholes = 0;
  std::int64_t n_singles = 0;
};

/// How many parts SplitIntoBlocks makes.
PartCounts CountParts(std::vector<RowRange> const& ranges, ItemBlocks blocks);

/// The last block of all rows counts as one that is not whole: a rank does not know that it is shorter.
BlockParts SplitIntoBlocks(std::vector<RowRange> const& ranges, ItemBlocks blocks);

/// What begins the parcel of every rank.
struct RankBlocks {
  std::vector<std::vector<RowRange>> ranges;
  ItemBlocks blocks;  ///< of the ranks that have rows
  std::int64_t n_rows = 0;
};
/// Takes ItemBlocks and ranges of each. mine: of this rank, nullptr where it has no rows. \throws Error(kData) when
/// ranks that have rows differ in their blocks.
RankBlocks OpenBlocks(std::vector<OpenParcel>* parcels, ItemBlocks const* mine);

/// Notes what is there, so that nothing is there twice; with as many items as there are, nothing is missing then. Items
/// that come one by one get places, those of a block side by side.
class BlockLedger {
 public:
  BlockLedger(std::int64_t n_rows, ItemBlocks blocks);

  std::int64_t NumBlocks() const { return static_cast<std::int64_t>(first_place_.size()); }
  /// Items of a block: fewer of the last.
  std::int64_t BlockSize(std::int64_t block) const {
    return std::min(blocks_.length, n_items_ - block * blocks_.length);
  }
  std::int64_t NumPlaces() const { return static_cast<std::int64_t>(is_taken_.size()); }
  /// Of a block whose items came one by one; negative: it came whole.
  std::int64_t FirstPlace(std::int64_t block) const { return first_place_[block]; }

  /// \throws Error(kData) for what is there already.
  void TakeBlock(std::int64_t block);
  /// Returns the place of the item. \throws Error(kData) for what is there already.
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
