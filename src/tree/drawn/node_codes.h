/// \file The rows of a node copied side by side, for what is asked of all columns of codes in one go.
///
/// A tile is 8 neighbouring columns, whose codes of a row are one word. Cost of a row in a tile: 8 bytes written, to
/// tell which codes there are, and an addition of 8 lanes for each sum.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kauri/span.h"
#include "tree/rows/row_slice.h"

namespace kauri {

constexpr std::int64_t kTileColumns = 8;
constexpr std::int64_t kTileCodes = 256;

/// Codes of a column that some row has.
struct UsedCodes {
  static constexpr std::uint32_t kWordBits = 64;

  std::array<std::uint64_t, kTileCodes / kWordBits> bits;    ///< one of each code
  std::array<std::int32_t, kTileCodes / kWordBits> n_codes;  ///< in each word

  std::int32_t Count() const { return n_codes[0] + n_codes[1] + n_codes[2] + n_codes[3]; }
  bool Has(std::uint32_t code) const { return (bits[code / kWordBits] >> code % kWordBits & 1) != 0; }
  /// The n-th of them, from 0.
  std::uint32_t At(std::int64_t n) const {
    std::uint32_t word = 0;
    for (; n >= n_codes[word]; ++word) n -= n_codes[word];
    auto rest = bits[word];
    for (; n > 0; --n) rest &= rest - 1;
    return word * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(rest));
  }
};

/// What is known of the sums of any rows that this one is among.
enum class RowKind {
  kAddsNothing,  ///< all its integers are 0
  kIsSeen,       ///< they are not all 0: its hessians, none of which is negative, do not cancel
  kMayCancel     ///< nothing
};

struct NodeCodes {
  static constexpr std::int64_t kSlack = 3;

  std::uint8_t const* codes = nullptr;  ///< of the table
  std::vector<std::int64_t> places;     ///< [n_rows]: where the codes of each begin
  std::vector<std::int64_t> values;     ///< [n_rows, n_sums], and more
  std::int64_t n_sums = 0;

  std::int64_t NumRows() const { return static_cast<std::int64_t>(places.size()); }

  /// Takes the rows of a slice that add something. read(row, to) writes the integers of a row, and up to kSlack behind
  /// them, and returns its kind. False where one of them may cancel.
  template <typename Read>
  bool Gather(RowSlice slice, std::int64_t row_stride, Read&& read) {
    places.clear();
    auto const n_values = static_cast<std::size_t>((slice.end - slice.begin) * n_sums + kSlack);
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

/// Copies n integers, four at a time: up to NodeCodes::kSlack more are read and written.
inline void CopyIntegers(std::int32_t const* from, std::int64_t n, std::int64_t* to) {
  for (std::int64_t i = 0; i < n; i += 4) {
    for (std::int64_t k = i; k < i + 4; ++k) to[k] = from[k];
  }
}

/// Which codes the rows have in the tile that begins with `column`. flags: [kTileColumns, kTileCodes], zeros before and
/// after.
void FindUsedCodes(NodeCodes const& rows, std::int64_t column, std::uint8_t* flags,
                   std::array<UsedCodes, kTileColumns>* used);

/// sums (out): [n_sums, n_columns], those of the rows whose codes in a column are below below[column]. n_columns: a
/// multiple of kTileColumns; tiles of zeros are left out.
void SumBelow(NodeCodes const& rows, Span<std::uint8_t const> below, std::int64_t* sums);

}  // namespace kauri
