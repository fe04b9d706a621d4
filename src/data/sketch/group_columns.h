/// \file What the ranks of a group must have alike before they learn from one table.
#pragma once

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Names and types of the columns, the names of their categories and how many columns there are must be the same on all
/// ranks, on those without rows too. One small call. \throws Error(kCollective) on every rank, naming what differs, and
/// the first column where it does.
void RequireSameColumns(Context const& ctx, MetaInfo const& info);

}  // namespace kauri
