/// \file Keys shared by the configurations of sampled Shapley values.
#pragma once

#include <cstdint>
#include <vector>

#include "c_api/json_config.h"
#include "shapley/estimate.h"

namespace kauri::c_api {

/// Reads "method", "n_orders", "max_evals", "tolerance", "seed".
ShapleyOptions ShapleyOptionsOf(JsonConfig const& config);
/// Reads "players": the columns of each player.
std::vector<std::vector<std::int64_t>> PlayersOf(JsonConfig const& config);
/// Reads "n_outputs", at least 1.
std::int64_t OutputsOf(JsonConfig const& config);

}  // namespace kauri::c_api
