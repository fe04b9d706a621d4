/// \file Sums of the rows of a slice of nodes by category.
///
/// The file begins with types shared by the kernels for categorical columns.
///
/// Vocabulary. A categorical feature has n categories, known by their index 0 .. n - 1
/// (src/tree/categories/category_split.h). Its codes are one number per row: index + 1, or 0 if the row lacks the
/// feature. A node has one cell for each category of each categorical feature of the tree, feature by feature. A cell
/// holds the sum of the node's rows of that category. A slice is a range of nodes of a level, as large as the memory
/// for cells allows.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri::cuda {

struct CategoryFeature {
  std::int64_t first_cell = 0;    ///< within a node
  std::int32_t n_categories = 0;  ///< at least one
  std::int32_t feature = 0;       ///< global id
  std::int32_t column = 0;        ///< column of the codes
  bool one_hot = false;           ///< splits compare one category with the others; else sets of categories
};

/// The categorical features of a tree; device memory, not owning.
struct CategoryTable {
  CategoryFeature const* features = nullptr;  ///< [n_features], feature ids ascending
  std::int64_t const* first_cells = nullptr;  ///< [n_features], CategoryFeature::first_cell
  std::int32_t n_features = 0;
  std::int64_t n_cells = 0;              ///< cells of one node
  std::uint32_t const* codes = nullptr;  ///< [n_columns, n_rows]
  std::int64_t n_rows = 0;
};

/// Active nodes [first, first + n_nodes) of a level.
struct CategorySlice {
  std::int32_t first = 0;
  std::int32_t n_nodes = 0;
};

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
