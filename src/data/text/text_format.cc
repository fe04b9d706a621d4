#include "data/text/text_format.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/text/text_number.h"

namespace kauri {
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
