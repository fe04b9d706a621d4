/// \file Tables that keep one array per column (data frames, Arrow).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kauri/data_matrix.h"

namespace kauri {

/// A view of numeric columns. `json`: a list of array interfaces, one vector per column, all of the same length; each
/// column has its own dtype. \throws Error(kData) for columns that disagree or that are categorical; see also
/// MakeDenseView.
std::unique_ptr<DataView> MakeColumnarView(std::string const& json, float missing);

/// The columns of such a table in device memory, for DeviceMemory::Copy. \throws Error(kData) as MakeColumnarView does.
std::vector<DeviceArray> ParseDeviceColumns(std::string const& json);

}  // namespace kauri
