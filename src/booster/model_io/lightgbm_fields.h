/// \file The lines NAME=VALUE of LightGBM's models, and the names of categories at their end.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/quoted.h"
#include "kauri/categories.h"
#include "kauri/error.h"

namespace kauri::model_io {

/// Lines NAME=VALUE of a text, which the views refer to. Of several lines with one name the last counts.
using LightGbmFields = std::map<std::string_view, std::string_view>;

/// Returns the fields up to the first empty line.
LightGbmFields FieldsOf(std::string_view text);

/// Returns the parts of a text between separators; one empty part for an empty text.
std::vector<std::string_view> SplitText(std::string_view text, std::string_view separator);

/// Returns a field, or `otherwise` if there is none.
std::string_view FieldOr(LightGbmFields const& fields, std::string_view name, std::string_view otherwise);

/// Parses a number. \returns false unless all of `text` is one.
template <typename T>
bool ParseAll(std::string_view text, T* out) {
  auto const* end = text.data() + text.size();
  auto const result = std::from_chars(text.data(), end, *out);
  return result.ec == std::errc() && result.ptr == end;
}

/// Returns the whole number in a field. \throws Error(kModel) unless it is one of at least `least`.
std::int64_t WholeNumber(LightGbmFields const& fields, std::string_view name, std::int64_t least);

/// Returns the numbers in a field. \throws Error(kModel) unless there are `expected` ones; -1: any number.
template <typename T>
std::vector<T> NumbersIn(LightGbmFields const& fields, std::string_view name, std::int64_t expected) {
  constexpr std::string_view kBlanks = " \t\r";
  auto const text = FieldOr(fields, name, "");
  std::vector<T> numbers;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(kBlanks, begin)) != std::string_view::npos;) {
    auto const end = std::min(text.find_first_of(kBlanks, begin), text.size());
    numbers.emplace_back();
    if (!ParseAll(text.substr(begin, end - begin), &numbers.back())) {
      Fail(ErrorKind::kModel, "a tree of LightGBM has ", Quoted(text.substr(begin, end - begin)), " in '", name,
           "', where numbers are expected; the file is damaged.");
    }
    begin = end;
  }
  if (expected >= 0 && static_cast<std::int64_t>(numbers.size()) != expected) {
    Fail(ErrorKind::kModel, "a tree of LightGBM has ", numbers.size(), " values of '", name, "'; expected ", expected,
         ". The file is damaged.");
  }
  return numbers;
}

/// Returns the names of categories of all columns, or an empty table if the text has none. feature_infos: the field
/// of this name in the header. A model of data frames has a list of names for each column of categories, in
/// their order, and does not state the columns. \throws Error(kModel) for malformed lists, and if they could belong to
/// several sets of columns.
CategoryNameTable CategoryNamesOf(std::string_view text, std::string_view feature_infos, std::int64_t n_features);

}  // namespace kauri::model_io
