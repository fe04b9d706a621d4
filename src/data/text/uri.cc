#include "data/text/uri.h"

#include <algorithm>
#include <filesystem>

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
      Fail(ErrorKind::kParameter, "'", text, "': expected name=value after '?' and '&', found '", pair, "'.");
    }
    if (!params.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
      Fail(ErrorKind::kParameter, "'", text, "' sets ", pair.substr(0, equals), " twice.");
    }
    begin = end + 1;
  }
  return params;
}

std::string FormatOfExtension(std::string const& path) {
  auto const extension = std::filesystem::path(path).extension().string();
  if (extension == ".csv") return "csv";
  return extension == ".libsvm" || extension == ".svm" ? "libsvm" : "";
}

}  // namespace

DataUri ParseDataUri(std::string const& text) {
  std::error_code error;
  auto const hash = std::filesystem::exists(text, error) ? std::string::npos : text.rfind('#');
  auto const question = text.substr(0, hash).rfind('?');
  DataUri uri{text.substr(0, std::min(question, hash)), "", {}, ""};
  if (question != std::string::npos) uri.params = ParseQuery(text, text.substr(question + 1, hash - question - 1));
  if (hash != std::string::npos) {
    uri.cache = text.substr(hash + 1);
    if (uri.cache.empty()) Fail(ErrorKind::kParameter, "'", text, "': give the cache a name after '#', or remove it.");
  }
  auto const format = uri.params.extract("format");
  uri.format = format.empty() ? FormatOfExtension(uri.path) : format.mapped();
  return uri;
}

}  // namespace kauri
