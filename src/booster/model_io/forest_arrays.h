/// \file The members of a forest that is given as JSON, with checks. Arrays are lists of numbers; the configuration of
/// a call may have array interfaces instead, which name memory of this process, so a file must not have them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kauri/error.h"

namespace kauri::model_io {

/// The forms of arrays in a forest's JSON.
enum class ForestSource { kFile, kCall };

/// \throws Error(kModel): the forest's ..., which `parts` continue.
template <typename... Parts>
[[noreturn]] void FailForest(std::string const& place, Parts const&... parts) {
  Fail(ErrorKind::kModel, "the forest", place.empty() ? "" : "'s ", place, " ", parts...);
}

/// Numbers of an array of one or two dimensions.
struct ForestNumbers {
  std::vector<double> values;  ///< [n_rows, n_columns]
  std::int64_t n_columns = 1;
};

/// An object in a forest's JSON.
class ForestObject {
 public:
  /// object: must outlive this. place: for messages; empty for the forest itself. known: all names that members may
  /// have. \throws Error(kModel) for a value that is no object, and for other members.
  ForestObject(nlohmann::json const& object, std::string place, std::vector<std::string> const& known);

  bool Has(char const* key) const { return object_.contains(key); }
  /// Returns a member. \throws Error(kModel) if there is none.
  nlohmann::json const& At(char const* key) const;
  /// Returns the place of a member, for messages.
  std::string PlaceOf(char const* key) const { return place_.empty() ? key : place_ + "." + key; }
  /// Returns a whole number within [least, most]. \throws Error(kModel) for any other value.
  std::int64_t Whole(char const* key, std::int64_t least, std::int64_t most) const;
  /// Returns a text. \throws Error(kModel) for any other value.
  std::string Text(char const* key) const;
  /// Returns a list of texts. \throws Error(kModel) for any other value.
  std::vector<std::string> Texts(char const* key) const;
  /// Returns an array. \throws as ForestNumbersOf.
  ForestNumbers Numbers(char const* key, ForestSource source) const;

 private:
  nlohmann::json const& object_;
  std::string place_;
};

/// Returns the numbers of an array. \throws Error(kModel) for a value that is no array of numbers.
ForestNumbers ForestNumbersOf(nlohmann::json const& array, std::string const& place, ForestSource source);

/// Returns a whole number within [least, most] of an array. \throws Error(kModel) for any other value.
std::int64_t ForestWhole(double value, std::string const& place, std::int64_t least, std::int64_t most);

/// Returns a number as float32. \throws Error(kModel) if it is not finite.
float ForestFloat(double value, std::string const& place);

}  // namespace kauri::model_io
