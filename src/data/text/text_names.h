/// \file Names of classes and categories that the texts of a file are matched with.
#pragma once

#include <string>
#include <vector>

#include "kauri/categories.h"

namespace kauri {

/// The names that are known before a file is read, extended by the names that the file adds.
struct TextNames {
  /// Names of the classes, by number. If not empty, every label of a file must be among them. Otherwise a file whose
  /// labels are not all numbers fills them, sorted by their bytes.
  std::vector<std::string> classes{};
  /// Categories that a model knows, by the column's name, or by its index if either side has no names. A column of
  /// numbers is read as names if the model's categories are texts.
  CategoryNameTable categories{};
  std::vector<std::string> features{};
};

}  // namespace kauri
