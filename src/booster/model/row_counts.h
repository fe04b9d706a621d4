/// \file Numbers of rows of a data set that reach each node, computed from the leaves they reach.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/model/ready_model.h"
#include "kauri/data_matrix.h"

namespace kauri {

using RowCounts = std::vector<std::vector<std::int64_t>>;  ///< [n_trees][n_nodes]

/// Counts rows, ignoring their weights. \throws Error(kModel) without a model, Error(kData) for more columns than the
/// model has.
RowCounts CountRows(ReadyModel const& model, DataMatrix const& data);

}  // namespace kauri
