/// \file The query groups of all ranks in one place, for results that several ranks cannot add up exactly.
#pragma once

#include "collective/all_rows.h"

namespace kauri {

/// Returns the labels, margins, sizes and weights of the groups of all ranks, in their order, on every rank: 8 bytes
/// per row and 24 per group. Groups without weights have the weight 1. margins: the margins of the rows of this rank.
/// \throws Error(kData) as QueryOrder.
AllLabels GatherGroups(Context const& ctx, MetaInfo const& info, Span<float const> margins);

}  // namespace kauri
