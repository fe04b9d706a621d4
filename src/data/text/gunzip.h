/// \file gzip (RFC 1952), unpacked as its bytes come: one member after the other, zeros after a member passed over.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <functional>
#include <string>

#include "kauri/span.h"

namespace kauri {

/// Whether bytes that begin so are packed. Fewer than two are not.
bool IsGzip(Span<char const> bytes);

class Gunzip {
 public:
  using Take = std::function<void(Span<char const> bytes)>;

  /// `name`: what messages call the bytes. `take` gets what they unpack to, piece by piece, and may throw.
  Gunzip(std::string name, Take take);
  ~Gunzip();
  Gunzip(Gunzip const&) = delete;
  Gunzip& operator=(Gunzip const&) = delete;

  /// \throws Error(kData) for what is damaged, or no gzip, with its place.
  void Add(Span<char const> bytes);
  /// After the last bytes. \throws Error(kData) in the middle of a member.
  void Finish() const;

 private:
  void Inflate();

  std::string name_;
  Take take_;
  z_stream stream_{};
  bool in_member_ = true;
  std::int64_t n_members_ = 0;  ///< that are whole
};

}  // namespace kauri
