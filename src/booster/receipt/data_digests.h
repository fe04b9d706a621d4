/// \file Checksums of what is learnt from.
#pragma once

#include <map>
#include <string>

#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// By the name of a part of the data ("features", "values of label", ...), its SHA-256. How the rows lie in memory does
/// not matter, nor does the number of threads; the names of the parts are always the same. A matrix that keeps bins is
/// known by what stands for its values.
std::map<std::string, std::string> DigestsOfData(Context const& ctx, DataMatrix const& data);

}  // namespace kauri
