#include "collective/row_sums.h"

#include <algorithm>

#include "collective/row_ranges.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kMostPerRow = std::int64_t{1} << 24;

/// The items of a range: [begin, head) one by one, [head, tail) in whole blocks, [tail, end) one by one.
struct Bounds {
  std::int64_t begin;
  std::int64_t head;
  std::int64_t tail;
  std::int64_t end;
};

Bounds BoundsOf(RowRange const& range, ItemBlocks blocks) {
  Bounds bounds{};
  bounds.begin = range.first * blocks.per_row;
  bounds.end = (range.first + range.count) * blocks.per_row;
  bounds.head = std::min(bounds.end, NumBlocks(bounds.begin, blocks.length) * blocks.length);
  bounds.tail = std::max(bounds.head, bounds.end / blocks.length * blocks.length);
  return bounds;
}

/// Returns whether a rank can have such blocks, so that values computed from them stay in bounds.
bool AreBlocks(ItemBlocks blocks) {
  if (blocks.per_row < 1 || blocks.per_row > kMostPerRow) return false;
  return blocks.length == kRowBlock || blocks.length == kRowBlock * blocks.per_row;
}

}  // namespace

PartCounts CountParts(std::vector<RowRange> const& ranges, ItemBlocks blocks) {
  PartCounts counts;
  for (auto const& range : ranges) {
    auto const bounds = BoundsOf(range, blocks);
    counts.n_wholes += (bounds.tail - bounds.head) / blocks.length;
    counts.n_singles += (bounds.head - bounds.begin) + (bounds.end - bounds.tail);
  }
  return counts;
}

BlockParts SplitIntoBlocks(std::vector<RowRange> const& ranges, ItemBlocks blocks) {
  BlockParts parts;
  std::int64_t before = 0;  // items of the previous ranges
  for (auto const& range : ranges) {
    auto const bounds = BoundsOf(range, blocks);
    auto const here = [&](std::int64_t global) { return before + global - bounds.begin; };
    for (auto item = bounds.begin; item < bounds.head; ++item) parts.singles.push_back({here(item), item});
    for (auto item = bounds.head; item < bounds.tail; item += blocks.length) {
      parts.wholes.push_back({here(item), item / blocks.length});
    }
    for (auto item = bounds.tail; item < bounds.end; ++item) parts.singles.push_back({here(item), item});
    before += bounds.end - bounds.begin;
  }
  return parts;
}

RankBlocks OpenBlocks(std::vector<OpenParcel>* parcels, ItemBlocks const* mine) {
  RankBlocks ranks;
  auto const* known = mine;
  for (auto& parcel : *parcels) {
    auto const blocks = parcel.Take<ItemBlocks>();
    ranks.ranges.push_back(parcel.Take<RowRange>());
    if (ranks.ranges.back().empty()) continue;
    if (blocks.size() != 1 || !AreBlocks(blocks[0])) FailParcel("it does not describe valid blocks of rows");
    if (known != nullptr && !(blocks[0] == *known)) {
      Fail(ErrorKind::kData, "the ranks have ", std::min(known->per_row, blocks[0].per_row), " and ",
           std::max(known->per_row, blocks[0].per_row),
           " values per row; give all ranks the same number of label columns and of predictions per row");
    }
    ranks.blocks = blocks[0];
    known = &ranks.blocks;
  }
  ranks.n_rows = CountRowsOfRanks(ranks.ranges);
  return ranks;
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
