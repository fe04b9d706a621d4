/// \file Puts rows of bytes into a random order, which a seed determines.
#pragma once

#include <cstdint>

#include "kauri/context.h"

namespace kauri {

/// Source and destination of rows, in memory of the host or of a device. Strides: bytes from a row to the next, of
/// either sign.
struct RowMove {
  char const* from = nullptr;
  char* to = nullptr;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;
  std::int64_t n_rows = 0;
  std::int64_t row_bytes = 0;
};

/// Sets to[i] = from[p(i)] with the permutation of Shuffle(n_rows, seed); the two arrays do not overlap. A row is read
/// once and written once.
void ShuffleRows(Context const& ctx, RowMove const& move, std::uint64_t seed);

/// Sets to[i] = from[p(i)] with the permutation of SwapOrNot(n_rows, seed), where `from` and `to` are the same rows: no
/// second array, but 16 + 2 log2(n_rows) rounds over all rows.
void ShuffleRowsInPlace(Context const& ctx, RowMove const& move, std::uint64_t seed);

}  // namespace kauri
