/// \file Where 64 rows leave the crown of a tree, in vectors (crown.h has the idea).
#pragma once

#include <cstdint>

namespace kauri {

/// One tree and the codes of a tile of rows. Nothing is owned.
struct CrownJob {
  void const* codes = nullptr;  ///< [n_columns, n_rows] of int8 or int16, as code_bytes says
  int code_bytes = 1;
  std::int64_t n_rows = 0;  ///< a multiple of kCrownRows
  std::int32_t levels = 0;
  bool has_questions = false;             ///< as CrownTree's
  std::uint32_t const* column = nullptr;  ///< [2^levels - 1], or of questions [levels]
  std::int16_t const* rank = nullptr;     ///< likewise
  float const* exit_value = nullptr;      ///< [max(2^levels, kMinExits)], for AddCrownValues
};

/// sums[row] += exit_value[exit of row].
void AddCrownValues(CrownJob const& job, float* sums);

/// exits[row] = number of the exit, below 2^levels.
void FindCrownExits(CrownJob const& job, std::uint8_t* exits);

}  // namespace kauri
