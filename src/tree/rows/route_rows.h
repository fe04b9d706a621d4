/// \file Decides which rows of a block go left, by the bin indices of one dense column; several rows at a time.
#pragma once

#include <cstdint>

namespace kauri {

/// A row goes left if its code minus `offset` modulo 2^32 is below first_right or above last_present.
struct RouteRule {
  std::uint32_t first_right = 0;
  std::uint32_t last_present = 0;
  std::uint32_t offset = 0;

  bool GoesLeft(std::uint32_t code) const {
    code -= offset;
    return static_cast<bool>(static_cast<unsigned>(code < first_right) | static_cast<unsigned>(code > last_present));
  }
};

/// Rows rows[begin .. begin + n), or begin .. begin + n themselves when `rows` is nullptr.
struct RouteBlock {
  std::uint32_t const* rows = nullptr;
  std::int64_t begin = 0;
  std::int64_t n = 0;
};

/// Largest column, in bytes, by which rows can be routed. It must be readable up to 4 bytes beyond its end.
constexpr std::int64_t kMaxRouteBytes = (std::int64_t{1} << 31U) - 1;

/// Writes the left and right rows, in order, to left [n] and right [n]. Elements after the written ones are
/// overwritten. Returns the number of left rows. Code: std::uint8_t or std::uint16_t.
template <typename Code>
std::int64_t RouteRows(Code const* column, RouteRule rule, RouteBlock block, std::uint32_t* left, std::uint32_t* right);

/// Sets out [n] to 1 if the row goes left, else 0.
template <typename Code>
void MarkLeft(Code const* column, RouteRule rule, RouteBlock block, std::uint32_t* out);

// A subset of the rows of a table.

/// Rows by number: rows[begin .. end), or begin .. end themselves when `rows` is nullptr.
struct RowSlice {
  std::uint32_t const* rows = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

}  // namespace kauri
