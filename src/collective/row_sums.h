/// \file Sums over the rows of all ranks, equal bit by bit to one process that has the rows in their global order.
///
/// Vocabulary. An item is an element of the sum: a row, or one of the values of a row, of which every row has the same
/// number (one per target or output). Items are numbered like the rows, starting from row * per_row.
///
/// One process adds up blocks of consecutive items and then the blocks (common/sums.h). Ranks do the same with
/// blocks of global numbers: (1) a block whose items are consecutive on one rank is summed there; (2) for all other
/// blocks the values of the items are exchanged, in the same call of Gather as the sums; (3) every rank adds up the
/// exchanged values of a block as one process does, and then all blocks in order.
///
/// Volume: a Sum per block, and the values of at most two blocks per range of rows; if rows are scattered, the values
/// of all rows.
///
/// BlockLedger tracks which blocks of items are complete on a rank, and which parts the ranks
/// have contributed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "common/sums.h"
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

/// The values of a block that is not complete on any rank.
template <typename Value>
struct BlockValues {
  Value const* values;  ///< [n]
  std::int64_t n;
  std::int64_t first;    ///< global number of the first item
  std::int64_t per_row;  ///< items per row, which a rank without rows may not know otherwise
};

namespace detail {

/// Sums that are not plain values have AppendTo(doubles) and a constructor from the appended doubles. These are
/// untrusted, so `+=` fails if two sums do not fit together.
template <typename Sum>
void AppendDoubles(Sum const& sum, std::vector<double>* doubles) {
  if constexpr (std::is_trivially_copyable_v<Sum>) {
    static_assert(sizeof(Sum) % sizeof(double) == 0);
    doubles->resize(doubles->size() + sizeof(Sum) / sizeof(double));
    std::memcpy(doubles->data() + doubles->size() - sizeof(Sum) / sizeof(double), &sum, sizeof(Sum));
  } else {
    sum.AppendTo(doubles);
  }
}

template <typename Sum>
Sum SumOfDoubles(Span<double const> doubles) {
  if constexpr (std::is_trivially_copyable_v<Sum>) {
    if (doubles.size() * sizeof(double) != sizeof(Sum)) FailParcel("a sum has the wrong size");
    Sum sum;
    std::memcpy(static_cast<void*>(&sum), doubles.data(), sizeof(Sum));
    return sum;
  } else {
    return Sum(doubles);
  }
}

/// Packs this rank's blocks, ranges, sums and values, one array each.
template <typename Sum, typename Value, typename SumOf, typename ValueOf>
Parcel PackBlocks(Context const& ctx, std::vector<RowRange> const& ranges, ItemBlocks blocks, SumOf&& sum_of,
                  ValueOf&& value_of) {
  auto const parts = SplitIntoBlocks(ranges, blocks);
  std::vector<Sum> sums(parts.wholes.size());
  ParallelFor(ctx, static_cast<std::int64_t>(sums.size()), [&](std::int64_t i) {
    auto const begin = parts.wholes[i].item;
    sums[i] = sum_of(begin, begin + blocks.length);
  });
  std::vector<Value> values(parts.singles.size());
  ParallelForBlocks(ctx, static_cast<std::int64_t>(values.size()), kRowBlock,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      for (auto i = begin; i < end; ++i) values[i] = value_of(parts.singles[i].item);
                    });
  std::vector<double> doubles;
  for (auto const& sum : sums) AppendDoubles(sum, &doubles);
  Parcel parcel;
  parcel.Add(std::vector<ItemBlocks>{blocks});
  parcel.Add(ranges);
  parcel.Add(doubles);
  parcel.Add(values);
  return parcel;
}

/// The parts of a rank, in the order of SplitIntoBlocks.
template <typename Value>
struct RankParts {
  std::vector<RowRange> ranges;
  std::vector<double> doubles;  ///< sums of its whole blocks, the same number of doubles each
  std::vector<Value> values;

  /// \throws Error(kCollective) unless sums and values match the ranges.
  void Check(ItemBlocks blocks) const {
    auto const counts = CountParts(ranges, blocks);
    auto const n_wholes = ToSize(counts.n_wholes);
    auto const fits = n_wholes == 0 ? doubles.empty() : !doubles.empty() && doubles.size() % n_wholes == 0;
    if (!fits || values.size() != ToSize(counts.n_singles)) FailParcel("its sums do not match its blocks of rows");
  }
};

/// The blocks of all ranks.
template <typename Sum, typename Value>
class BlockTable {
 public:
  BlockTable(std::int64_t n_rows, ItemBlocks blocks)
      : blocks_(blocks), ledger_(n_rows, blocks), sums_(ToSize(ledger_.NumBlocks())) {}

  void Put(RankParts<Value> const& rank) {
    auto const parts = SplitIntoBlocks(rank.ranges, blocks_);
    for (std::size_t i = 0; i < parts.wholes.size(); ++i) {
      auto const width = rank.doubles.size() / parts.wholes.size();
      ledger_.TakeBlock(parts.wholes[i].global);
      sums_[parts.wholes[i].global] = SumOfDoubles<Sum>({rank.doubles.data() + i * width, width});
    }
    for (std::size_t i = 0; i < rank.values.size(); ++i) {
      auto const place = ToSize(ledger_.TakeItem(parts.singles[i].global));
      if (place >= values_.size()) values_.resize(ToSize(ledger_.NumPlaces()));
      values_[place] = rank.values[i];
    }
  }
  template <typename AddUp>
  Sum Total(AddUp&& add_up) {
    Sum total{};
    for (std::int64_t block = 0; block < ledger_.NumBlocks(); ++block) {
      auto const place = ledger_.FirstPlace(block);
      if (place < 0) {
        total += sums_[block];
      } else {
        total += add_up(BlockValues<Value>{values_.data() + place, ledger_.BlockSize(block), block * blocks_.length,
                                           blocks_.per_row});
      }
    }
    return total;
  }

 private:
  ItemBlocks blocks_;
  BlockLedger ledger_;
  std::vector<Sum> sums_;      ///< [n_blocks]
  std::vector<Value> values_;  ///< values of the blocks that are not complete on any rank
};

}  // namespace detail

/// Returns the sum over the items of all ranks; with one rank, SumBlocks.
/// \param sum_of Returns the Sum of the items [begin, end) of this rank, a block.
/// \param value_of Returns the value of one item of this rank, trivially copyable.
/// \param add_up Returns the Sum of the BlockValues of a block, equal to sum_of bit by bit if it gets all of them.
/// \throws Error(kData) if the ranks do not have each row exactly once, or differ in the items per row;
/// Error(kCollective) for a message that is inconsistent with the rank's rows.
template <typename Sum, typename SumOf, typename ValueOf, typename AddUp>
Sum SumRows(Context const& ctx, MetaInfo const& info, ItemBlocks blocks, SumOf&& sum_of, ValueOf&& value_of,
            AddUp&& add_up) {
  if (!IsDistributed(ctx)) return SumBlocks<Sum>(ctx, info.n_rows * blocks.per_row, blocks.length, sum_of);
  using Value = std::decay_t<decltype(value_of(std::int64_t{0}))>;
  auto parcels = GatherParcels(ctx, detail::PackBlocks<Sum, Value>(ctx, RangesOf(info), blocks, sum_of, value_of));
  auto const opened = OpenBlocks(&parcels, info.n_rows > 0 ? &blocks : nullptr);
  std::vector<detail::RankParts<Value>> ranks;
  for (std::size_t rank = 0; rank < parcels.size(); ++rank) {
    auto doubles = parcels[rank].template Take<double>();
    ranks.push_back({opened.ranges[rank], std::move(doubles), parcels[rank].template Take<Value>()});
    ranks.back().Check(opened.blocks);
  }
  // The table is made only now, when it cannot be larger than the received data.
  detail::BlockTable<Sum, Value> table(opened.n_rows, opened.blocks);
  for (auto const& rank : ranks) table.Put(rank);
  return table.Total(add_up);
}

}  // namespace kauri
