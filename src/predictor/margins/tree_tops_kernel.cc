#include <algorithm>

#include "predictor/margins/margin_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "predictor/margins/tree_tops_kernel.cc"
#include <hwy/foreach_target.h>
// Included after foreach_target.h, once per target.
#include <hwy/highway.h>

#include "predictor/margins/tree_tops.h"

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One bit per row of a group.
using RowWord = std::uint64_t;
constexpr std::size_t kMaxNodes = std::size_t{1} << kTreeTopsLevels;

/// Bit r of the result: codes[r] > rank.
template <typename Code>
HWY_INLINE RowWord CompareRows(Code const* codes, Code rank) {
  hn::CappedTag<Code, kTreeTopsRows> const d;
  RowWord word = 0;
  if constexpr (hn::MaxLanes(d) < 8) {  // mask bits come in bytes
    for (std::int64_t row = 0; row < kTreeTopsRows; ++row) word |= RowWord{codes[row] > rank} << row;
  } else {
    std::uint8_t bits[sizeof(word) + 8];
    for (std::size_t row = 0; row < kTreeTopsRows; row += hn::Lanes(d)) {
      hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, codes + row), hn::Set(d, rank)), bits + row / 8);
    }
    hwy::CopyBytes<sizeof(word)>(bits, &word);
  }
  return word;
}

/// Compares the first n_nodes nodes with a group of rows. goes_right[node]: bit r is set if row r goes right at the
/// node. codes: codes of the group in column 0.
template <typename Code>
HWY_INLINE void CompareNodes(TreeTopsJob const& job, std::size_t n_nodes, Code const* codes, RowWord* goes_right) {
  for (std::size_t node = 0; node < n_nodes; ++node) {
    goes_right[node] = CompareRows(codes + job.column[node] * job.n_rows, static_cast<Code>(job.rank[node]));
  }
}

/// Sets path[level]: bit r is the turn that row r takes at that level. Overwrites goes_right.
HWY_INLINE void SelectPaths(std::int32_t levels, RowWord* goes_right, RowWord* path) {
  auto* level_nodes = goes_right;
  for (std::int32_t level = 0; level < levels; ++level) {
    auto half = std::size_t{1} << level;
    // The root's turn picks a half of the level, the next turn a quarter, and so on.
    for (std::int32_t turn = 0; turn < level; ++turn) {
      half /= 2;
      for (std::size_t i = 0; i < half; ++i) {
        level_nodes[i] ^= (level_nodes[i] ^ level_nodes[i + half]) & path[turn];
      }
    }
    path[level] = level_nodes[0];
    level_nodes += std::size_t{1} << level;
  }
}

/// Sets flags[r] to flags[r] OR `flag` if bit r of `word` is set.
HWY_INLINE void SpreadWord(RowWord word, std::uint8_t flag, std::uint8_t* flags) {
  hn::CappedTag<std::uint8_t, kTreeTopsRows> const d;
  if constexpr (hn::MaxLanes(d) < 8) {
    for (std::int64_t row = 0; row < kTreeTopsRows; ++row) flags[row] |= ((word >> row) & 1U) != 0 ? flag : 0;
  } else {
    for (std::size_t row = 0; row < kTreeTopsRows; row += hn::Lanes(d)) {
      std::uint8_t bits[sizeof(word)];
      RowWord const shifted = word >> row;
      hwy::CopyBytes<sizeof(shifted)>(&shifted, bits);
      auto const added = hn::IfThenElseZero(hn::LoadMaskBits(d, bits), hn::Set(d, flag));
      hn::StoreU(hn::Or(hn::LoadU(d, flags + row), added), d, flags + row);
    }
  }
}

/// Sets exits[r] to the turns of row r as a binary number, the root's turn first.
HWY_INLINE void PathsToExits(std::int32_t levels, RowWord const* path, std::uint8_t* exits) {
  std::fill(exits, exits + kTreeTopsRows, std::uint8_t{0});
  for (std::int32_t level = 0; level < levels; ++level) {
    SpreadWord(path[level], static_cast<std::uint8_t>(1U << (levels - 1 - level)), exits);
  }
}

template <typename Code>
HWY_INLINE void ExitsOfGroup(TreeTopsJob const& job, Code const* codes, std::uint8_t* exits) {
  RowWord goes_right[kMaxNodes];
  RowWord path[kTreeTopsLevels];
  if (job.has_conditions) {
    CompareNodes(job, static_cast<std::size_t>(job.levels), codes, path);
    PathsToExits(job.levels, path, exits);
    return;
  }
  CompareNodes(job, (std::size_t{1} << job.levels) - 1, codes, goes_right);
  SelectPaths(job.levels, goes_right, path);
  PathsToExits(job.levels, path, exits);
}

template <typename Fn>
HWY_INLINE void ForEachGroup(TreeTopsJob const& job, Fn&& fn) {
  HWY_ALIGN std::uint8_t exits[kTreeTopsRows];
  for (std::int64_t row = 0; row < job.n_rows; row += kTreeTopsRows) {
    if (job.code_bytes == 1) {
      ExitsOfGroup(job, static_cast<std::int8_t const*>(job.codes) + row, exits);
    } else {
      ExitsOfGroup(job, static_cast<std::int16_t const*>(job.codes) + row, exits);
    }
    fn(row, exits);
  }
}

/// Entries of one register of the widest vectors; tables of exits are padded to this size.
constexpr std::int32_t kTableLanes = static_cast<std::int32_t>(kMinExits);

/// Adds table[exits[r]] to sums[r], with the table in kRegisters registers.
template <std::size_t kRegisters>
HWY_INLINE void AddFromRegisters(float const* table, std::uint8_t const* exits, float* sums) {
  hn::CappedTag<float, kMinExits> const d;
  hn::Rebind<std::int32_t, decltype(d)> const di;
  hn::Rebind<std::uint8_t, decltype(d)> const du;
  auto const part0 = hn::LoadU(d, table);
  auto const part1 = hn::LoadU(d, table + (kRegisters > 1 ? kTableLanes : 0));
  auto const part2 = hn::LoadU(d, table + (kRegisters > 2 ? 2 * kTableLanes : 0));
  auto const part3 = hn::LoadU(d, table + (kRegisters > 2 ? 3 * kTableLanes : 0));
  for (std::int64_t row = 0; row < kTreeTopsRows; row += kTableLanes) {
    auto const exit = hn::PromoteTo(di, hn::LoadU(du, exits + row));
    auto const lane = hn::IndicesFromVec(d, hn::And(exit, hn::Set(di, kTableLanes - 1)));
    auto value = hn::TableLookupLanes(part0, lane);
    if constexpr (kRegisters > 1) {
      auto const odd = hn::RebindMask(d, hn::TestBit(exit, hn::Set(di, kTableLanes)));
      value = hn::IfThenElse(odd, hn::TableLookupLanes(part1, lane), value);
      if constexpr (kRegisters > 2) {
        auto const upper = hn::IfThenElse(odd, hn::TableLookupLanes(part3, lane), hn::TableLookupLanes(part2, lane));
        value = hn::IfThenElse(hn::RebindMask(d, hn::TestBit(exit, hn::Set(di, 2 * kTableLanes))), upper, value);
      }
    }
    hn::StoreU(hn::Add(hn::LoadU(d, sums + row), value), d, sums + row);
  }
}

/// Adds table[exits[r]] to sums[r]. table: [max(2^levels, kMinExits)].
HWY_INLINE void AddFromTable(std::int32_t levels, float const* table, std::uint8_t const* exits, float* sums) {
  if constexpr (hn::MaxLanes(hn::CappedTag<float, kMinExits>()) == kMinExits) {
    if (levels == 6) {
      AddFromRegisters<4>(table, exits, sums);
    } else if (levels == 5) {
      AddFromRegisters<2>(table, exits, sums);
    } else {
      AddFromRegisters<1>(table, exits, sums);
    }
  } else {
    for (std::int64_t row = 0; row < kTreeTopsRows; ++row) sums[row] += table[exits[row]];
  }
}

void AddValues(TreeTopsJob const& job, float* sums) {
  ForEachGroup(job, [&](std::int64_t row, std::uint8_t const* exits) {
    AddFromTable(job.levels, job.exit_value, exits, sums + row);
  });
}

void FindExits(TreeTopsJob const& job, std::uint8_t* out) {
  ForEachGroup(job,
               [&](std::int64_t row, std::uint8_t const* exits) { hwy::CopyBytes<kTreeTopsRows>(exits, out + row); });
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(AddValues);
HWY_EXPORT(FindExits);

void AddTreeTopsValues(TreeTopsJob const& job, float* sums) { HWY_DYNAMIC_DISPATCH(AddValues)(job, sums); }

void FindTreeTopsExits(TreeTopsJob const& job, std::uint8_t* exits) { HWY_DYNAMIC_DISPATCH(FindExits)(job, exits); }

}  // namespace kauri
#endif
