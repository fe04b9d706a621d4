/// \file Files of the operating system: operations that the standard library lacks.
///
/// A file is a descriptor, a small number, on every system. The functions report errors as POSIX does: by an errno, or
/// by -1 with errno set. A call that a signal interrupts is repeated. Paths are UTF-8.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

namespace kauri {
namespace platform {

constexpr int kStandardInput = 0;
constexpr int kStandardOutput = 1;
constexpr int kStandardError = 2;
constexpr std::size_t kMostNameBytes = 255;  ///< the longest name of a file in its folder
extern char const* const kPathSeparators;    ///< the characters that separate the parts of a path

enum class OpenMode {
  kRead,       ///< a file that exists; does not wait for the writer of a pipe
  kReadEntry,  ///< the same, but fails for a symbolic link
  kWrite,      ///< a file that exists
  kNew,        ///< a file that does not exist, to write
  kLock,       ///< a file that exists or not, to read and write, but no symbolic link
  kUnnamed     ///< a file that does not exist, to read and write, for this user; it loses its name at once
};

/// Opens a file. \returns a descriptor, or -1 with errno set.
int OpenFile(std::string const& path, OpenMode mode);
/// Closes a file. \returns 0 or an errno: a file system may report a failed write only here.
int CloseFile(int file);

/// Reads up to `n_bytes` from where the file stands. \returns their number, 0 at the end, or -1 with errno set.
std::ptrdiff_t ReadFrom(int file, char* to, std::size_t n_bytes);
/// Reads up to `n_bytes` at `offset`, likewise. Many threads may read at once.
std::ptrdiff_t ReadAt(int file, char* to, std::size_t n_bytes, std::int64_t offset);
/// Writes up to `n_bytes` where the file stands. \returns their number, or -1 with errno set.
std::ptrdiff_t WriteTo(int file, char const* bytes, std::size_t n_bytes);
/// Writes up to `n_bytes` at `offset`, likewise.
std::ptrdiff_t WriteAt(int file, char const* bytes, std::size_t n_bytes, std::int64_t offset);
/// Waits until there is something to read, at most so many milliseconds; below 0: without a limit.
void AwaitInput(int file, int milliseconds);

enum class FileKind { kRegular, kFolder, kPipe, kOther };

struct FileStatus {
  FileKind kind = FileKind::kOther;
  std::uint64_t n_bytes = 0;
  std::int64_t modified = 0;  ///< when it was last written, in seconds like std::time
  unsigned permissions = 0;   ///< 0 on systems that have others
  std::uint64_t device = 0;   ///< device and number together identify a file
  std::uint64_t number = 0;
};

/// Returns false, with errno set, if there is no such file. Follows symbolic links.
bool GetStatus(std::string const& path, FileStatus* status);
/// Returns the status of the entry itself, of kind kOther for a symbolic link.
bool GetEntryStatus(std::string const& path, FileStatus* status);
bool GetStatus(int file, FileStatus* status);

enum class LockOutcome { kTaken, kHeldByAnother, kNotSupported };

/// Locks an open file without waiting. The lock ends with the process; errno tells the reason of kNotSupported.
LockOutcome TryLock(int file);

/// Writes what was written to the disk. \returns 0, also if the file system has no such operation, or an errno.
int SyncFile(int file);
/// Writes a folder's entries to the disk; otherwise a crash could lose a rename. Some file systems do not support it,
/// which is not an error.
void SyncFolder(std::string const& path);
/// Reserves space on the disk. \returns 0, also if the file system has no such operation, or an errno.
int ReserveSpace(int file, std::int64_t n_bytes);
/// Removes all bytes of a file. \returns 0 or an errno.
int EmptyFile(int file);
/// Sets the permissions that FileStatus tells. \returns 0 or an errno.
int SetPermissions(int file, unsigned permissions);

/// Gives a file another name, in one step; a file of that name is replaced. Windows refuses that while a process has
/// the other file open. \returns 0 or an errno.
int RenameFile(std::string const& from, std::string const& to);
/// Deletes a name; who has the file open may go on using it.
void RemoveFile(std::string const& path);
/// Returns whether this process may write to a file; if not, errno is set.
bool IsWritable(std::string const& path);

/// Returns whether an errno says that there is no space for a file.
bool IsOutOfSpace(int error);

/// Returns true for a terminal.
bool IsTerminal(int file);
/// Returns the width of the terminal on the standard error stream; 0 if unknown.
int NumTerminalColumns();
/// Returns whether the reader of a pipe is known to be gone.
bool HasNoReader(int file);

}  // namespace platform

/// Returns the text of an errno; strerror is not thread-safe.
inline std::string ReasonOf(int error) { return std::generic_category().message(error); }

/// An open file.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) platform::CloseFile(number_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;

  int Get() const { return number_; }
  bool IsOpen() const { return number_ >= 0; }
  void Replace(int number) {
    if (number_ >= 0) platform::CloseFile(number_);
    number_ = number;
  }
  /// Closes the file. \returns 0 or an errno.
  int Close() {
    auto const error = platform::CloseFile(number_);
    number_ = -1;
    return error;
  }

 private:
  int number_;
};

}  // namespace kauri
