/// \file Columns of rows as integers that sort like the floats (data/sketch/weighted_keys.h), with what cuts need to
/// know of them before they are sorted.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/row_parts.h"
#include "data/sketch/cut_weights.h"

namespace kauri::cuda {

/// Sorts behind the keys of all numbers: what is missing, or has no weight.
constexpr std::uint32_t kNoKey = 0xFFFFFFFFU;

struct ColumnSummary {
  unsigned long long n_values = 0;  ///< present ones
  unsigned long long n_keys = 0;    ///< those of them that weigh something
  std::uint32_t least = kNoKey;     ///< of the present ones
  std::uint32_t largest = 0;
};

struct KeysTask {
  std::int64_t n_rows;       ///< of all parts together
  std::int64_t n_cols;       ///< the first of the part's columns
  float const* weights;      ///< [n_rows], device, or null: all rows weigh the same
  WeightUnit unit;           ///< of the weights
  std::uint32_t* keys;       ///< out: [n_cols, n_rows], a part's at its rows; null: only the summaries are wanted
  ColumnSummary* summaries;  ///< [n_cols], in and out: as made by default before the first part
};

/// Asynchronous. Reads each element of the part once, in sectors where row_stride and the first column have them.
void WriteKeys(CudaContext const& cuda, RowPart const& part, KeysTask const& task);

}  // namespace kauri::cuda
