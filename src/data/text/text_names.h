/// \file Names that texts are read by: of classes, and of categories.
#pragma once

#include <string>
#include <vector>

#include "kauri/categories.h"

namespace kauri {

/// The names that are known before a file is read, and those that the file adds.
struct TextNames {
  /// Class c is the c-th. When there are some, every label of a file must be one of them. Otherwise a file whose labels
  /// are not all numbers fills them, sorted by their bytes.
  std::vector<std::string> classes{};
  /// Categories that a model knows, by the column's name, or by its place where one of the two has no names: a column
  /// of numbers is read as names where the model's are texts.
  CategoryNameTable categories{};
  std::vector<std::string> features{};
};

}  // namespace kauri
