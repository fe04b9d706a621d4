#include "tree/drawn/node_codes.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/drawn/node_codes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Flags = hn::CappedTag<std::uint8_t, 64>;
using Sums = hn::CappedTag<std::int64_t, kTileColumns>;
using Codes = hn::Rebind<std::uint8_t, Sums>;

constexpr std::int64_t kRowsAtATime = 128;  // whose integers and codes stay in the first cache while all tiles pass

void CollectFlags(std::uint8_t* flags, UsedCodes* used) {
  Flags const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::array<std::uint8_t, kTileCodes / 8> bits{};
  for (std::int64_t code = 0; code < kTileCodes; code += lanes) {
    auto const mask = hn::Ne(hn::LoadU(d, flags + code), hn::Zero(d));
    hn::StoreU(hn::Zero(d), d, flags + code);
    std::array<std::uint8_t, 8> here{};
    hn::StoreMaskBits(d, mask, here.data());
    if (lanes < 8) {
      bits[code / 8] = static_cast<std::uint8_t>(bits[code / 8] | here[0] << (code % 8));
    } else {
      std::memcpy(bits.data() + code / 8, here.data(), static_cast<std::size_t>(lanes / 8));
    }
  }
  std::memcpy(used->bits.data(), bits.data(), bits.size());
  for (std::size_t word = 0; word < used->bits.size(); ++word) {
    used->n_codes[word] = static_cast<std::int32_t>(hwy::PopCount(used->bits[word]));
  }
}

void FindUsedCodes(NodeCodes const& rows, std::int64_t column, std::uint8_t* flags,
                   std::array<UsedCodes, kTileColumns>* used) {
  for (auto const place : rows.places) {
    std::uint64_t word = 0;
    std::memcpy(&word, rows.codes + place + column, sizeof(word));
    for (std::int64_t i = 0; i < kTileColumns; ++i) flags[i * kTileCodes + ((word >> 8 * i) & 255U)] = 1;
  }
  for (std::int64_t i = 0; i < kTileColumns; ++i) CollectFlags(flags + i * kTileCodes, &(*used)[i]);
}

/// Where the sums of rows go, and which.
struct SumsBelow {
  NodeCodes const& rows;
  Span<std::uint8_t const> below;
  std::int64_t* sums;

  std::int64_t NumColumns() const { return static_cast<std::int64_t>(below.size()); }
};

struct RowRange {
  std::int64_t first;
  std::int64_t last;
};

HWY_INLINE hn::Vec<Sums> LoadCodes(std::uint8_t const* codes) {
  return hn::PromoteTo(Sums(), hn::PromoteTo(hn::Rebind<std::int32_t, Sums>(), hn::LoadU(Codes(), codes)));
}

/// kSums sums, from number `sum` on, of some rows in a part of a tile.
template <int kSums>
HWY_INLINE void AddBelow(SumsBelow const& task, RowRange range, std::int64_t sum, std::int64_t column) {
  Sums const d;
  auto const& rows = task.rows;
  auto const n_columns = task.NumColumns();
  auto const bound = LoadCodes(&task.below[column]);
  auto* const to = task.sums + sum * n_columns + column;
  hn::Vec<Sums> added[kSums];
  for (int k = 0; k < kSums; ++k) added[k] = hn::LoadU(d, to + k * n_columns);
  for (auto row = range.first; row < range.last; ++row) {
    auto const is_below = hn::Lt(LoadCodes(rows.codes + rows.places[row] + column), bound);
    auto const* values = rows.values.data() + row * rows.n_sums + sum;
    for (int k = 0; k < kSums; ++k) {
      added[k] = hn::Add(added[k], hn::IfThenElseZero(is_below, hn::Set(d, values[k])));
    }
  }
  for (int k = 0; k < kSums; ++k) hn::StoreU(added[k], d, to + k * n_columns);
}

HWY_INLINE void AddTile(SumsBelow const& task, RowRange range, std::int64_t column) {
  auto const n_sums = task.rows.n_sums;
  std::int64_t sum = 0;
  for (; sum + 8 <= n_sums; sum += 8) AddBelow<8>(task, range, sum, column);
  for (; sum + 4 <= n_sums; sum += 4) AddBelow<4>(task, range, sum, column);
  for (; sum + 2 <= n_sums; sum += 2) AddBelow<2>(task, range, sum, column);
  if (sum < n_sums) AddBelow<1>(task, range, sum, column);
}

void SumBelow(NodeCodes const& rows, Span<std::uint8_t const> below, std::int64_t* sums) {
  SumsBelow const task{rows, below, sums};
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(Sums()));
  std::fill(sums, sums + rows.n_sums * task.NumColumns(), std::int64_t{0});
  for (std::int64_t first = 0; first < rows.NumRows(); first += kRowsAtATime) {
    RowRange const range{first, std::min(first + kRowsAtATime, rows.NumRows())};
    for (std::int64_t column = 0; column < task.NumColumns(); column += lanes) {
      auto const is_used = [](std::uint8_t code) { return code != 0; };
      if (std::any_of(&below[column], &below[column] + lanes, is_used)) AddTile(task, range, column);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(FindUsedCodes);
HWY_EXPORT(SumBelow);

void FindUsedCodes(NodeCodes const& rows, std::int64_t column, std::uint8_t* flags,
                   std::array<UsedCodes, kTileColumns>* used) {
  HWY_DYNAMIC_DISPATCH(FindUsedCodes)(rows, column, flags, used);
}

void SumBelow(NodeCodes const& rows, Span<std::uint8_t const> below, std::int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(SumBelow)(rows, below, sums);
}

}  // namespace kauri
#endif  // HWY_ONCE
