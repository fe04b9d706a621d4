/// \file A file that only this process sees: where data lie that memory has no room for.
#pragma once

#include <cstdint>
#include <string>

#include "kauri/span.h"

namespace kauri {

/// The file has no name as soon as it is made, so the system frees its room when this object or the process ends, in
/// whatever way. Reads may come from many threads.
class PageFile {
 public:
  /// Makes a file beside `prefix`, which is a path; empty: in the folder for temporary files. Nobody else can open it.
  /// \throws Error(kIo) with the place and the cure.
  explicit PageFile(std::string const& prefix);
  ~PageFile();
  PageFile(PageFile const&) = delete;
  PageFile& operator=(PageFile const&) = delete;

  /// Sets room aside, where the file system can, so that a full disk shows before the work. \throws Error(kIo).
  void Reserve(std::int64_t n_bytes) const;
  /// \throws Error(kIo) with the place, the position and, for a full disk, the cure.
  void Write(std::int64_t offset, Span<char const> bytes) const;
  /// \throws Error(kIo), also where the file ends before.
  void Read(std::int64_t offset, Span<char> bytes) const;

 private:
  std::string place_;  ///< the path that it had, for messages
  int descriptor_ = -1;
};

}  // namespace kauri
