/// \file How many rows of a data set reach every node, from the leaves that they reach.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/ready_model.h"
#include "kauri/data_matrix.h"

namespace kauri {

using RowCounts = std::vector<std::vector<std::int64_t>>;  ///< [n_trees][n_nodes]

/// Whatever the rows' weights. \throws Error(kModel) without a model, Error(kData) for more columns than it knows.
RowCounts CountRows(ReadyModel const& model, DataMatrix const& data);

}  // namespace kauri
