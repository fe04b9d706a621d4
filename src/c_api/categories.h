/// \file Category names behind handles, and columns that refer to them.
#pragma once

#include <memory>

#include "c_api/handles.h"
#include "data/adapters/array_views.h"
#include "kauri/data_matrix.h"

namespace kauri::c_api {

/// Creates a view of columns in the form of MakeColumnarView, or of {"ref_categories": a CategoriesHandle as an
/// integer, "columns": such a list}, whose categories get the numbers that their names have there. `known` as for
/// MakeColumnarView. \throws Error(kData).
std::unique_ptr<DataView> ColumnarViewOf(char const* columns, float missing,
                                         Infinities infinities = Infinities::kRefused,
                                         ModelCategories const* known = nullptr);

}  // namespace kauri::c_api
