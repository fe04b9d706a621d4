/// \file The rows of a tree, where they are drawn by their gradients, weighed, or drawn by query: what both engines ask
/// of sampling.
#pragma once

#include <cstdint>

#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "tree/sampling/gradient_sampling.h"
#include "tree/sampling/row_numbers.h"

namespace kauri {

/// What the rows of a tree are drawn by, and whether a certain number of them. It refers to `info`. \throws
/// Error(kParameter) where it is queries, and there are none; Error(kData) for queries whose rows do not follow each
/// other among those of a group's ranks.
RowNumbers DrawnBy(Context const& ctx, MetaInfo const& info, RoundTree const& tree);

/// Pairs of a tree that count for more, or less, than one row, or for exactly that. gradients: [n_rows, n_outputs].
/// \throws as DrawnBy and SampleByGradient.
GradientSample DrawPairs(Context const& ctx, MetaInfo const& info, RoundTree const& tree,
                         Span<GradientPair const> gradients, std::int64_t n_outputs);

}  // namespace kauri
