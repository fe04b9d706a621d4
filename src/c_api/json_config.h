/// \file The JSON configurations of the C ABI's calls.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/text/json_text.h"

namespace kauri::c_api {

/// One parsed configuration. All getters throw Error(kParameter) naming the call, the key and the value.
class JsonConfig {
 public:
  /// `call` is the exported function's name. NaN, Infinity and -Infinity may be bare words.
  JsonConfig(char const* text, char const* call);

  bool Has(char const* key) const { return Document().contains(key); }
  /// Returns whether the key exists and is not null.
  bool IsGiven(char const* key) const { return Has(key) && !Document()[key].is_null(); }
  std::int64_t Integer(char const* key) const;
  std::int64_t IntegerOr(char const* key, std::int64_t otherwise) const;
  double Number(char const* key) const;
  bool Boolean(char const* key) const;
  std::string Text(char const* key) const;
  /// Returns a list of numbers.
  std::vector<double> Numbers(char const* key) const;
  /// Returns a list of integers.
  std::vector<std::int64_t> Integers(char const* key) const;
  /// Returns a list of lists of integers.
  std::vector<std::vector<std::int64_t>> IntegerLists(char const* key) const;
  /// Returns a list of strings.
  std::vector<std::string> Texts(char const* key) const;
  nlohmann::json const& Document() const { return parsed_.Root(); }

 private:
  nlohmann::json const& Find(char const* key, char const* expected) const;
  [[noreturn]] void Refuse(char const* key, char const* expected) const;

  std::string call_;
  JsonDocument parsed_;
};

}  // namespace kauri::c_api
