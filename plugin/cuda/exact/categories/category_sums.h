/// \file The rows of a slice of nodes added up by category.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/categories/category_types.h"

namespace kauri::cuda {

/// A 32-bit number below 2^30 in magnitude in two parts whose sums over 2^16 rows fit 32 bits: shared memory adds 32
/// bits at a time.
struct NumberParts {
  static constexpr int kLowBits = 15;
  KAURI_HD static std::uint32_t Low(std::int32_t value) {
    return static_cast<std::uint32_t>(value) & ((std::uint32_t{1} << kLowBits) - 1);
  }
  /// As two's complement. floor(value / 2^15).
  KAURI_HD static std::uint32_t High(std::int32_t value) { return static_cast<std::uint32_t>(value >> kLowBits); }
  /// The sum, from those of the parts.
  KAURI_HD static std::int64_t Join(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * (std::int64_t{1} << kLowBits) + low;
  }
};

/// Rows a block adds up; no more, for NumberParts.
constexpr std::int64_t kRowsPerSumBlock = std::int64_t{1} << 13;
static_assert(kRowsPerSumBlock <= std::int64_t{1} << 16, "sums of the parts fit 32 bits");
/// A feature's categories times nodes up to which a block adds up in shared memory (16 KiB).
constexpr std::int64_t kSharedCells = 1024;

/// sums: [slice.n_nodes, table.n_cells] (out). positions: [n_rows], the active node of each row, or below 0. pairs:
/// [n_rows], zero where a row is not sampled. Bytes per row and feature: 16, and two 64-bit atomics where the feature's
/// categories times nodes are more than kSharedCells.
void AddByCategory(CudaContext const& ctx, CategoryTable const& table, CategorySlice const& slice,
                   std::int32_t const* positions, FixedPair const* pairs, FixedSum* sums);

}  // namespace kauri::cuda
