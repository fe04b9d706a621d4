/// \file Texts without random access, which are held in memory as a whole: gzip, and standard input.
///
/// Gunzip unpacks gzip (RFC 1952) as a stream: one member after the other; zeros after a member are skipped.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kauri/span.h"

namespace kauri {

/// Returns whether bytes with this beginning are gzip. Fewer than two bytes are not.
bool IsGzip(Span<char const> bytes);

class Gunzip {
 public:
  using Take = std::function<void(Span<char const> bytes)>;

  /// `name`: the name of the data in messages. `take` receives the unpacked bytes, piece by piece, and may throw.
  Gunzip(std::string name, Take take);
  ~Gunzip();
  Gunzip(Gunzip const&) = delete;
  Gunzip& operator=(Gunzip const&) = delete;

  /// Unpacks more bytes. \throws Error(kData) for data that are damaged or not gzip, with the position.
  void Add(Span<char const> bytes);
  /// Ends the input. \throws Error(kData) in the middle of a member.
  void Finish() const;

 private:
  void Inflate();

  std::string name_;
  Take take_;
  z_stream stream_{};
  bool in_member_ = true;
  std::int64_t n_members_ = 0;  ///< complete members
};

/// Returns true for "-" or "/dev/stdin".
bool IsStandardInput(std::string const& path);

/// Returns whether ReadWholeText would read it: standard input, or a file whose content begins like gzip, whatever its
/// name.
bool IsReadWhole(std::string const& path);

/// Returns the text of standard input, unpacked if it is gzip, or of a gzip file; null for any other file, including a
/// file that cannot be opened. The unpacked size is limited: reading stops with an error at a line of more than
/// most_line_bytes, or at a text larger than the memory of this machine. Standard input can be read once. \throws
/// Error(kIo) if it cannot be read or is a terminal; Error(kData) for damaged gzip, a line that is too long, and empty
/// standard input; Error(kMemory).
std::shared_ptr<std::string const> ReadWholeText(std::string const& path, std::int64_t most_line_bytes);

}  // namespace kauri
