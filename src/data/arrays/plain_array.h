/// \file Array interfaces in the form that clients write for a contiguous float32 matrix, read without a full JSON
/// parser, which would take longer than predicting a row.
#pragma once

#include <string>

#include "kauri/array_interface.h"

namespace kauri {

/// Sets *array if `json` has the keys "data", "shape" (two dimensions) and "typestr" ("<f4"), optionally "strides"
/// (null), "version" (3) and NumPy's "descr" of such an array, each once, and no other key. Returns false in every
/// other case; ParseArrayInterface then reads or refuses the text.
bool ParsePlainArray(std::string const& json, ArrayView* array);

}  // namespace kauri
