/// \file Properties of a table's columns on which the ranks of a group must agree before training.
#pragma once

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Requires that the number of columns, their names and types, and the names of their categories are the same on all
/// ranks, including ranks without rows. Costs one small call. \throws Error(kCollective) on every rank, naming the
/// property that differs and the first column where it does.
void RequireSameColumns(Context const& ctx, MetaInfo const& info);

}  // namespace kauri
