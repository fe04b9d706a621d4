/// \file Columns of categories: codes and the names that they stand for.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/categories.h"

namespace kauri {

/// Parses names in the form that XGBoost's clients give them: integers as an array interface, or texts as {"offsets":
/// [n + 1], "values": bytes}, both array interfaces. Copies them. \throws Error(kData) for anything else, and for
/// offsets that do not ascend within the bytes.
CategoryNames ParseCategoryNames(nlohmann::json const& names);

/// Returns integers as names. \throws Error(kData) for another type.
CategoryNames NumbersAsNames(ArrayView const& numbers);

/// Returns the category number of each of n names among all categories of their column, to translate codes into the n
/// names. \throws Error(kData) unless `numbers` holds n integers in an array interface, each a valid category.
std::shared_ptr<std::vector<float> const> ParseCategoryNumbers(nlohmann::json const& numbers, std::size_t n);

/// Returns the codes 0 .. n - 1 unchanged: the values of a column whose codes need no translation, see Column::codes.
std::shared_ptr<std::vector<float> const> SameCodes(std::size_t n);

}  // namespace kauri
