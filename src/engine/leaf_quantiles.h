/// \file Leaves that hold a quantile of the residuals of their rows, for losses without curvature: the median for the
/// absolute error (Friedman, "Greedy function approximation: a gradient boosting machine", 2001, section 4.3).
///
/// (1) The sampled rows are ordered by leaf, the leaves from left to right, so that the rows of any node lie side by
/// side. (2) Each leaf gets the exact, weighted quantile of label - margin of its rows, within +-max_delta_step when
/// that is positive, times the learning rate. (3) With monotone constraints the quantiles of inner nodes are computed
/// as well and bound those below, as the weights of a growing tree do (constraints.h), each output of a vector for
/// itself.
#pragma once

#include <cstdint>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_param.h"

namespace kauri {

struct LeafQuantileTask {
  float quantile = 0.5F;  ///< in [0, 1]
  float leaf_scale = 1.0F;
  std::int64_t output = 0;
  std::int64_t n_outputs = 1;
  Span<float const> margins;              ///< [n_rows, n_outputs], without any tree of the round
  Span<std::int32_t const> leaf_of_row;   ///< [n_rows]
  Span<std::uint8_t const> sampled_rows;  ///< [n_rows], 1 = used; empty = all are used
};

/// Sets the value of `output` of every leaf that has rows with a weight to quantile * eta * leaf_scale. The label of a
/// row is the one of the output's target, or the only one. Same bits for any number of threads.
void SetLeafQuantiles(Context const& ctx, MetaInfo const& info, TreeParam const& param, LeafQuantileTask const& task,
                      Tree* tree);

}  // namespace kauri
