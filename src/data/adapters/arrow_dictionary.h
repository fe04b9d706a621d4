/// \file Dictionaries of Arrow columns: the names that the codes of a categorical column stand for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/adapters/arrow.h"
#include "kauri/categories.h"

namespace kauri {

/// Reads texts (utf8, large_utf8, utf8_view) and integers. format: the format of the values, as in a schema. \throws
/// Error(kData) for other values, including nulls, and for arrays that contradict themselves. The producer has to
/// guarantee that buffers are as long as the offsets say.
CategoryNames ReadDictionary(std::string const& format, ArrowArray const& values);

/// Adds the names of one batch's dictionary to the names of the column. Returns the new code of each of the batch's
/// codes.
std::shared_ptr<std::vector<float> const> JoinDictionary(CategoryNames batch, CategoryNames* column);

}  // namespace kauri
