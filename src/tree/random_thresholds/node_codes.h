/// \file The rows of a node, copied side by side for operations on all columns of bin indices at once.
///
/// A tile is 8 neighbouring columns, so a row's bin indices in a tile fill one word. Cost of a row in a tile: 8 bytes
/// written to mark the bin indices in use, and one addition of 8 lanes per sum.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/memory_size.h"
#include "kauri/span.h"
#include "tree/rows/route_rows.h"

namespace kauri {

constexpr std::int64_t kTileColumns = 8;
constexpr std::int64_t kTileCodes = 256;

/// The bin indices of a column that occur in some row.
struct UsedCodes {
  static constexpr std::uint32_t kWordBits = 64;

  std::array<std::uint64_t, kTileCodes / kWordBits> bits;    ///< one bit per bin index
  std::array<std::int32_t, kTileCodes / kWordBits> n_codes;  ///< number of bits set in each word

  std::int32_t Count() const { return n_codes[0] + n_codes[1] + n_codes[2] + n_codes[3]; }
  bool Has(std::uint32_t code) const { return (bits[code / kWordBits] >> code % kWordBits & 1) != 0; }
  /// Returns the n-th index in use, counted from 0.
  std::uint32_t At(std::int64_t n) const {
    std::uint32_t word = 0;
    for (; n >= n_codes[word]; ++word) n -= n_codes[word];
    auto rest = bits[word];
    for (; n > 0; --n) rest &= rest - 1;
    return word * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(rest));
  }
};

/// Effect of a row on any sum that includes it.
enum class RowKind {
  kAddsNothing,  ///< all its integers are 0
  kIsSeen,       ///< a hessian is positive and none is negative, so sums of such rows cannot cancel to zero
  kMayCancel     ///< no guarantee
};

struct NodeCodes {
  static constexpr std::int64_t kSlack = 3;

  std::uint8_t const* codes = nullptr;  ///< bin indices of the table
  std::vector<std::int64_t> places;     ///< [n_rows]: where the bin indices of each row begin
  std::vector<std::int64_t> values;     ///< [n_rows, n_sums], plus kSlack
  std::int64_t n_sums = 0;

  std::int64_t NumRows() const { return static_cast<std::int64_t>(places.size()); }

  /// Takes the rows of a slice that contribute to sums. read(row, to) writes the integers of a row, and up to kSlack
  /// values after them, and returns the row's kind. Returns false if a row may cancel.
  template <typename Read>
  bool Gather(RowSlice slice, std::int64_t row_stride, Read&& read) {
    places.clear();
    auto const n_values = SizeInMemory((slice.end - slice.begin) * n_sums + kSlack);
    if (values.size() < n_values) values.resize(n_values);
    auto* to = values.data();
    for (auto i = slice.begin; i < slice.end; ++i) {
      auto const row = slice.rows == nullptr ? i : static_cast<std::int64_t>(slice.rows[i]);
      auto const kind = read(row, to);
      if (kind == RowKind::kMayCancel) return false;
      if (kind == RowKind::kAddsNothing) continue;
      places.push_back(row * row_stride);
      to += n_sums;
    }
    return true;
  }
};

/// Copies n integers, four at a time. Up to NodeCodes::kSlack more are read and written.
inline void CopyIntegers(std::int32_t const* from, std::int64_t n, std::int64_t* to) {
  for (std::int64_t i = 0; i < n; i += 4) {
    for (std::int64_t k = i; k < i + 4; ++k) to[k] = from[k];
  }
}

/// Finds the bin indices that occur in each column of the tile that begins with `column`. flags: [kTileColumns,
/// kTileCodes], zeros before and after.
void FindUsedCodes(NodeCodes const& rows, std::int64_t column, std::uint8_t* flags,
                   std::array<UsedCodes, kTileColumns>* used);

/// Sums, for each column, the rows whose bin index is less than below[column]. sums (out): [n_sums, n_columns].
/// n_columns: a multiple of kTileColumns. Tiles where `below` is all zeros are skipped.
void SumBelow(NodeCodes const& rows, Span<std::uint8_t const> below, std::int64_t* sums);

}  // namespace kauri
