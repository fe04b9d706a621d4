/// \file Names of categories behind handles, and columns that refer to them.
#pragma once

#include <memory>

#include "c_api/handles.h"
#include "data/adapters/infinities.h"
#include "kauri/data_matrix.h"

namespace kauri::c_api {

/// A view of columns as MakeColumnarView takes them; or {"ref_categories": a CategoriesHandle as an integer, "columns":
/// such a list}: categories then get the numbers that their names have there. `known` as for MakeColumnarView.
/// \throws Error(kData).
std::unique_ptr<DataView> ColumnarViewOf(char const* columns, float missing,
                                         Infinities infinities = Infinities::kRefused,
                                         ModelCategories const* known = nullptr);

}  // namespace kauri::c_api
