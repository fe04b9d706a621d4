/// \file The categorical columns of a data set in device memory: the number of its category for each row.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/data/device_columns.h"
#include "data/categories/categories.h"

namespace kauri::cuda {

/// Immutable; 4 bytes per row of every categorical column.
struct DeviceCategories {
  std::int64_t n_rows = 0;
  CategoryLists lists;                  ///< [n_cols], as FillGaps leaves them; empty: no feature is categorical
  std::vector<std::int32_t> column_of;  ///< [n_cols]: the column of the codes, -1 for a feature without categories
  Buffer<std::uint32_t> codes;          ///< [n_columns, n_rows] (category_types.h)

  bool Has(std::int64_t feature) const { return !lists.empty() && !lists[feature].empty(); }
};

/// FillGaps(FindCategories(ctx, data)), from the sorted columns of `data`: 8 bytes per categorical column come back,
/// and the values of one whose largest category is kMaxFilledCategory or more. \throws Error(kData) as FindCategories,
/// which then looks at the data in host memory.
CategoryLists ListCategories(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                             DeviceColumns const& columns);

/// Bytes of the codes.
std::size_t BytesOfCodes(CategoryLists const& lists, std::int64_t n_rows);

/// lists: of the data that `columns` are of. Every entry of a column writes its row's code.
DeviceCategories MakeDeviceCategories(CudaContext const& cuda, DeviceColumns const& columns, CategoryLists lists);

}  // namespace kauri::cuda
