/// \file Files beside a text file that say more of its rows and columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// The types of the columns from `path`.feature_types, [n_cols], with white space between them: float, q, int, i, or c
/// for a column of categories. Where there is no such file `own`, what the text file itself says; empty: nothing.
/// \throws Error(kIo) when it cannot be read; Error(kData) with its name for an unknown type, another number of types
/// than `n_cols`, and where there are `own` types already.
std::vector<std::string> ReadFeatureTypes(std::string const& path, std::int64_t n_cols,
                                          std::vector<std::string> const& own);

/// Reads `path`.group (the number of rows of each query), `path`.weight (of each row, or of each query) and
/// `path`.base_margin (one number or more of each row) where they exist: numbers with white space between them.
/// \throws Error(kIo) when one cannot be read; Error(kData) with its name for what is not a number, for a count that
/// does not fit, and where the text file itself has the queries or weights already.
void ReadSideFiles(Context const& ctx, std::string const& path, MetaInfo* info);

}  // namespace kauri
