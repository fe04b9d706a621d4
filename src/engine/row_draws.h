/// \file Sampling of rows for both engines: by gradient, by weight or by query.
#pragma once

#include <cstdint>

#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "tree/sampling/gradient_sampling.h"
#include "tree/sampling/sampling.h"

namespace kauri {

/// Returns the numbers by which the rows of a tree are drawn, and whether an exact number is drawn. The result refers
/// to `info`. \throws Error(kParameter) if rows are drawn by query and there are no queries; Error(kData) for queries
/// whose rows are not consecutive among the rows of all ranks.
RowNumbers DrawnBy(Context const& ctx, MetaInfo const& info, RoundTree const& tree);

/// Returns the pairs of a tree, scaled by sampling probabilities or weights. gradients: [n_rows, n_outputs]. \throws
/// like DrawnBy and SampleByGradient.
GradientSample DrawPairs(Context const& ctx, MetaInfo const& info, RoundTree const& tree,
                         Span<GradientPair const> gradients, std::int64_t n_outputs);

}  // namespace kauri
