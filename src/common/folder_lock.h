/// \file One training at a time in a folder of checkpoints.
#pragma once

#include <string>

#include "common/descriptor.h"

namespace kauri {

/// Holds a file `.kauri.lock` in a folder, locked for as long as this lives; the lock dies with the process, so that
/// what a kill leaves is no obstacle. Advisory: only who asks for it is kept out. On file systems without locks it
/// warns and keeps nobody out.
class FolderLock {
 public:
  /// role: what gives the folder, as in model_dir. \throws Error(kIo) when another process, or another one in this
  /// process, has the folder, or it cannot be written to.
  FolderLock(std::string const& folder, char const* role);
  ~FolderLock();
  FolderLock(FolderLock const&) = delete;
  FolderLock& operator=(FolderLock const&) = delete;

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace kauri
