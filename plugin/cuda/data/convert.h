/// \file Conversion of elements of any numeric type in device memory to float32.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "kauri/array_interface.h"

namespace kauri::cuda {

/// Findings of the conversion; in device memory, shared by the parts of a table.
struct Found {
  unsigned long long n_present;
  unsigned long long first_infinite;  ///< row * n_cols + col in the table; kNoneInfinite if there is none
};
constexpr unsigned long long kNoneInfinite = ~0ULL;

struct ConvertTask {
  ArrayView from;  ///< device; aligned to its type
  float missing;   ///< value that becomes NaN; with NaN no value does
  float* to;       ///< element (row, col) at row * to_row_stride + col * to_col_stride; nullptr: only checked
  std::int64_t to_row_stride;
  std::int64_t to_col_stride;
  Found* found = nullptr;  ///< nullptr: not wanted
  std::int64_t first_col = 0;
  std::int64_t n_cols = 1;  ///< columns of the table that contains `from` from column `first_col` on
};

/// Converts like the host, with the same bits. Asynchronous.
void ConvertToFloat(CudaContext const& cuda, ConvertTask const& task);

/// Copies the elements unchanged, row by row without gaps. Asynchronous.
void PackElements(CudaContext const& cuda, ArrayView const& from, char* to);

}  // namespace kauri::cuda
