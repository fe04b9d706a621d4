#include "data/text/text_lines.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/files/read_file.h"
#include "common/text/quoted.h"
#include "common/threads/parallel_for.h"
#include "data/text/whole_text.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::size_t kShownCharacters = 40;                 // numbers are short
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // UTF-8
constexpr std::int64_t kBytesToLineEnd = 1 << 16;

std::int64_t CheckedSize(std::string const& path) {
  platform::FileStatus status;
  if (!platform::GetStatus(path, &status)) {
    auto const error = errno;
    if (error == ENOENT || error == ENOTDIR) {
      Fail(ErrorKind::kIo, "there is no file ", Quoted(path), "; check the path.");
    }
    Fail(ErrorKind::kIo, Quoted(path), " cannot be read: ", ReasonOf(error), ".");
  }
  if (status.kind == platform::FileKind::kFolder) {
    Fail(ErrorKind::kIo, Quoted(path), " is a directory; name a file in it.");
  }
  if (status.kind != platform::FileKind::kRegular) {
    Fail(ErrorKind::kIo, Quoted(path), " is not a regular file; copy its contents into one.");
  }
  return static_cast<std::int64_t>(status.n_bytes);
}

/// Reads the bytes of a file from one place on, in order.
class Stream {
 public:
  Stream(std::string const& path, std::int64_t offset)
      : path_(path), offset_(offset), file_(platform::OpenFile(path, platform::OpenMode::kRead)) {
    if (!file_.IsOpen()) Fail(ErrorKind::kIo, Quoted(path), " cannot be opened: ", ReasonOf(errno), ".");
  }

  /// Appends n bytes, or fewer at the end of the file.
  void Append(std::int64_t n, std::vector<char>* buffer) {
    auto size = buffer->size();
    auto const end = size + static_cast<std::size_t>(n);
    buffer->resize(end);
    while (size < end) {
      auto const got = platform::ReadAt(file_.Get(), buffer->data() + size, end - size, offset_);
      if (got < 0) Fail(ErrorKind::kIo, Quoted(path_), " cannot be read: ", ReasonOf(errno), ".");
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
      offset_ += got;
    }
    buffer->resize(size);
  }

  /// Reads on, `n_bytes` at a time, until the buffer ends with the end of its last line.
  void CompleteLastLine(std::int64_t n_bytes, std::vector<char>* buffer) {
    auto searched = buffer->size() - 1;
    while (searched < buffer->size()) {
      auto const newline = std::find(buffer->begin() + static_cast<std::ptrdiff_t>(searched), buffer->end(), '\n');
      if (newline != buffer->end()) {
        buffer->erase(newline + 1, buffer->end());
        return;
      }
      if (buffer->size() > static_cast<std::size_t>(TextFile::kMostLineBytes)) {
        Fail(ErrorKind::kData, Quoted(path_), " has a line of more than ", TextFile::kMostLineBytes,
             " bytes; is it a text file?");
      }
      searched = buffer->size();
      Append(n_bytes, buffer);
    }
  }

 private:
  std::string const& path_;
  std::int64_t offset_;
  Descriptor file_;
};

/// Returns the text without a byte order mark, which only the first block can have.
Span<char const> WithoutMark(std::int64_t block, Span<char const> text) {
  auto const length = kByteOrderMark.size();
  auto const has_mark =
      block == 0 && text.size() >= length && std::equal(kByteOrderMark.begin(), kByteOrderMark.end(), text.begin());
  return has_mark ? text.subspan(length, text.size() - length) : text;
}

/// Returns the beginning of the first line that begins at `place` or later.
std::size_t LineFrom(std::string const& text, std::int64_t place) {
  if (place == 0) return 0;
  return std::min(text.find('\n', static_cast<std::size_t>(place) - 1), text.size() - 1) + 1;
}

}  // namespace

std::string ShowText(char const* begin, char const* end) {
  return Quoted({begin, static_cast<std::size_t>(end - begin)}, kShownCharacters);
}

TextFile::TextFile(std::string const& path, std::int64_t block_bytes)
    : path_(IsStandardInput(path) ? "standard input" : path),
      block_bytes_(block_bytes),
      text_(ReadWholeText(path, kMostLineBytes)),
      size_(text_ == nullptr ? CheckedSize(path) : static_cast<std::int64_t>(text_->size())) {}

Span<char const> TextFile::ReadBlock(std::int64_t block, std::vector<char>* buffer) const {
  if (text_ == nullptr) return ReadFileBlock(block, buffer);
  auto const begin = block * block_bytes_;
  auto const first = LineFrom(*text_, begin);
  auto const last = LineFrom(*text_, std::min(begin + block_bytes_, size_));
  return WithoutMark(block, {text_->data() + first, last - first});
}

Span<char const> TextFile::ReadFileBlock(std::int64_t block, std::vector<char>* buffer) const {
  auto const begin = block * block_bytes_;
  auto const end = std::min(begin + block_bytes_, size_);
  auto const from = begin == 0 ? 0 : begin - 1;  // the byte before shows whether a line begins here
  Stream stream(path_, from);
  buffer->clear();
  stream.Append(end - from, buffer);
  if (static_cast<std::int64_t>(buffer->size()) != end - from) {
    Fail(ErrorKind::kIo, Quoted(path_), " ends at byte ", from + static_cast<std::int64_t>(buffer->size()),
         ", but had ", size_, " bytes when it was opened; it was changed while it was being read.");
  }
  std::size_t first = 0;
  if (begin > 0) {
    auto const newline = std::find(buffer->begin(), buffer->end(), '\n');
    if (buffer->end() - newline <= 1) return {};
    first = static_cast<std::size_t>(newline - buffer->begin()) + 1;
  }
  stream.CompleteLastLine(std::min(block_bytes_, kBytesToLineEnd), buffer);
  return WithoutMark(block, {buffer->data() + first, buffer->size() - first});
}

std::vector<std::int64_t> TextFile::ParseBlocks(Context const& ctx, ParseBlock const& parse, Part const& part) const {
  auto const n_blocks = static_cast<std::size_t>(part.last - part.first);
  std::vector<std::int64_t> lines_before(n_blocks + 1, 0);
  std::vector<std::optional<LineFault>> faults(n_blocks);
  ParallelFor(ctx, part.last - part.first, [&](std::int64_t block) {
    auto const index = static_cast<std::size_t>(block);
    std::vector<char> buffer;
    auto const text = ReadBlock(part.first + block, &buffer);
    faults[index] = parse(text, part.first + block, &lines_before[index + 1]);
  });
  lines_before[0] = part.n_lines;
  for (std::size_t block = 0; block < n_blocks; ++block) {
    if (faults[block]) FailAtLine(lines_before[block] + faults[block]->line, faults[block]->message);
    lines_before[block + 1] += lines_before[block];
  }
  return lines_before;
}

void TextFile::FailAtLine(std::int64_t line, std::string const& message) const {
  Fail(ErrorKind::kData, path_, ", line ", line, ": ", message);
}

void TextFile::FailWithoutRows() const { Fail(ErrorKind::kData, path_, " has no rows."); }

void RefuseUnknownKeys(ParamMap const& params, ParameterTable const& table, char const* format) {
  std::vector<std::string> known;
  std::string list;
  for (auto const& parameter : table) {
    known.push_back(parameter.name);
    list += (list.empty() ? "" : ", ") + parameter.name;
  }
  for (auto const& [name, value] : params) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    auto const nearest = NearestName(name, known);
    Fail(ErrorKind::kParameter, "format=", format, " does not know ", Quoted(name),
         nearest.empty() ? "." : "; did you mean '" + nearest + "'?", " Known: ", list.empty() ? "nothing" : list, ".");
  }
}

}  // namespace kauri
