#include "data/column_names.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using NameSet = std::set<std::string_view>;

/// Returns the names of a list that a set lacks, in the order of the list.
std::vector<std::string_view> Without(Span<std::string const> names, NameSet const& others) {
  std::vector<std::string_view> found;
  for (auto const& name : names) {
    if (others.count(name) == 0) found.push_back(name);
  }
  return found;
}

/// Returns a list for messages: "'a', 'b' and 390 more".
std::string ListOf(std::vector<std::string_view> const& names) {
  constexpr std::size_t kMostNames = 10;
  constexpr std::size_t kShownBytesOfName = 60;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += (i == 0 ? "" : ", ") + Quoted(names[i], kShownBytesOfName);
  }
  return names.size() <= kMostNames ? text : text + " and " + std::to_string(names.size() - kMostNames) + " more";
}

[[noreturn]] void FailOtherOrder(Span<std::string const> names, ExpectedNames const& expected,
                                 DataInWords const& data) {
  std::int64_t place = 0;
  while (names[place] == expected.names[place]) ++place;
  Fail(ErrorKind::kData, "feature_names mismatch: ", data.noun, " ", data.has, " the features of ", expected.owner,
       " in another order: ", Quoted(names[place]), " stands where ", expected.owner, " has ",
       Quoted(expected.names[place]), ". Reorder the columns.");
}

[[noreturn]] void FailOtherNames(Span<std::string const> names, ExpectedNames const& expected,
                                 DataInWords const& data) {
  auto const lacking = Without(expected.names, NameSet(names.begin(), names.end()));
  auto const unknown = Without(names, NameSet(expected.names.begin(), expected.names.end()));
  if (lacking.empty() && unknown.empty()) {  // files of models may repeat names
    if (names.size() == expected.names.size()) FailOtherOrder(names, expected, data);
    Fail(ErrorKind::kData, "feature_names mismatch: ", data.noun, " ", data.has, " ", names.size(), " names, ",
         expected.owner, " ", expected.names.size(), "; give one for each of its columns.");
  }
  std::string difference;
  if (!lacking.empty()) difference = "Lacking: " + ListOf(lacking);
  if (!unknown.empty()) difference += (difference.empty() ? "Unknown: " : "; unknown: ") + ListOf(unknown);
  Fail(ErrorKind::kData, "feature_names mismatch: ", data.noun, " ", data.has, " other features than ", expected.owner,
       ". ", difference, ". Give the features that are expected, in their order.");
}

}  // namespace

void RequireColumnNames(Span<std::string const> names, ExpectedNames const& expected, DataInWords const& data) {
  auto const& wanted = expected.names;
  if (names.size() == wanted.size() && std::equal(names.begin(), names.end(), wanted.begin())) return;
  FailOtherNames(names, expected, data);
}

void RequireUniqueNames(Span<std::string const> names) {
  NameSet seen;
  for (auto const& name : names) {
    if (seen.insert(name).second) continue;
    Fail(ErrorKind::kData, "the feature name ", Quoted(name), " is given twice; names must be unique.");
  }
}

}  // namespace kauri
