#include "predictor/crown_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "predictor/crown_kernel.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, once per target.
#include <hwy/highway.h>

#include "predictor/crown.h"

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One bit per row of a group.
using RowWord = std::uint64_t;
constexpr std::size_t kMaxNodes = std::size_t{1} << kCrownLevels;

/// Bit r of the result: codes[r] > rank.
template <typename Code>
HWY_INLINE RowWord CompareRows(Code const* codes, Code rank) {
  hn::CappedTag<Code, kCrownRows> const d;
  RowWord word = 0;
  if constexpr (hn::MaxLanes(d) < 8) {  // mask bits come in bytes
    for (std::int64_t row = 0; row < kCrownRows; ++row) word |= RowWord{codes[row] > rank} << row;
  } else {
    std::uint8_t bits[sizeof(word) + 8];
    for (std::size_t row = 0; row < kCrownRows; row += hn::Lanes(d)) {
      hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, codes + row), hn::Set(d, rank)), bits + row / 8);
    }
    hwy::CopyBytes<sizeof(word)>(bits, &word);
  }
  return word;
}

/// goes_right[node]: bit r tells whether row r of the group goes right at the node. codes: the group's in column 0.
template <typename Code>
HWY_INLINE void CompareNodes(CrownJob const& job, Code const* codes, RowWord* goes_right) {
  auto const n_nodes = (std::size_t{1} << job.levels) - 1;
  for (std::size_t node = 0; node < n_nodes; ++node) {
    goes_right[node] = CompareRows(codes + job.column[node] * job.n_rows, static_cast<Code>(job.rank[node]));
  }
}

/// path[level]: bit r is the turn that row r takes at that level. goes_right is overwritten.
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

/// flags[r] = bit r of `word` times `flag`, OR-ed to what is there.
HWY_INLINE void SpreadWord(RowWord word, std::uint8_t flag, std::uint8_t* flags) {
  hn::CappedTag<std::uint8_t, kCrownRows> const d;
  if constexpr (hn::MaxLanes(d) < 8) {
    for (std::int64_t row = 0; row < kCrownRows; ++row) flags[row] |= ((word >> row) & 1U) != 0 ? flag : 0;
  } else {
    for (std::size_t row = 0; row < kCrownRows; row += hn::Lanes(d)) {
      std::uint8_t bits[sizeof(word)];
      RowWord const shifted = word >> row;
      hwy::CopyBytes<sizeof(shifted)>(&shifted, bits);
      auto const added = hn::IfThenElseZero(hn::LoadMaskBits(d, bits), hn::Set(d, flag));
      hn::StoreU(hn::Or(hn::LoadU(d, flags + row), added), d, flags + row);
    }
  }
}

/// exits[r] = the turns of row r as a binary number, the root's first.
HWY_INLINE void PathsToExits(std::int32_t levels, RowWord const* path, std::uint8_t* exits) {
  std::fill(exits, exits + kCrownRows, std::uint8_t{0});
  for (std::int32_t level = 0; level < levels; ++level) {
    SpreadWord(path[level], static_cast<std::uint8_t>(1U << (levels - 1 - level)), exits);
  }
}

template <typename Code>
HWY_INLINE void ExitsOfGroup(CrownJob const& job, Code const* codes, std::uint8_t* exits) {
  RowWord goes_right[kMaxNodes];
  RowWord path[kCrownLevels];
  CompareNodes(job, codes, goes_right);
  SelectPaths(job.levels, goes_right, path);
  PathsToExits(job.levels, path, exits);
}

template <typename Fn>
HWY_INLINE void ForEachGroup(CrownJob const& job, Fn&& fn) {
  HWY_ALIGN std::uint8_t exits[kCrownRows];
  for (std::int64_t row = 0; row < job.n_rows; row += kCrownRows) {
    if (job.code_bytes == 1) {
      ExitsOfGroup(job, static_cast<std::int8_t const*>(job.codes) + row, exits);
    } else {
      ExitsOfGroup(job, static_cast<std::int16_t const*>(job.codes) + row, exits);
    }
    fn(row, exits);
  }
}

/// sums[r] += table[exits[r]].
HWY_INLINE void AddFromTable(float const* table, std::uint8_t const* exits, float* sums) {
  for (std::int64_t row = 0; row < kCrownRows; ++row) sums[row] += table[exits[row]];
}

void AddValues(CrownJob const& job, float* sums) {
  ForEachGroup(job,
               [&](std::int64_t row, std::uint8_t const* exits) { AddFromTable(job.exit_value, exits, sums + row); });
}

void FindExits(CrownJob const& job, std::uint8_t* out) {
  ForEachGroup(job, [&](std::int64_t row, std::uint8_t const* exits) { hwy::CopyBytes<kCrownRows>(exits, out + row); });
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(AddValues);
HWY_EXPORT(FindExits);

void AddCrownValues(CrownJob const& job, float* sums) { HWY_DYNAMIC_DISPATCH(AddValues)(job, sums); }

void FindCrownExits(CrownJob const& job, std::uint8_t* exits) { HWY_DYNAMIC_DISPATCH(FindExits)(job, exits); }

}  // namespace kauri
#endif
