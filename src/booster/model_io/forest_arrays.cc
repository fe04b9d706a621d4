#include "booster/model_io/forest_arrays.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/text/quoted.h"
#include "kauri/array_interface.h"
#include "kauri/parameter.h"

namespace kauri::model_io {
namespace {

using nlohmann::json;

/// Returns a value as a message shows it.
std::string ForestShown(json const& value) {
  constexpr std::size_t kMostShown = 60;
  return Quoted(value.is_structured() ? (value.is_array() ? "a list" : "an object") : value.dump(-1, ' ', true),
                kMostShown);
}

void AppendForestNumber(json const& value, std::string const& place, std::vector<double>* out) {
  if (value.is_boolean()) return out->push_back(value.get<bool>() ? 1.0 : 0.0);
  if (!value.is_number()) FailForest(place, "has ", ForestShown(value), " in its list; expected numbers.");
  out->push_back(value.get<double>());
}

ForestNumbers NumbersOfList(json const& list, std::string const& place) {
  ForestNumbers numbers;
  bool const has_rows = !list.empty() && list[0].is_array();
  if (has_rows) numbers.n_columns = static_cast<std::int64_t>(list[0].size());
  for (auto const& each : list) {
    if (!has_rows) {
      AppendForestNumber(each, place, &numbers.values);
      continue;
    }
    if (!each.is_array() || static_cast<std::int64_t>(each.size()) != numbers.n_columns) {
      FailForest(place, "has rows of different lengths; the first one has ", numbers.n_columns, " numbers.");
    }
    for (auto const& value : each) AppendForestNumber(value, place, &numbers.values);
  }
  return numbers;
}

ForestNumbers NumbersInMemory(json const& interface, std::string const& place) {
  ArrayView array;
  try {
    array = ParseArrayInterface(interface.dump());
  } catch (Error const& error) {
    FailForest(place, "is no array: ", error.what());
  }
  ForestNumbers numbers;
  numbers.n_columns = array.shape[1];
  numbers.values.reserve(static_cast<std::size_t>(array.Size()));
  for (std::int64_t row = 0; row < array.shape[0]; ++row) {
    for (std::int64_t column = 0; column < array.shape[1]; ++column) {
      numbers.values.push_back(ElementAsDouble(array, row, column));
    }
  }
  return numbers;
}

}  // namespace

ForestObject::ForestObject(json const& object, std::string place, std::vector<std::string> const& known)
    : object_(object), place_(std::move(place)) {
  if (!object_.is_object()) FailForest(place_, "is ", ForestShown(object_), "; expected an object of JSON.");
  for (auto const& member : object_.items()) {
    if (std::find(known.begin(), known.end(), member.key()) != known.end()) continue;
    std::string names;
    for (auto const& name : known) names += (names.empty() ? "" : ", ") + name;
    auto const nearest = NearestName(member.key(), known);
    FailForest(place_, "has the member ", Quoted(member.key()), ", which is unknown",
               nearest.empty() ? "." : "; did you mean '" + nearest + "'?", " Known are ", names, ".");
  }
}

json const& ForestObject::At(char const* key) const {
  auto const found = object_.find(key);
  if (found == object_.end()) FailForest(place_, "has no member '", key, "'. Add it.");
  return *found;
}

std::int64_t ForestObject::Whole(char const* key, std::int64_t least, std::int64_t most) const {
  auto const& value = At(key);
  if (!value.is_number()) FailForest(PlaceOf(key), "is ", ForestShown(value), "; expected a whole number.");
  return ForestWhole(value.get<double>(), PlaceOf(key), least, most);
}

std::string ForestObject::Text(char const* key) const {
  auto const& value = At(key);
  if (!value.is_string()) FailForest(PlaceOf(key), "is ", ForestShown(value), "; expected a text.");
  return value.get<std::string>();
}

std::vector<std::string> ForestObject::Texts(char const* key) const {
  auto const& values = At(key);
  std::vector<std::string> texts;
  if (!values.is_array()) FailForest(PlaceOf(key), "is ", ForestShown(values), "; expected a list of texts.");
  for (auto const& value : values) {
    if (!value.is_string()) FailForest(PlaceOf(key), "has ", ForestShown(value), " in its list; expected texts.");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

ForestNumbers ForestObject::Numbers(char const* key, ForestSource source) const {
  return ForestNumbersOf(At(key), PlaceOf(key), source);
}

ForestNumbers ForestNumbersOf(json const& array, std::string const& place, ForestSource source) {
  if (array.is_array()) return NumbersOfList(array, place);
  if (array.is_object() && source == ForestSource::kCall) return NumbersInMemory(array, place);
  FailForest(place, "is ", ForestShown(array), "; expected a list of numbers",
             source == ForestSource::kCall ? " or an array interface." : ".");
}

std::int64_t ForestWhole(double value, std::string const& place, std::int64_t least, std::int64_t most) {
  if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most)) {
    FailForest(place, "has the value ", value, "; expected a whole number from ", least, " to ", most, ".");
  }
  return static_cast<std::int64_t>(value);
}

float ForestFloat(double value, std::string const& place) {
  if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
    FailForest(place, "has the value ", value, ", which is no finite 32-bit number.");
  }
  return static_cast<float>(value);
}

}  // namespace kauri::model_io
