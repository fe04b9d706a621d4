/// \file Whether the names of columns are those that are expected, and in words how they differ.
#pragma once

#include <string>

#include "kauri/span.h"

namespace kauri {

/// Data in messages: "the data have", "the background has".
struct DataInWords {
  std::string noun = "the data";
  char const* has = "have";
};

/// Who expects the names of columns, and the cure of another order.
struct ExpectedNames {
  Span<std::string const> names;
  char const* owner = "the model";
};

/// \throws Error(kData) unless `names` are those that are expected, in their order: what lacks and what is unknown, at
/// most ten names of each, or that the order differs. Takes a comparison of the texts, about 10 ns for each.
void RequireColumnNames(Span<std::string const> names, ExpectedNames const& expected, DataInWords const& data);

/// \throws Error(kData) where a name stands twice.
void RequireUniqueNames(Span<std::string const> names);

}  // namespace kauri
