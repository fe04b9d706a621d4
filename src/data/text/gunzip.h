/// \file Streaming decompression of gzip (RFC 1952): one member after the other; zeros after a member are skipped.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <functional>
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

}  // namespace kauri
