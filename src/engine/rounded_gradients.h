/// \file Trees whose splits are chosen from rounded gradients (gradient_bits): the rounding on the host, and the leaf
/// values, which come from gradients that are not rounded.
///
/// Renewed leaf values keep the rounding out of the predictions (section 4.3 of the paper, see
/// common/random/gradient_rounding.h). They would break monotone constraints, and lack the penalty of cat_l2 and the
/// weights of path_smooth; with one of these, leaf values follow from the sums of rounded gradients, as those of all
/// nodes do.
#pragma once

#include <cstdint>
#include <vector>

#include "common/fixed_point.h"
#include "common/random/gradient_rounding.h"
#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

/// Returns how the pairs of a tree are rounded.
GradientRounding RoundingOf(Context const& ctx, RoundTree const& tree);

/// Rounds pairs that are not zero. exact: [n_rows], the rows of `info`. Its unit must be that of all ranks.
void RoundGradients(Context const& ctx, MetaInfo const& info, GradientRounding const& rounding,
                    FixedGradients const& exact, FixedGradients* out);

/// Returns whether the leaf values of a tree come from gradients that are not rounded.
bool RenewsLeaves(RoundTree const& tree);

/// Returns the sums of pairs by leaf, over all ranks; zero for other nodes. leaf_of_row: [n_rows].
std::vector<FixedSum> SumPairsByLeaf(Context const& ctx, GradientView const& pairs,
                                     Span<std::int32_t const> leaf_of_row, std::int64_t n_nodes);

/// Sets the value of every leaf to the weight of its sum times the learning rate. Hessians below min_child_weight count
/// in a tree of one leaf only. sums: [n_nodes]. Other statistics of nodes are unchanged.
void RenewLeaves(RoundTree const& round, GradientUnit unit, Span<FixedSum const> sums, Tree* tree);

}  // namespace kauri
