#include "common/files/folder_lock.h"

#include <array>

#include "common/platform/process.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Returns whether the path still leads to the open file, not to nothing or to the file of a later process.
bool IsSameFile(std::string const& path, int descriptor) {
  platform::FileStatus named;
  platform::FileStatus opened;
  if (!platform::GetStatus(path, &named) || !platform::GetStatus(descriptor, &opened)) return false;
  return named.number == opened.number && named.device == opened.device;
}

/// Returns the owner of the lock, as written in the file; empty if unknown.
std::string OwnerOf(int descriptor) {
  std::array<char, 32> text;
  auto const size = platform::ReadAt(descriptor, text.data(), text.size(), 0);
  return size > 0 ? " (process " + std::string(text.data(), static_cast<std::size_t>(size)) + ")" : "";
}

void WriteOwner(int descriptor) {
  auto const own = std::to_string(platform::ProcessId());
  // the owner's number is only informative
  if (platform::EmptyFile(descriptor) == 0) static_cast<void>(platform::WriteAt(descriptor, own.data(), own.size(), 0));
}

/// Returns false if the file system has no locks.
bool TakeLock(std::string const& folder, char const* role, int descriptor) {
  auto const outcome = platform::TryLock(descriptor);
  if (outcome == platform::LockOutcome::kTaken) return true;
  if (outcome == platform::LockOutcome::kHeldByAnother) {
    Fail(ErrorKind::kIo, role, "=", Quoted(folder), " is in use by another training", OwnerOf(descriptor),
         "; wait until it ends, or give each training a folder of its own.");
  }
  Log(LogLevel::kWarning, "The folder ", Quoted(folder), " has no locks (", ReasonOf(errno),
      "); let no other training use it.");
  return false;
}

}  // namespace

FolderLock::FolderLock(std::string const& folder, char const* role)
    : path_((folder.empty() ? "." : folder) + "/.kauri.lock"), file_(-1) {
  auto has_locks = true;
  do {  // its owner deletes the file at the end; a lock taken on the deleted file is worthless, so try again
    file_.Replace(platform::OpenFile(path_, platform::OpenMode::kLock));
    if (!file_.IsOpen()) {
      Fail(ErrorKind::kIo, role, "=", Quoted(folder), " cannot be locked for this training: ", ReasonOf(errno),
           ". Give a folder that exists and can be written to.");
    }
    has_locks = TakeLock(folder, role, file_.Get());
  } while (has_locks && !IsSameFile(path_, file_.Get()));
  WriteOwner(file_.Get());
}

FolderLock::~FolderLock() {
  if (IsSameFile(path_, file_.Get())) platform::RemoveFile(path_);
}

}  // namespace kauri
