/// \file Array interfaces in the form that clients write for a contiguous matrix of float32, read without a parser for
/// all of JSON: that takes longer than predicting a row.
#pragma once

#include <string>

#include "kauri/array_interface.h"

namespace kauri {

/// Sets *array when `json` has the keys "data", "shape" (two dimensions) and "typestr" ("<f4"), perhaps "strides"
/// (null), "version" (3) and NumPy's "descr" of such an array, each once, and nothing else. False, for
/// ParseArrayInterface to read or to refuse, in every other case.
bool ParsePlainArray(std::string const& json, ArrayView* array);

}  // namespace kauri
