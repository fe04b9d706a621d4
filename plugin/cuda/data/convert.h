/// \file Elements of any numeric type in device memory as float32.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "kauri/array_interface.h"

namespace kauri::cuda {

/// What was found on the way; in device memory, shared by the parts of a table.
struct Found {
  unsigned long long n_present;
  unsigned long long first_infinite;  ///< row * n_cols + col in the table; kNoneInfinite without one
};
constexpr unsigned long long kNoneInfinite = ~0ULL;

struct ConvertTask {
  ArrayView from;  ///< device; aligned to its type
  float missing;   ///< becomes NaN; NaN: nothing does
  float* to;       ///< element (row, col) at row * to_row_stride + col * to_col_stride; nullptr: only looked at
  std::int64_t to_row_stride;
  std::int64_t to_col_stride;
  Found* found = nullptr;  ///< nullptr: not wanted
  std::int64_t first_col = 0;
  std::int64_t n_cols = 1;  ///< of the table that `from` is a part of, from column `first_col` on
};

/// The host's conversion, with its bits. Asynchronous.
void ConvertToFloat(CudaContext const& cuda, ConvertTask const& task);

/// The elements row by row without gaps, as they are. Asynchronous.
void PackElements(CudaContext const& cuda, ArrayView const& from, char* to);

}  // namespace kauri::cuda
