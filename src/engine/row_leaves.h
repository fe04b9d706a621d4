/// \file Which leaf of a tree each row reaches.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/predictor.h"
#include "kauri/tree.h"

namespace kauri {

/// [n_rows], by a predictor in host memory, so splits and missing values mean what they mean in predictions.
/// \throws Error(kModel) for a tree of more nodes than the leaf indices of predictions, floats, can name.
std::vector<std::int32_t> FindRowLeaves(Context const& ctx, DataMatrix const& data, Predictor const& predictor,
                                        Tree const& tree);

}  // namespace kauri
