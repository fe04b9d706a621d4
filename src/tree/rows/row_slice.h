/// \file A subset of the rows of a table.
#pragma once

#include <cstdint>

namespace kauri {

/// Rows by number: rows[begin .. end), or begin .. end themselves when `rows` is nullptr.
struct RowSlice {
  std::uint32_t const* rows = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

}  // namespace kauri
