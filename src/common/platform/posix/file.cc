#include "common/platform/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace kauri::platform {
namespace {

/// Repeats a call while a signal interrupts it.
template <typename Call>
auto Uninterrupted(Call const& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Returns the result of a call as 0 or an errno.
int ErrorOf(int result) { return result == 0 ? 0 : errno; }

FileKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kFolder;
  return S_ISFIFO(mode) ? FileKind::kPipe : FileKind::kOther;
}

void Take(struct stat const& found, FileStatus* status) {
  constexpr unsigned kPermissions = 07777;
  status->kind = KindOf(found.st_mode);
  status->n_bytes = static_cast<std::uint64_t>(found.st_size);
  status->modified = found.st_mtime;
  status->permissions = found.st_mode & kPermissions;
  status->device = static_cast<std::uint64_t>(found.st_dev);
  status->number = static_cast<std::uint64_t>(found.st_ino);
}

}  // namespace

char const* const kPathSeparators = "/";

int OpenFile(std::string const& path, OpenMode mode) {
  auto const open_with = [&](int flags, unsigned permissions) {
    return open(path.c_str(), flags | O_CLOEXEC, permissions);
  };
  switch (mode) {
    case OpenMode::kRead:
      return open_with(O_RDONLY | O_NONBLOCK, 0);
    case OpenMode::kReadEntry:
      return open_with(O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
    case OpenMode::kWrite:
      return open_with(O_WRONLY, 0);
    case OpenMode::kNew:
      return open_with(O_WRONLY | O_CREAT | O_EXCL, 0666);
    case OpenMode::kLock:
      return open_with(O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    case OpenMode::kUnnamed:
      break;
  }
  auto const file = open_with(O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (file >= 0) unlink(path.c_str());
  return file;
}

int CloseFile(int file) { return ErrorOf(close(file)); }

std::ptrdiff_t ReadFrom(int file, char* to, std::size_t n_bytes) {
  return Uninterrupted([&] { return read(file, to, n_bytes); });
}

std::ptrdiff_t ReadAt(int file, char* to, std::size_t n_bytes, std::int64_t offset) {
  return Uninterrupted([&] { return pread(file, to, n_bytes, static_cast<off_t>(offset)); });
}

std::ptrdiff_t WriteTo(int file, char const* bytes, std::size_t n_bytes) {
  return Uninterrupted([&] { return write(file, bytes, n_bytes); });
}

std::ptrdiff_t WriteAt(int file, char const* bytes, std::size_t n_bytes, std::int64_t offset) {
  return Uninterrupted([&] { return pwrite(file, bytes, n_bytes, static_cast<off_t>(offset)); });
}

void AwaitInput(int file, int milliseconds) {
  pollfd waiting{file, POLLIN, 0};
  poll(&waiting, 1, milliseconds);
}

bool GetStatus(std::string const& path, FileStatus* status) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return false;
  Take(found, status);
  return true;
}

bool GetEntryStatus(std::string const& path, FileStatus* status) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return false;
  Take(found, status);
  return true;
}

bool GetStatus(int file, FileStatus* status) {
  struct stat found {};
  if (fstat(file, &found) != 0) return false;
  Take(found, status);
  return true;
}

int SyncFile(int file) {
  if (fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP) return 0;
  return errno;
}

void SyncFolder(std::string const& path) {
  Descriptor const folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.IsOpen()) fsync(folder.Get());
}

int EmptyFile(int file) { return ErrorOf(ftruncate(file, 0)); }

int SetPermissions(int file, unsigned permissions) { return ErrorOf(fchmod(file, static_cast<mode_t>(permissions))); }

int RenameFile(std::string const& from, std::string const& to) {
  return ErrorOf(std::rename(from.c_str(), to.c_str()));
}

void RemoveFile(std::string const& path) { unlink(path.c_str()); }

bool IsWritable(std::string const& path) { return access(path.c_str(), W_OK) == 0; }

bool IsOutOfSpace(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

bool IsTerminal(int file) { return isatty(file) == 1; }

bool HasNoReader(int file) {
  pollfd output{file, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace kauri::platform
