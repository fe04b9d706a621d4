/// \file Names of categories: checked, compared, and turned from one numbering into another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/categories.h"
#include "kauri/span.h"

namespace kauri {

/// What CategoryCodes says of a name that the other numbering lacks.
constexpr std::int32_t kUnknownCategory = -1;

/// "xgboost", "missing" or "error".
char const* NameOfPolicy(UnseenCategory policy);
/// The other way round; false for another text.
bool ParsePolicy(std::string const& text, UnseenCategory* policy);

/// "'red'" or "7".
std::string NameOfCategory(CategoryNames const& names, std::size_t category);

/// [from.Size()]: the category of `to` that has the same name, or kUnknownCategory. Numbers are the same whatever type
/// they have; all are unknown when one has texts and the other numbers.
std::vector<std::int32_t> CategoryCodes(CategoryNames const& from, CategoryNames const& to);

/// `known`, and after them the names of `more` that it lacks, in their order. \throws Error(kData) when one has texts
/// and the other integers, or integers that no type holds together; `feature` is what the message names.
CategoryNames JoinNames(CategoryNames const& known, CategoryNames const& more, std::size_t feature);

/// \throws Error(kData) when one has texts and the other integers: where those of `rows` are to be found in `model`.
void RequireSameKind(CategoryNames const& rows, CategoryNames const& model, std::size_t feature);

/// Whether category c has the same name in both, as far as both go.
bool AgreeOnNames(CategoryNames const& a, CategoryNames const& b);

/// Whether all categories that a and b name have the same numbers.
bool AgreeOnTables(CategoryNameTable const& a, CategoryNameTable const& b);

/// The names of `more`, those that `known` has too in its order and first.
CategoryNameTable JoinTables(CategoryNameTable const& known, CategoryNameTable const& more);

}  // namespace kauri
