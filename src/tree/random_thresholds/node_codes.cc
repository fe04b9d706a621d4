#include "tree/random_thresholds/node_codes.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/random_thresholds/node_codes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Flags = hn::CappedTag<std::uint8_t, 64>;
using Sums = hn::CappedTag<std::int64_t, kTileColumns>;
using Codes = hn::Rebind<std::uint8_t, Sums>;

constexpr bool kHasMasks = HWY_TARGET <= HWY_AVX3;  // 32 registers, and masked additions
constexpr int kVectorsAtATime = kHasMasks ? 4 : 1;
constexpr int kSumsAtATime = kHasMasks ? 6 : 8;
// Their integers and bin indices stay in the first-level cache across all tiles.
constexpr std::int64_t kRowsAtATime = 128;

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

/// The rows to add up, the bounds, and the output.
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

/// The first column of a tile or of a part of it, and the first of the sums added up there.
struct SumPlace {
  std::int64_t sum;
  std::int64_t column;
};

/// Adds kSums sums of some rows in kVectors neighbouring vectors of columns. Each integer is read once for all vectors.
template <int kSums, int kVectors>
HWY_INLINE void AddBelow(SumsBelow const& task, RowRange range, SumPlace place) {
  Sums const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto const& rows = task.rows;
  auto const n_columns = task.NumColumns();
  auto* const to = task.sums + place.sum * n_columns + place.column;
  hn::Vec<Sums> bound[kVectors];
  hn::Vec<Sums> added[kSums][kVectors];
  for (int v = 0; v < kVectors; ++v) {
    bound[v] = LoadCodes(&task.below[place.column + v * lanes]);
    for (int k = 0; k < kSums; ++k) added[k][v] = hn::LoadU(d, to + k * n_columns + v * lanes);
  }
  for (auto row = range.first; row < range.last; ++row) {
    auto const* codes = rows.codes + rows.places[row] + place.column;
    auto const* values = rows.values.data() + row * rows.n_sums + place.sum;
    hn::Mask<Sums> is_below[kVectors];
    for (int v = 0; v < kVectors; ++v) is_below[v] = hn::Lt(LoadCodes(codes + v * lanes), bound[v]);
    for (int k = 0; k < kSums; ++k) {
      auto const value = hn::Set(d, values[k]);
      for (int v = 0; v < kVectors; ++v) {
        added[k][v] = hn::IfThenElse(is_below[v], hn::Add(added[k][v], value), added[k][v]);
      }
    }
  }
  for (int k = 0; k < kSums; ++k) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(added[k][v], d, to + k * n_columns + v * lanes);
  }
}

template <int kVectors>
HWY_INLINE void AddVectors(SumsBelow const& task, RowRange range, std::int64_t column) {
  auto const n_sums = task.rows.n_sums;
  SumPlace place{0, column};
  for (; place.sum + kSumsAtATime <= n_sums; place.sum += kSumsAtATime) {
    AddBelow<kSumsAtATime, kVectors>(task, range, place);
  }
  for (; place.sum + 4 <= n_sums; place.sum += 4) AddBelow<4, kVectors>(task, range, place);
  for (; place.sum + 2 <= n_sums; place.sum += 2) AddBelow<2, kVectors>(task, range, place);
  if (place.sum < n_sums) AddBelow<1, kVectors>(task, range, place);
}

/// Adds up to kVectorsAtATime vectors of columns, starting at `column`, and returns the number of vectors processed.
/// Stops at the first vector without a bound; returns 1 if `column` itself has none.
HWY_INLINE std::int64_t AddSome(SumsBelow const& task, RowRange range, std::int64_t column) {
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(Sums()));
  auto const is_used = [&](std::int64_t n) {
    auto const* const first = task.below.data() + column + n * lanes;
    return column + n * lanes < task.NumColumns() &&
           std::any_of(first, first + lanes, [](auto code) { return code != 0; });
  };
  if (!is_used(0)) return 1;
  std::int64_t n = 1;
  while (n < kVectorsAtATime && is_used(n)) ++n;
  if (n == 4) {
    AddVectors<std::min(kVectorsAtATime, 4)>(task, range, column);
  } else if (n == 3) {
    AddVectors<std::min(kVectorsAtATime, 3)>(task, range, column);
  } else if (n == 2) {
    AddVectors<std::min(kVectorsAtATime, 2)>(task, range, column);
  } else {
    AddVectors<1>(task, range, column);
  }
  return n;
}

void SumBelow(NodeCodes const& rows, Span<std::uint8_t const> below, std::int64_t* sums) {
  SumsBelow const task{rows, below, sums};
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(Sums()));
  std::fill(sums, sums + rows.n_sums * task.NumColumns(), std::int64_t{0});
  for (std::int64_t first = 0; first < rows.NumRows(); first += kRowsAtATime) {
    RowRange const range{first, std::min(first + kRowsAtATime, rows.NumRows())};
    for (std::int64_t column = 0; column < task.NumColumns();) column += AddSome(task, range, column) * lanes;
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
