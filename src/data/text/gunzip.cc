#include "data/text/gunzip.h"

#include <array>
#include <new>
#include <utility>

#include "common/text/quoted.h"
#include "kauri/error.h"

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

}  // namespace kauri
