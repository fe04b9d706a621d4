/// \file Columns of categories: codes and what they stand for.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/categories.h"

namespace kauri {

/// Names as XGBoost's clients give them: integers as an array interface, or texts as {"offsets": [n + 1], "values":
/// bytes}, both array interfaces. Copies them. \throws Error(kData) for anything else, and for offsets that do not
/// ascend within the bytes.
CategoryNames ParseCategoryNames(nlohmann::json const& names);

/// Integers as names. \throws Error(kData) for another type.
CategoryNames NumbersAsNames(ArrayView const& numbers);

/// The numbers of n categories among all of their column: what codes into those n become. \throws Error(kData) unless
/// they are n integers in an array interface, each that of a category.
std::shared_ptr<std::vector<float> const> ParseCategoryNumbers(nlohmann::json const& numbers, std::size_t n);

/// The codes 0 .. n - 1 as they are: what a column's values become, see Column::codes.
std::shared_ptr<std::vector<float> const> SameCodes(std::size_t n);

}  // namespace kauri
