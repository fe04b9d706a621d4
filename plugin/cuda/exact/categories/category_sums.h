/// \file Sums of the rows of a slice of nodes by category.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/categories/category_types.h"

namespace kauri::cuda {

/// A 32-bit number below 2^30 in magnitude, split into two parts whose sums over 2^16 rows fit into 32 bits, because
/// shared memory adds 32 bits at a time.
struct NumberParts {
  static constexpr int kLowBits = 15;
  KAURI_HD static std::uint32_t Low(std::int32_t value) {
    return static_cast<std::uint32_t>(value) & ((std::uint32_t{1} << kLowBits) - 1);
  }
  /// Returns floor(value / 2^15), as two's complement.
  KAURI_HD static std::uint32_t High(std::int32_t value) { return static_cast<std::uint32_t>(value >> kLowBits); }
  /// Returns the sum of the numbers, given the sums of the parts.
  KAURI_HD static std::int64_t Join(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * (std::int64_t{1} << kLowBits) + low;
  }
};

/// Rows that a block adds up; NumberParts limits them.
constexpr std::int64_t kRowsPerSumBlock = std::int64_t{1} << 13;
static_assert(kRowsPerSumBlock <= std::int64_t{1} << 16, "sums of the parts fit 32 bits");
/// Maximum of categories times nodes of a feature for which a block adds up in shared memory (16 KiB).
constexpr std::int64_t kSharedCells = 1024;

/// Adds up the rows by node and category. sums: [slice.n_nodes, table.n_cells] (out). positions: [n_rows], the active
/// node of each row, or below 0. pairs: [n_rows], zero for rows that are not sampled. Bytes per row and feature: 16,
/// and two 64-bit atomics if the feature's categories times nodes are more than kSharedCells.
void AddByCategory(CudaContext const& ctx, CategoryTable const& table, CategorySlice const& slice,
                   std::int32_t const* positions, FixedPair const* pairs, FixedSum* sums);

}  // namespace kauri::cuda
