#include "data/text/uri.h"

#include <algorithm>
#include <filesystem>

#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

ParamMap ParseQuery(std::string const& text, std::string const& query) {
  ParamMap params;
  for (std::size_t begin = 0; begin <= query.size();) {
    auto const end = std::min(query.find('&', begin), query.size());
    auto const pair = query.substr(begin, end - begin);
    auto const equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      Fail(ErrorKind::kParameter, Quoted(text), ": expected name=value after '?' and '&', found ", Quoted(pair), ".");
    }
    if (!params.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
      Fail(ErrorKind::kParameter, Quoted(text), " sets ", Quoted(pair.substr(0, equals)), " twice.");
    }
    begin = end + 1;
  }
  return params;
}

std::string FormatOfExtension(std::filesystem::path path) {
  if (path.extension() == ".gz") path = path.stem();
  auto const extension = path.extension().string();
  if (extension == ".csv") return "csv";
  return extension == ".libsvm" || extension == ".svm" ? "libsvm" : "";
}

bool IsThere(std::string const& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// Returns the end of the path. '?' and '#' may be part of it: the longest prefix that ends before one of them and is a
/// file wins; without one, the path ends before the query and the cache.
std::size_t EndOfPath(std::string const& text) {
  for (auto end = text.size(); end != std::string::npos && end > 0; end = text.find_last_of("?#", end - 1)) {
    if (IsThere(text.substr(0, end))) return end;
  }
  auto const hash = text.rfind('#');
  return std::min({text.substr(0, hash).rfind('?'), hash, text.size()});
}

}  // namespace

DataUri ParseDataUri(std::string const& text) {
  auto const path_end = EndOfPath(text);
  DataUri uri{text.substr(0, path_end), "", {}, ""};
  auto rest = text.substr(path_end);
  if (auto const hash = rest.rfind('#'); hash != std::string::npos) {
    uri.cache = rest.substr(hash + 1);
    if (uri.cache.empty())
      Fail(ErrorKind::kParameter, Quoted(text), ": give the cache a name after '#', or remove it.");
    rest.erase(hash);
  }
  if (!rest.empty()) uri.params = ParseQuery(text, rest.substr(1));
  auto const format = uri.params.extract("format");
  uri.format = format.empty() ? FormatOfExtension(uri.path) : format.mapped();
  return uri;
}

}  // namespace kauri
