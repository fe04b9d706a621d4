/// \file Columns of rows as integers that sort like the floats (data/sketch/weighted_keys.h), and summaries of the
/// columns that are needed before they are sorted.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/data/row_parts.h"
#include "data/sketch/cut_weights.h"

namespace kauri::cuda {

/// Key of values that are missing or have no weight; sorts behind the keys of all numbers.
constexpr std::uint32_t kNoKey = 0xFFFFFFFFU;

struct ColumnSummary {
  unsigned long long n_values = 0;  ///< number of present values
  unsigned long long n_keys = 0;    ///< number of present values with weight
  std::uint32_t least = kNoKey;     ///< bounds of the present values
  std::uint32_t largest = 0;
};

struct KeysTask {
  std::int64_t n_rows;       ///< in all parts together
  std::int64_t n_cols;       ///< starting with the part's first column
  float const* weights;      ///< [n_rows], device; null: all rows weigh the same
  WeightUnit unit;           ///< of the weights
  std::uint32_t* keys;       ///< out: [n_cols, n_rows], a part's keys at its rows; null: only the summaries are wanted
  ColumnSummary* summaries;  ///< [n_cols], in and out: default-constructed before the first part
};

/// Writes the keys of a part and updates the summaries. Asynchronous. Reads each element of the part once, by sectors
/// if row_stride and the first column are aligned to them.
void WriteKeys(CudaContext const& cuda, RowPart const& part, KeysTask const& task);

}  // namespace kauri::cuda
