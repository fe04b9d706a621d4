/// \file Files beside a text file that say more of its rows.
#pragma once

#include <string>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Reads `path`.group (the number of rows of each query), `path`.weight (of each row, or of each query) and
/// `path`.base_margin (one number or more of each row) where they exist: numbers with white space between them.
/// \throws Error(kIo) when one cannot be read; Error(kData) with its name for what is not a number, for a count that
/// does not fit, and where the text file itself has the queries or weights already.
void ReadSideFiles(Context const& ctx, std::string const& path, MetaInfo* info);

}  // namespace kauri
