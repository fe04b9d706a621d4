#include "collective/block_ledger.h"

#include "collective/row_ranges.h"
#include "kauri/error.h"

namespace kauri {

BlockParts SplitIntoBlocks(std::vector<RowRange> const& ranges, ItemBlocks blocks) {
  BlockParts parts;
  std::int64_t item = 0;
  for (auto const& range : ranges) {
    auto const end = (range.first + range.count) * blocks.per_row;
    for (auto global = range.first * blocks.per_row; global < end;) {
      auto const is_whole = global % blocks.length == 0 && end - global >= blocks.length;
      auto const step = is_whole ? blocks.length : 1;
      (is_whole ? parts.wholes : parts.singles).push_back({item, is_whole ? global / blocks.length : global});
      global += step;
      item += step;
    }
  }
  return parts;
}

RankBlocks OpenBlocks(std::vector<OpenParcel>* parcels) {
  RankBlocks ranks;
  bool is_known = false;
  for (auto& parcel : *parcels) {
    auto const blocks = parcel.Take<ItemBlocks>();
    ranks.ranges.push_back(parcel.Take<RowRange>());
    if (ranks.ranges.back().empty()) continue;
    if (blocks.size() != 1 || blocks[0].per_row < 1 || blocks[0].length < 1) FailBlocks();
    if (is_known && (blocks[0].per_row != ranks.blocks.per_row || blocks[0].length != ranks.blocks.length)) {
      Fail(ErrorKind::kData, "the ranks have ", ranks.blocks.per_row, " and ", blocks[0].per_row,
           " values for each row; give all as many columns of labels and predictions");
    }
    ranks.blocks = blocks[0];
    is_known = true;
  }
  ranks.n_rows = CountRows(ranks.ranges);
  return ranks;
}

void FailBlocks() {
  Fail(ErrorKind::kCollective,
       "the sums of another rank are not those of its rows; all ranks must run the same version");
}

BlockLedger::BlockLedger(std::int64_t n_rows, ItemBlocks blocks)
    : n_items_(n_rows * blocks.per_row),
      blocks_(blocks),
      first_place_(ToSize(kauri::NumBlocks(n_items_, blocks.length)), kAbsent) {}

void BlockLedger::TakeBlock(std::int64_t block) {
  if (first_place_[block] != kAbsent) FailTwice(block * blocks_.length);
  first_place_[block] = kWhole;
}

std::int64_t BlockLedger::TakeItem(std::int64_t item) {
  auto const block = item / blocks_.length;
  if (first_place_[block] == kWhole) FailTwice(item);
  if (first_place_[block] == kAbsent) {
    first_place_[block] = NumPlaces();
    is_taken_.resize(is_taken_.size() + ToSize(BlockSize(block)));
  }
  auto const place = first_place_[block] + item % blocks_.length;
  if (is_taken_[place]) FailTwice(item);
  is_taken_[place] = true;
  return place;
}

void BlockLedger::FailTwice(std::int64_t item) const { FailPartition(item / blocks_.per_row); }

}  // namespace kauri
