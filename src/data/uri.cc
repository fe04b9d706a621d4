#include <filesystem>
#include <string>

#include "kauri/data_matrix.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

struct Uri {
  std::string path;
  ParamMap params;
};

Uri ParseUri(std::string const& text) {
  auto const question = text.rfind('?');
  Uri uri{text.substr(0, question), {}};
  if (question == std::string::npos) return uri;
  auto const query = text.substr(question + 1);
  if (query.find('#') != std::string::npos) {
    Fail(ErrorKind::kParameter, "'", text, "': a cache name after '#' is not supported; remove it.");
  }
  for (std::size_t begin = 0; begin <= query.size();) {
    auto const end = std::min(query.find('&', begin), query.size());
    auto const pair = query.substr(begin, end - begin);
    auto const equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      Fail(ErrorKind::kParameter, "'", text, "': expected name=value after '?' and '&', found '", pair, "'.");
    }
    if (!uri.params.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
      Fail(ErrorKind::kParameter, "'", text, "' sets ", pair.substr(0, equals), " twice.");
    }
    begin = end + 1;
  }
  return uri;
}

/// Removes `format` from the parameters; without one, the extension tells it.
std::string TakeFormat(Uri* uri, Registry<ReaderFactory> const& readers) {
  auto const given = uri->params.find("format");
  if (given != uri->params.end()) {
    auto const format = given->second;
    uri->params.erase(given);
    return format;
  }
  auto const extension = std::filesystem::path(uri->path).extension().string();
  if (extension == ".csv") return "csv";
  if (extension == ".libsvm" || extension == ".svm") return "libsvm";
  std::string known;
  for (auto const& name : readers.Names()) known += (known.empty() ? "" : ", ") + name;
  Fail(ErrorKind::kParameter, "the format of '", uri->path, "' is not known; write '", uri->path,
       "?format=' and one of: ", known, ".");
}

}  // namespace

std::unique_ptr<DataMatrix> DataMatrix::FromUri(Context const& ctx, std::string const& uri_text) {
  auto uri = ParseUri(uri_text);
  auto const& readers = GetRegistries().readers;
  auto const format = TakeFormat(&uri, readers);
  return readers.Find(format).make(ctx, uri.path, uri.params);
}

}  // namespace kauri
