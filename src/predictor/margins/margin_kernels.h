/// \file Vectorised loops of predictions by margins, compiled for several vector widths.
///
/// AddVectors adds leaf vectors to the sums of rows, vectorised; the bits are the same on every processor.
///
/// Computes the exits of 64 rows from the top of a tree, vectorised (tree_tops.h describes the algorithm).
#pragma once

#include <cstdint>

#include "predictor/forest/forest.h"

namespace kauri {

/// Adds vectors[nodes[row], k] to sums[row, k] for each of n rows. Both arrays have `stride` floats per row, a multiple
/// of kVectorUnit.
void AddVectors(float const* vectors, std::int64_t stride, std::uint32_t const* nodes, std::int64_t n, float* sums);

/// One tree and the codes of a tile of rows. Nothing is owned.
struct TreeTopsJob {
  void const* codes = nullptr;  ///< [n_columns, n_rows] of int8 or int16, depending on code_bytes
  int code_bytes = 1;
  std::int64_t n_rows = 0;  ///< a multiple of kTreeTopsRows
  std::int32_t levels = 0;
  bool has_conditions = false;            ///< see TreeTopsTree
  std::uint32_t const* column = nullptr;  ///< [2^levels - 1] nodes, or [levels] conditions
  std::int16_t const* rank = nullptr;     ///< likewise
  float const* exit_value = nullptr;      ///< [max(2^levels, kMinExits)], for AddTreeTopsValues
};

/// Adds exit_value[exit of row] to sums[row].
void AddTreeTopsValues(TreeTopsJob const& job, float* sums);

/// Sets exits[row] to the number of the exit, below 2^levels.
void FindTreeTopsExits(TreeTopsJob const& job, std::uint8_t* exits);

}  // namespace kauri
