/// \file Good models, a small one of every kind.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "kauri/c_api.h"

namespace kauri::fuzz {

using Json = nlohmann::json;

/// Their documents: trees, dart, linear, several classes, vector leaves, categories, quantiles, parallel trees,
/// numbers for categories and their combinations, of one label and of classes.
std::vector<Json> MakeModels();

/// Rows with missing values, categories and what is none, values on both sides of any threshold; labels 0, 1, 2.
DMatrixHandle MakeRows(std::size_t n_features, bool with_categories);

}  // namespace kauri::fuzz
