#include "kauri/parameter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <sstream>

#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Returns how many letters must be inserted, removed, replaced or swapped with their neighbour to make `b` of `a`
/// (optimal string alignment), with three rows of the table.
std::size_t EditDistance(std::string const& a, std::string const& b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto const replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      auto const are_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Returns whether `value` is NaN, which dmlc's range check accepts because every comparison with it is false.
bool IsNaNText(std::string const& value) {
  char* end = nullptr;
  auto const number = std::strtod(value.c_str(), &end);
  return end != value.c_str() && std::isnan(number);
}

/// The bounds of a field. dmlc keeps them protected and shows them only in the text of a failed check. A member pointer
/// formed in a derived class reads them.
template <typename T>
struct BoundsOf : dmlc::parameter::FieldEntryNumeric<dmlc::parameter::FieldEntry<T>, T> {
  using Base = dmlc::parameter::FieldEntryNumeric<dmlc::parameter::FieldEntry<T>, T>;

  /// Returns the bounds as text; empty when the field is not of type T or has no bounds. A bound at the end of the
  /// type's range is left out.
  static std::string Text(dmlc::parameter::FieldAccessEntry const* field) {
    auto const* entry = dynamic_cast<Base const*>(field);
    if (entry == nullptr) return {};
    auto const low = entry->*(&BoundsOf::begin_);
    auto const high = entry->*(&BoundsOf::end_);
    auto const has_low = entry->*(&BoundsOf::has_begin_) && low != std::numeric_limits<T>::lowest();
    auto const has_high = entry->*(&BoundsOf::has_end_) && high != std::numeric_limits<T>::max();
    std::ostringstream text;
    if (has_low && has_high) {
      text << "[" << low << ", " << high << "]";
    } else if (has_low) {
      text << ">= " << low;
    } else if (has_high) {
      text << "<= " << high;
    }
    return text.str();
  }
};

/// Removes the quotes that dmlc puts around the default of some types.
std::string WithoutQuotes(std::string const& text) {
  auto const quoted = text.size() >= 2 && text.front() == '\'' && text.back() == '\'';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// Returns the shortest text that reads as the same number, 0.3; dmlc writes 0.300000012. Other text is returned
/// unchanged.
template <typename T>
std::string ShortestText(std::string const& text) {
  auto const* const end = text.data() + text.size();
  T number = 0;
  auto const read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return text;
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

ParameterInfo Describe(dmlc::parameter::FieldAccessEntry* field) {
  auto const declared = field->GetFieldInfo();
  ParameterInfo info;
  info.name = declared.name;
  auto const optional = declared.type_info_str.rfind("optional");  // after ", " or, for words, after ","
  info.type = declared.type_info_str.substr(0, declared.type_info_str.find_last_not_of(", ", optional - 1) + 1);
  auto const marker = std::string("default=");
  auto const at = declared.type_info_str.rfind(marker);
  if (at != std::string::npos) info.default_value = WithoutQuotes(declared.type_info_str.substr(at + marker.size()));
  if (info.type == "float") info.default_value = ShortestText<float>(info.default_value);
  if (info.type == "double") info.default_value = ShortestText<double>(info.default_value);
  for (auto const& bounds : {BoundsOf<float>::Text(field), BoundsOf<double>::Text(field), BoundsOf<int>::Text(field),
                             BoundsOf<std::int64_t>::Text(field), BoundsOf<std::uint64_t>::Text(field)}) {
    if (!bounds.empty()) info.bounds = bounds;
  }
  info.description = declared.description;
  return info;
}

}  // namespace

namespace detail {

void SetDeclaredFields(dmlc::parameter::ParamManager const& manager, void* head, ParamMap const& map) {
  for (auto const& [name, value] : map) {
    auto* field = manager.Find(name);
    if (field == nullptr) continue;
    auto const info = Describe(field);
    auto const refuse = [&info, &key = name, &text = value] {
      Fail(ErrorKind::kParameter, "parameter ", key, "=", Quoted(text), " is not valid; expected ", info.type,
           info.bounds.empty() ? "" : " " + info.bounds, ". ", info.description);
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
  for (auto const& field : manager.GetFieldInfo()) table.push_back(Describe(manager.Find(field.name)));
  return table;
}

}  // namespace detail

std::string NearestName(std::string const& name, std::vector<std::string> const& candidates) {
  constexpr std::size_t kLongestName = 200;  // the distance costs the product of both lengths
  std::string nearest;
  if (name.size() > kLongestName) return nearest;
  auto best = name.size() / 3 + 1;  // at a larger distance it is another word: f1 is not r2
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
