/// \file A file that only this process sees, for data that do not fit into memory.
#pragma once

#include <cstdint>
#include <string>

#include "kauri/span.h"

namespace kauri {

/// A file without a name: it is unlinked as soon as it is made, so the system frees its space when this object or the
/// process ends, in whatever way. Many threads may read at the same time.
class PageFile {
 public:
  /// Makes a file beside `prefix`, which is a path; an empty prefix selects the folder for temporary files. No other
  /// user can open it. \throws Error(kIo) with the place and the cure.
  explicit PageFile(std::string const& prefix);
  ~PageFile();
  PageFile(PageFile const&) = delete;
  PageFile& operator=(PageFile const&) = delete;

  /// Reserves space if the file system supports it, so that a full disk is reported before the work begins. \throws
  /// Error(kIo).
  void Reserve(std::int64_t n_bytes) const;
  /// Writes the bytes at `offset`. \throws Error(kIo) with the place, the size and, for a full disk, the cure.
  void Write(std::int64_t offset, Span<char const> bytes) const;
  /// Reads the bytes at `offset`. \throws Error(kIo), also if the file ends too early.
  void Read(std::int64_t offset, Span<char> bytes) const;

 private:
  std::string place_;  ///< the former path, for messages
  int descriptor_ = -1;
};

}  // namespace kauri
