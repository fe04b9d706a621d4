/// \file Good models, a small one of every kind.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "kauri/c_api.h"

namespace kauri::fuzz {

using Json = nlohmann::json;

/// Returns their documents: trees, dart, linear, several classes, vector leaves, categories, quantiles, parallel trees,
/// numbers for categories and their combinations, with one label and with classes.
std::vector<Json> MakeModels();

/// Makes rows with missing values, valid and invalid categories, and values on both sides of any threshold; labels 0,
/// 1, 2.
DMatrixHandle MakeRows(std::size_t n_features, bool with_categories);

}  // namespace kauri::fuzz
