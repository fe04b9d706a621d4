/// \file Finds the leaf of a tree that each row reaches.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/predictor.h"
#include "kauri/tree.h"

namespace kauri {

/// Returns the leaves [n_rows], found by a predictor in host memory, so that splits and missing values behave as in
/// predictions. \throws Error(kModel) for a tree with more nodes than leaf indices of predictions, which are floats,
/// can represent.
std::vector<std::int32_t> FindRowLeaves(Context const& ctx, DataMatrix const& data, Predictor const& predictor,
                                        Tree const& tree);

}  // namespace kauri
