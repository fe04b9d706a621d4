/// \file Dictionaries of Arrow columns: what the codes of a categorical column stand for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/adapters/arrow.h"
#include "kauri/categories.h"

namespace kauri {

/// format: of the values, as in a schema. Reads texts (utf8, large_utf8, utf8_view) and integers. \throws Error(kData)
/// for other values, nulls among them, and arrays that contradict themselves. That buffers are as long as offsets say
/// is the producer's word.
CategoryNames ReadDictionary(std::string const& format, ArrowArray const& values);

/// Adds the names of one batch's dictionary to those of the column. Returns what the batch's codes become.
std::shared_ptr<std::vector<float> const> JoinDictionary(CategoryNames batch, CategoryNames* column);

}  // namespace kauri
