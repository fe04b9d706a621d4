#include "kauri/parameter.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "kauri/error.h"

namespace kauri {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Levenshtein distance, one row of the table at a time.
std::size_t EditDistance(std::string const& a, std::string const& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto const replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

/// dmlc's range check accepts NaN, since every comparison with it is false.
bool IsNaNText(std::string const& value) {
  char* end = nullptr;
  auto const number = std::strtod(value.c_str(), &end);
  return end != value.c_str() && std::isnan(number);
}

}  // namespace

namespace detail {

void SetDeclaredFields(dmlc::parameter::ParamManager const& manager, void* head, ParamMap const& map) {
  for (auto const& [name, value] : map) {
    auto* field = manager.Find(name);
    if (field == nullptr) continue;
    auto const info = field->GetFieldInfo();
    auto const refuse = [&, &key = name, &text = value] {
      Fail(ErrorKind::kParameter, "parameter ", key, "='", text, "' is not valid; expected ", info.type_info_str, ". ",
           info.description);
    };
    auto const is_float = info.type.find("float") != std::string::npos || info.type.find("double") != std::string::npos;
    if (is_float && IsNaNText(value)) refuse();
    try {
      field->Set(head, value);
      field->Check(head);
    } catch (dmlc::Error const&) {
      refuse();
    }
  }
}

ParameterTable DescribeFields(dmlc::parameter::ParamManager const& manager) {
  ParameterTable table;
  for (auto const& field : manager.GetFieldInfo()) table.push_back({field.name, field.type_info_str, field.description});
  return table;
}

}  // namespace detail

std::string NearestName(std::string const& name, std::vector<std::string> const& candidates) {
  std::string nearest;
  auto best = std::max<std::size_t>(name.size() / 3, 2) + 1;
  for (auto const& candidate : candidates) {
    auto const distance = EditDistance(Lower(name), Lower(candidate));
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace kauri
