/// \file Which rows of a block go left, by the codes of one dense column; several rows at a time.
#pragma once

#include <cstdint>

namespace kauri {

/// Left goes a row whose code, less `offset` modulo 2^32, is below first_right or above last_present.
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

/// Rows can be routed by a column of at most this many bytes, which may be read 4 bytes beyond its end.
constexpr std::int64_t kMaxRouteBytes = (std::int64_t{1} << 31U) - 1;

/// left, right [n]: receive the rows in their order; what comes behind them is overwritten. Returns the number of left
/// rows. Code: std::uint8_t or std::uint16_t.
template <typename Code>
std::int64_t RouteRows(Code const* column, RouteRule rule, RouteBlock block, std::uint32_t* left, std::uint32_t* right);

/// out [n]: 1 where the row goes left, else 0.
template <typename Code>
void MarkLeft(Code const* column, RouteRule rule, RouteBlock block, std::uint32_t* out);

}  // namespace kauri
