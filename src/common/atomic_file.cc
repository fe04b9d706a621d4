#include "common/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace kauri {
namespace {

/// The text of an errno; strerror is not safe from several threads.
std::string ReasonOf(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;

  int Get() const { return number_; }
  bool IsOpen() const { return number_ >= 0; }
  /// \returns 0 or an errno: a file system may report a failed write only here.
  int Close() {
    auto const result = close(number_);
    number_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int number_;
};

/// \returns 0 or an errno.
int WriteAll(int descriptor, Span<char const> bytes) {
  while (!bytes.empty()) {
    auto const written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    auto const count = static_cast<std::size_t>(written);
    bytes = bytes.subspan(count, bytes.size() - count);
  }
  return 0;
}

[[noreturn]] void FailToWrite(std::string const& path, std::size_t size, int error) {
  bool const full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  Fail(ErrorKind::kIo, "cannot write '", path, "' (", size, " bytes): ", ReasonOf(error),
       ". An older file of that name is unchanged. ",
       full ? "Make room or choose another place." : "Check the folder and its permissions.");
}

std::string FolderOf(std::string const& path) {
  auto const slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// What `path` leads to through symbolic links; `path` itself where nothing is there yet.
std::string Resolve(std::string const& path) {
  auto* resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string const result = resolved;
  std::free(resolved);
  return result;
}

/// A new file beside `path`; *name becomes its name. \returns a descriptor or -1 with errno set.
int OpenBeside(std::string const& path, std::string* name) {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    *name = path + ".new-" + std::to_string(getpid()) + "-" + std::to_string(i);
    auto const descriptor = open(name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

/// Without this the rename itself could be lost in a crash. Some file systems cannot do it, which is no failure.
void SyncFolder(std::string const& folder) {
  Descriptor const descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.IsOpen()) fsync(descriptor.Get());
}

/// \returns 0 or an errno.
int WritePieces(int descriptor, Span<Span<char const> const> pieces) {
  for (auto const& piece : pieces) {
    if (auto const error = WriteAll(descriptor, piece)) return error;
  }
  return 0;
}

std::size_t TotalSize(Span<Span<char const> const> pieces) {
  std::size_t size = 0;
  for (auto const& piece : pieces) size += piece.size();
  return size;
}

/// \returns 0 or an errno. Takes over the permissions of `old_file` unless it is nullptr.
int WriteNewFile(Descriptor* file, Span<Span<char const> const> pieces, struct stat const* old_file) {
  if (auto const error = WritePieces(file->Get(), pieces)) return error;
  if (old_file != nullptr && fchmod(file->Get(), old_file->st_mode & 07777U) != 0) return errno;
  if (fsync(file->Get()) != 0 && errno != EINVAL && errno != ENOTSUP) return errno;
  return file->Close();
}

void WriteDirectly(std::string const& path, Span<Span<char const> const> pieces) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  auto const error = file.IsOpen() ? WritePieces(file.Get(), pieces) : errno;
  if (error != 0) Fail(ErrorKind::kIo, "cannot write ", TotalSize(pieces), " bytes to '", path, "': ", ReasonOf(error));
}

}  // namespace

std::string ReadFile(std::string const& path) {
  auto const fail = [&](std::string const& reason) { Fail(ErrorKind::kIo, "cannot read '", path, "': ", reason); };
  Descriptor const file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.IsOpen()) fail(ReasonOf(errno) + ". Check the path.");
  struct stat status {};
  if (fstat(file.Get(), &status) != 0) fail(ReasonOf(errno));
  if (S_ISDIR(status.st_mode)) fail("it is a folder; give the path of a file.");
  // One byte more than the size that is known, so that the end is seen without growing.
  std::string bytes(static_cast<std::size_t>(std::max<off_t>(status.st_size, 4095)) + 1, '\0');
  std::size_t size = 0;
  for (bool done = false; !done;) {
    if (size == bytes.size()) bytes.resize(2 * size);
    auto const count = read(file.Get(), &bytes[size], bytes.size() - size);
    if (count < 0 && errno != EINTR) fail(ReasonOf(errno));
    done = count == 0;
    size += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  bytes.resize(size);
  if (bytes.empty()) fail("it is empty.");
  return bytes;
}

void WriteFileAtomically(std::string const& path, Span<char const> bytes) {
  WriteFileAtomically(path, Span<Span<char const> const>(&bytes, 1));
}

void WriteFileAtomically(std::string const& path, Span<Span<char const> const> pieces) {
  struct stat old_file {};
  bool const exists = stat(path.c_str(), &old_file) == 0;
  if (exists && S_ISDIR(old_file.st_mode)) {
    Fail(ErrorKind::kIo, "cannot write '", path, "': it is a folder; give the path of a file.");
  }
  if (exists && !S_ISREG(old_file.st_mode)) return WriteDirectly(path, pieces);
  auto const target = Resolve(path);
  std::string name;
  Descriptor file(OpenBeside(target, &name));
  if (!file.IsOpen()) FailToWrite(path, TotalSize(pieces), errno);
  auto error = WriteNewFile(&file, pieces, exists ? &old_file : nullptr);
  if (error == 0 && rename(name.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(name.c_str());
    FailToWrite(path, TotalSize(pieces), error);
  }
  SyncFolder(FolderOf(target));
}

}  // namespace kauri
