#include "cli/config_parser.h"

#include <algorithm>

#include "common/files/read_file.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{16} << 20U;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

/// Reads one line from left to right.
class LineReader {
 public:
  LineReader(std::string const& line, std::string const& origin) : line_(line), origin_(origin) {}

  /// Skips blanks; returns true at the end of the line or at a comment.
  bool AtEnd() {
    while (position_ < line_.size() && IsBlank(line_[position_])) ++position_;
    return position_ == line_.size() || line_[position_] == '#';
  }
  bool Take(char expected) {
    if (AtEnd() || line_[position_] != expected) return false;
    ++position_;
    return true;
  }
  /// Reads a quoted token, or characters up to `stop`, a comment or the end, without trailing blanks.
  std::string Token(char stop) {
    if (AtEnd()) return {};
    auto const quote = line_[position_];
    if (quote == '"' || quote == '\'') return QuotedToken(quote);
    auto const begin = position_;
    while (position_ < line_.size() && line_[position_] != stop && line_[position_] != '#') ++position_;
    auto end = position_;
    while (end > begin && IsBlank(line_[end - 1])) --end;
    return line_.substr(begin, end - begin);
  }
  [[noreturn]] void Refuse(std::string const& what) const { Fail(ErrorKind::kParameter, origin_, ": ", what); }

 private:
  std::string QuotedToken(char quote) {
    auto const end = line_.find(quote, position_ + 1);
    if (end == std::string::npos) Refuse(std::string("the quote ") + quote + " is not closed on this line");
    auto token = line_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return token;
  }

  std::string const& line_;
  std::string const& origin_;
  std::size_t position_ = 0;
};

/// Appends the setting of one line, if it has one.
void ParseLine(std::string const& line, std::string const& origin, std::vector<Setting>* settings) {
  LineReader reader(line, origin);
  if (line.find('\0') != std::string::npos) reader.Refuse("a NUL byte; a configuration file is plain text");
  if (reader.AtEnd()) return;
  auto key = reader.Token('=');
  if (key.empty()) reader.Refuse("a name is missing before '='; expected key = value");
  if (!reader.Take('=')) reader.Refuse(Quoted(key) + " is not followed by '='; expected key = value");
  if (reader.AtEnd()) reader.Refuse(Quoted(key) + " has no value; write '' for an empty one");
  auto value = reader.Token('\0');
  if (!reader.AtEnd()) reader.Refuse("text after the closing quote of the value of " + Quoted(key));
  settings->push_back({std::move(key), std::move(value), origin, false});
}

}  // namespace

std::vector<Setting> ParseConfig(std::string const& text, std::string const& name) {
  std::vector<Setting> settings;
  std::size_t begin = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
  for (std::size_t number = 1; begin < text.size(); ++number) {
    auto const end = std::min(text.find_first_of("\r\n", begin), text.size());
    ParseLine(text.substr(begin, end - begin), name + ":" + std::to_string(number), &settings);
    begin = end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  return settings;
}

std::vector<Setting> ReadConfig(std::string const& path) {
  return ParseConfig(ReadFile(FileToRead{path, "configuration file", kMaxConfigBytes, true}), path);
}

Setting ParseArgument(std::string const& argument) {
  auto const equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    Fail(ErrorKind::kParameter, "argument ", Quoted(argument),
         " is not of the form key=value; kauri help all lists the keys.");
  }
  return {argument.substr(0, equals), argument.substr(equals + 1), "argument " + Quoted(argument), true};
}

}  // namespace kauri::cli
