/// \file Types shared by the kernels for categorical columns.
///
/// Vocabulary. A categorical feature has n categories, known by their index 0 .. n - 1
/// (src/tree/categories/category_split.h). Its codes are one number per row: index + 1, or 0 if the row lacks the
/// feature. A node has one cell for each category of each categorical feature of the tree, feature by feature. A cell
/// holds the sum of the node's rows of that category. A slice is a range of nodes of a level, as large as the memory
/// for cells allows.
#pragma once

#include <cstdint>

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

}  // namespace kauri::cuda
