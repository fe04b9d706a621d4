#include "data/text/uri.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "common/platform/file.h"
#include "common/text/quoted.h"
#include "data/text/text_number.h"
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
  platform::FileStatus status;
  return platform::GetStatus(path, &status);
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

namespace {

constexpr std::int64_t kMostLines = 16;
constexpr std::string_view kBlanks = " \t";

/// The formats that are compatible with the lines read so far.
struct Evidence {
  bool may_be_libsvm = true;
  bool may_be_csv = true;
  bool has_pair = false;  ///< whether an index:value was found
  std::int64_t n_lines = 0;
};

bool IsNumber(std::string_view text) {
  auto const parsed = ParseFloat(text.data(), text.data() + text.size());
  return parsed.status == NumberStatus::kOk && parsed.end == text.data() + text.size();
}

bool AreNumbers(std::string_view list) {
  for (std::size_t begin = 0; begin <= list.size();) {
    auto const end = std::min(list.find(',', begin), list.size());
    if (!IsNumber(list.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

bool IsPair(std::string_view word) {
  auto const colon = word.find(':');
  if (colon == std::string_view::npos) return false;
  auto const name = word.substr(0, colon);
  return (name == "qid" || IsNumber(name)) && IsNumber(word.substr(colon + 1));
}

/// Returns the words before a comment.
std::vector<std::string_view> WordsOf(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (auto begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    auto const end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

void Look(std::string_view line, Evidence* evidence) {
  auto const words = WordsOf(line);
  if (words.empty()) return;
  ++evidence->n_lines;
  auto n_pairs = std::size_t{0};
  for (std::size_t word = 1; word < words.size(); ++word) n_pairs += IsPair(words[word]) ? 1 : 0;
  auto const label = words[0].substr(0, words[0].find(':'));  // a weight may follow the label
  evidence->may_be_libsvm &= n_pairs + 1 == words.size() && AreNumbers(label);
  evidence->may_be_csv &= n_pairs == 0 && line.find(',') != std::string_view::npos;
  evidence->has_pair |= n_pairs > 0;
}

}  // namespace

std::string RecogniseFormat(TextFile const& file) {
  Evidence evidence;
  std::vector<char> buffer;
  for (std::int64_t block = 0; block < file.NumBlocks() && evidence.n_lines < kMostLines; ++block) {
    ForEachLine(file.ReadBlock(block, &buffer), [&](char const* begin, char const* end, std::int64_t) {
      if (evidence.n_lines < kMostLines) Look({begin, static_cast<std::size_t>(end - begin)}, &evidence);
    });
  }
  if (evidence.n_lines == 0) return {};
  if (evidence.may_be_libsvm && evidence.has_pair) return "libsvm";
  return evidence.may_be_csv ? "csv" : "";
}

}  // namespace kauri
