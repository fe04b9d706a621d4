/// \file Ensures that one training at a time uses a folder of checkpoints.
#pragma once

#include <string>

#include "common/files/read_file.h"

namespace kauri {

/// Holds a file `.kauri.lock` in a folder, locked for the lifetime of this object. The lock ends with the process, so a
/// killed process leaves no obstacle. Advisory: it excludes only processes that also take it. On file systems without
/// locks it warns and excludes nobody.
class FolderLock {
 public:
  /// role: the parameter that names the folder, such as model_dir. \throws Error(kIo) when another process, or another
  /// lock in this process, has the folder, or it cannot be written to.
  FolderLock(std::string const& folder, char const* role);
  ~FolderLock();
  FolderLock(FolderLock const&) = delete;
  FolderLock& operator=(FolderLock const&) = delete;

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace kauri
