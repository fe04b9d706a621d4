/// \file Checksums of training data.
#pragma once

#include <map>
#include <string>

#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Returns the SHA-256 of each part of the data, by the part's name ("features", "values of label", ...). The digests
/// depend neither on the memory layout of the rows nor on the number of threads. The names of the parts are always the
/// same. A matrix that keeps bins contributes the values that represent its bins.
std::map<std::string, std::string> DigestsOfData(Context const& ctx, DataMatrix const& data);

}  // namespace kauri
