/// \file Properties of a table's columns on which the ranks of a group must agree before training.
#pragma once

#include <cstdint>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Requires that the number of columns, their names and types, and the names of their categories are the same on all
/// ranks, including ranks without rows. Costs one small call. \throws Error(kCollective) on every rank, naming the
/// property that differs and the first column where it does.
void RequireSameColumns(Context const& ctx, MetaInfo const& info);

/// Gives a rank without rows the names, types and category names of the columns of the lowest rank with rows. Every
/// rank calls it. n_rows: of this rank. Costs one small call, and the texts of one rank if some rank has no rows.
/// \throws Error(kCollective) for a message that is not such texts.
void TakeColumnTextsOfGroup(Context const& ctx, std::int64_t n_rows, MetaInfo* info);

}  // namespace kauri
