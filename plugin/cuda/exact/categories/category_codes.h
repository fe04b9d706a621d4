/// \file The categorical columns of a data set in device memory: each row's number of its category.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/data/device_columns.h"
#include "data/categories/categories.h"

namespace kauri::cuda {

/// Categorical columns on the device. Immutable; 4 bytes per row of every categorical column.
struct DeviceCategories {
  std::int64_t n_rows = 0;
  CategoryLists lists;                  ///< [n_cols], as FillGaps leaves them; empty: no feature is categorical
  std::vector<std::int32_t> column_of;  ///< [n_cols]: the column of the codes, -1 for a feature without categories
  Buffer<std::uint32_t> codes;          ///< [n_columns, n_rows] (category_types.h)

  bool Has(std::int64_t feature) const { return !lists.empty() && !lists[feature].empty(); }
};

/// Returns FillGaps(FindCategories(ctx, data)), computed from the sorted columns of `data`. 8 bytes per categorical
/// column are copied to the host; so are the values of a column whose largest category is kMaxFilledCategory or more.
/// \throws Error(kData) like FindCategories, which then reads the data in host memory.
CategoryLists ListCategories(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                             DeviceColumns const& columns);

/// Returns the bytes of the codes.
std::size_t BytesOfCodes(CategoryLists const& lists, std::int64_t n_rows);

/// Makes the codes: every entry of a column writes its row's code. lists: the categories of the data of `columns`.
DeviceCategories MakeDeviceCategories(CudaContext const& cuda, DeviceColumns const& columns, CategoryLists lists);

}  // namespace kauri::cuda
