/// \file Text files in blocks of whole lines, and helpers of their parsers.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/parameter.h"
#include "kauri/span.h"

namespace kauri {

/// An error in a line of a text, counted from 1 within the text.
struct LineFault {
  std::int64_t line = 0;
  std::string message;
};

/// Returns a field of a text for a message, formatted by Quoted (common/text/quoted.h), at most its first 40 bytes.
std::string ShowText(char const* begin, char const* end);

/// Calls fn(begin, end, line) for each line, without its end (LF or CRLF). Returns the number of lines.
template <typename Fn>
std::int64_t ForEachLine(Span<char const> text, Fn&& fn) {
  auto const* p = text.begin();
  std::int64_t line = 0;
  while (p != text.end()) {
    auto const* newline = static_cast<char const*>(std::memchr(p, '\n', static_cast<std::size_t>(text.end() - p)));
    auto const* next = newline == nullptr ? text.end() : newline + 1;
    auto const* end = newline == nullptr ? text.end() : newline;
    if (end != p && end[-1] == '\r') --end;
    fn(p, end, ++line);
    p = next;
  }
  return line;
}

/// A text, divided into blocks that depend only on its size. A block has the lines that begin in its bytes. A text file
/// is read block by block; gzip and standard input (whole_text.h) are held in memory, unpacked.
class TextFile {
 public:
  static constexpr std::int64_t kBlockBytes = 1 << 18;
  /// A longer line is not text: without a limit, a file of zeros would fill the memory.
  static constexpr std::int64_t kMostLineBytes = 1 << 28;

  /// \throws Error(kIo) unless `path` names a readable regular file, or standard input; and as ReadWholeText.
  explicit TextFile(std::string const& path, std::int64_t block_bytes = kBlockBytes);

  /// Returns the name for messages.
  std::string const& Path() const { return path_; }
  std::int64_t NumBlocks() const { return (size_ + block_bytes_ - 1) / block_bytes_; }
  /// Reads a block, into `buffer` unless the text is in memory, and returns its lines, without the UTF-8 byte order
  /// mark. Safe from many threads. \throws Error(kIo); Error(kData) for a line of more than kMostLineBytes.
  Span<char const> ReadBlock(std::int64_t block, std::vector<char>* buffer) const;

  /// Parses one block, sets *n_lines to its number of lines, and returns the error of the first wrong line.
  using ParseBlock =
      std::function<std::optional<LineFault>(Span<char const> text, std::int64_t block, std::int64_t* n_lines)>;
  /// Blocks [first, last), with `n_lines` lines before them.
  struct Part {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t n_lines = 0;
  };
  /// Calls `parse` for every block, in parallel. Returns the number of lines before each block, followed by the total.
  /// \throws Error(kData) for the first error, naming its line.
  std::vector<std::int64_t> ParseBlocks(Context const& ctx, ParseBlock const& parse, Part const& part) const;
  std::vector<std::int64_t> ParseBlocks(Context const& ctx, ParseBlock const& parse) const {
    return ParseBlocks(ctx, parse, {0, NumBlocks(), 0});
  }

  /// \throws Error(kData) with path, line (from 1) and message.
  [[noreturn]] void FailAtLine(std::int64_t line, std::string const& message) const;
  [[noreturn]] void FailWithoutRows() const;

 private:
  Span<char const> ReadFileBlock(std::int64_t block, std::vector<char>* buffer) const;

  std::string path_;
  std::int64_t block_bytes_;
  std::shared_ptr<std::string const> text_;  ///< null if the text is in the file
  std::int64_t size_;
};

/// \throws Error(kParameter) for a key that is not in `table`. `format` names the reader.
void RefuseUnknownKeys(ParamMap const& params, ParameterTable const& table, char const* format);

}  // namespace kauri
