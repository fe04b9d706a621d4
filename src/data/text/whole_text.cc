#include "data/text/whole_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "common/files/read_file.h"
#include "common/platform/memory.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/span.h"

namespace kauri {
namespace {

constexpr int kGzipWithLargestWindow = 15 + 16;  // zlib's code for gzip with the largest window
constexpr std::size_t kPieceBytes = 1 << 16;

}  // namespace

bool IsGzip(Span<char const> bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

Gunzip::Gunzip(std::string name, Take take) : name_(std::move(name)), take_(std::move(take)) {
  if (inflateInit2(&stream_, kGzipWithLargestWindow) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

void Gunzip::Add(Span<char const> bytes) {
  // zlib does not write to its input.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  while (stream_.avail_in > 0) {
    if (!in_member_ && *stream_.next_in == 0) {  // writers may pad their last block with zeros
      ++stream_.next_in;
      --stream_.avail_in;
      continue;
    }
    if (!in_member_) inflateReset(&stream_);
    in_member_ = true;
    Inflate();
  }
}

/// Unpacks the input of the stream, up to the end of the member.
void Gunzip::Inflate() {
  std::array<char, kPieceBytes> piece;
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_out = static_cast<uInt>(piece.size());
    auto const result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      Fail(ErrorKind::kData, Quoted(name_),
           " is not valid gzip: ", stream_.msg == nullptr ? "it needs a dictionary" : stream_.msg, " after ",
           stream_.total_in, " bytes of its member ", n_members_ + 1,
           "; get the file again, or unpack it with a tool that repairs.");
    }
    take_({piece.data(), piece.size() - stream_.avail_out});
    if (result == Z_STREAM_END) {
      in_member_ = false;
      ++n_members_;
      return;
    }
  } while (stream_.avail_out == 0);
}

void Gunzip::Finish() const {
  if (!in_member_) return;
  Fail(ErrorKind::kData, Quoted(name_), " is cut off: its gzip member ", n_members_ + 1, " does not end within ",
       stream_.total_in, " bytes; get the file again.");
}

namespace {

constexpr std::size_t kMagicBytes = 2;

/// Reads up to the size of `to`, less only at the end. \throws Error(kIo).
std::size_t ReadFully(int file, Span<char> to, std::string const& name) {
  std::size_t size = 0;
  while (size < to.size()) {
    auto const got = platform::ReadFrom(file, to.data() + size, to.size() - size);
    if (got < 0) Fail(ErrorKind::kIo, Quoted(name), " cannot be read: ", ReasonOf(errno), ".");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

/// A text that grows piece by piece, within limits.
class BoundedText {
 public:
  BoundedText(std::string name, std::int64_t most_line_bytes)
      : name_(std::move(name)), most_line_bytes_(most_line_bytes) {}

  void Append(Span<char const> bytes) {
    text_.append(bytes.data(), bytes.size());
    auto const newline =
        std::find(std::make_reverse_iterator(bytes.end()), std::make_reverse_iterator(bytes.begin()), '\n');
    auto const after_newline = newline.base();
    in_line_ = static_cast<std::int64_t>(bytes.end() - after_newline) + (after_newline == bytes.begin() ? in_line_ : 0);
    if (in_line_ > most_line_bytes_) {
      Fail(ErrorKind::kData, Quoted(name_), " has a line of more than ", most_line_bytes_,
           " bytes; is it a text file?");
    }
    if (static_cast<std::int64_t>(text_.size()) > limit_) {
      Fail(ErrorKind::kMemory, Quoted(name_), " holds more than the ", limit_,
           " bytes of this machine's memory; split it, or unpack it and read it with a cache (#name after its path).");
    }
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string name_;
  std::int64_t most_line_bytes_;
  std::int64_t limit_ = platform::BytesOfMemory();
  std::int64_t in_line_ = 0;  ///< bytes after the last line end
  std::string text_;
};

/// Returns the rest of an open file, unpacked if it is gzip.
std::string ReadRest(int file, std::string const& name, std::int64_t most_line_bytes) {
  BoundedText text(name, most_line_bytes);
  std::optional<Gunzip> gunzip;
  std::array<char, kPieceBytes> memory;
  auto const piece = [&] {
    return Span<char const>(memory.data(), ReadFully(file, {memory.data(), memory.size()}, name));
  };
  auto bytes = piece();
  if (IsGzip(bytes)) gunzip.emplace(name, [&](Span<char const> unpacked) { text.Append(unpacked); });
  for (; !bytes.empty(); bytes = piece()) {
    if (gunzip) {
      gunzip->Add(bytes);
    } else {
      text.Append(bytes);
    }
  }
  if (gunzip) gunzip->Finish();
  return text.Take();
}

bool BeginsAsGzip(int file) {
  std::array<char, kMagicBytes> magic{};
  return platform::ReadAt(file, magic.data(), magic.size(), 0) == static_cast<std::ptrdiff_t>(magic.size()) &&
         IsGzip({magic.data(), magic.size()});
}

std::shared_ptr<std::string const> ReadStandardInput(std::int64_t most_line_bytes) {
  if (platform::IsTerminal(platform::kStandardInput)) {
    Fail(ErrorKind::kIo, "standard input is a terminal; send it a file or the output of a program.");
  }
  auto text =
      std::make_shared<std::string const>(ReadRest(platform::kStandardInput, "standard input", most_line_bytes));
  if (text->empty()) {
    Fail(ErrorKind::kData,
         "there is nothing on standard input; it can be read once, so give other data by their path.");
  }
  return text;
}

}  // namespace

bool IsStandardInput(std::string const& path) { return path == "-" || path == "/dev/stdin"; }

bool IsReadWhole(std::string const& path) {
  if (IsStandardInput(path)) return true;
  Descriptor const file(platform::OpenFile(path, platform::OpenMode::kRead));
  return file.IsOpen() && BeginsAsGzip(file.Get());
}

std::shared_ptr<std::string const> ReadWholeText(std::string const& path, std::int64_t most_line_bytes) {
  if (IsStandardInput(path)) return ReadStandardInput(most_line_bytes);
  Descriptor const file(platform::OpenFile(path, platform::OpenMode::kRead));
  if (!file.IsOpen() || !BeginsAsGzip(file.Get())) return nullptr;
  return std::make_shared<std::string const>(ReadRest(file.Get(), path, most_line_bytes));
}

}  // namespace kauri
