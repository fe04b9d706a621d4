/// \file Files beside a text file that describe its rows and columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Returns the types of the columns from `path`.feature_types, [n_cols], separated by white space: float, q, int, i, or
/// c for a column of categories. Without such a file returns `own`, the types in the text file itself, which may be
/// empty.
/// \throws Error(kIo) if it cannot be read; Error(kData) with its name for an unknown type, another number of types
/// than `n_cols`, and if `own` has types already.
std::vector<std::string> ReadFeatureTypes(std::string const& path, std::int64_t n_cols,
                                          std::vector<std::string> const& own);

/// Reads `path`.group (the number of rows of each query), `path`.weight (of each row, or of each query) and
/// `path`.base_margin (at least one number per row) if they exist: numbers separated by white space.
/// \throws Error(kIo) if one cannot be read; Error(kData) with its name for text that is not a number, for a count that
/// does not fit, and if the text file itself has the queries or weights already.
void ReadSideFiles(Context const& ctx, std::string const& path, MetaInfo* info);

}  // namespace kauri
