/// \file Names of categories: checking, comparison, and translation between numberings. A column of categories has
/// codes and the names that they stand for.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/categories.h"
#include "kauri/span.h"

namespace kauri {

/// Result of CategoryCodes for a name that the other numbering lacks.
constexpr std::int32_t kUnknownCategory = -1;

/// Returns "xgboost", "missing" or "error".
char const* NameOfPolicy(UnseenCategory policy);
/// Parses the name of a policy; returns false for any other text.
bool ParsePolicy(std::string const& text, UnseenCategory* policy);

/// Returns the name for a message, e.g. "'red'" or "7".
std::string NameOfCategory(CategoryNames const& names, std::size_t category);

/// Returns for each category of `from` the category of `to` that has the same name, or kUnknownCategory: [from.Size()].
/// Numbers compare by value, whatever their type; all are unknown if one side has texts and the other numbers.
std::vector<std::int32_t> CategoryCodes(CategoryNames const& from, CategoryNames const& to);

/// Returns `known`, followed by the names of `more` that it lacks, in their order. `feature` appears in the message.
/// \throws Error(kData) if one has texts and the other integers, or if no integer type holds all of them.
CategoryNames JoinNames(CategoryNames const& known, CategoryNames const& more, std::size_t feature);

/// Requires that names of `rows` can be looked up in `model`. \throws Error(kData) if one has texts and the other
/// integers.
void RequireSameKind(CategoryNames const& rows, CategoryNames const& model, std::size_t feature);

/// Returns whether each category below both sizes has the same name in both.
bool AgreeOnNames(CategoryNames const& a, CategoryNames const& b);

/// Returns whether all categories that both a and b name have the same numbers.
bool AgreeOnTables(CategoryNameTable const& a, CategoryNameTable const& b);

/// Returns for each column the names of `known`, followed by the names of `more` that `known` lacks. A column that only
/// one of the two tables names keeps the names of `more`.
CategoryNameTable JoinTables(CategoryNameTable const& known, CategoryNameTable const& more);

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
