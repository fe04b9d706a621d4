/// \file Comparison of column names with the expected ones, and error messages that describe the differences.
#pragma once

#include <string>

#include "kauri/span.h"

namespace kauri {

/// The data as messages name them: "the data have", "the background has".
struct DataInWords {
  std::string noun = "the data";
  char const* has = "have";
};

/// The expected names of columns, and their owner.
struct ExpectedNames {
  Span<std::string const> names;
  char const* owner = "the model";
};

/// Requires the expected names in their order. \throws Error(kData) naming the missing and the unknown names, at most
/// ten of each, or a different order. Costs a comparison of the texts, about 10 ns for each.
void RequireColumnNames(Span<std::string const> names, ExpectedNames const& expected, DataInWords const& data);

/// \throws Error(kData) for a name that occurs twice.
void RequireUniqueNames(Span<std::string const> names);

}  // namespace kauri
