#include "common/platform/file.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "common/platform/windows/errors.h"

namespace kauri::platform {
namespace {

HANDLE HandleOf(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

/// How CreateFileW opens a file.
struct OpenFlags {
  DWORD access;
  DWORD creation;
  DWORD attributes;
};

OpenFlags FlagsOf(OpenMode mode) {
  constexpr DWORD kUsual = FILE_ATTRIBUTE_NORMAL;
  switch (mode) {
    case OpenMode::kRead:  // folders open, too, so that their status says what they are
      return {GENERIC_READ, OPEN_EXISTING, kUsual | FILE_FLAG_BACKUP_SEMANTICS};
    case OpenMode::kReadEntry:
      return {GENERIC_READ, OPEN_EXISTING, kUsual | FILE_FLAG_OPEN_REPARSE_POINT};
    case OpenMode::kWrite:
      return {GENERIC_WRITE, OPEN_EXISTING, kUsual};
    case OpenMode::kNew:
      return {GENERIC_WRITE, CREATE_NEW, kUsual};
    case OpenMode::kLock:
      return {GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, kUsual | FILE_FLAG_OPEN_REPARSE_POINT};
    case OpenMode::kUnnamed:
      break;
  }
  return {GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE};
}

/// The place of a call that reads or writes at an offset.
OVERLAPPED PlaceAt(std::int64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32U);
  return place;
}

/// Puts back where a file is read and written next, which calls with an offset move on Windows. Threads that use
/// offsets at the same time may leave another place, so nobody reads such a file from where it stands.
class KeepPlace {
 public:
  explicit KeepPlace(HANDLE file) : file_(file) {
    is_known_ = SetFilePointerEx(file_, LARGE_INTEGER{}, &place_, FILE_CURRENT) != 0;
  }
  ~KeepPlace() {
    if (is_known_) SetFilePointerEx(file_, place_, nullptr, FILE_BEGIN);
  }
  KeepPlace(KeepPlace const&) = delete;
  KeepPlace& operator=(KeepPlace const&) = delete;

 private:
  HANDLE file_;
  LARGE_INTEGER place_{};
  bool is_known_;
};

/// Returns a number of bytes that one call can take.
DWORD InOneCall(std::size_t n_bytes) { return static_cast<DWORD>(std::min<std::size_t>(n_bytes, 1U << 30U)); }

std::ptrdiff_t Read(int file, char* to, std::size_t n_bytes, OVERLAPPED* place) {
  DWORD done = 0;
  if (ReadFile(HandleOf(file), to, InOneCall(n_bytes), &done, place) != 0) return static_cast<std::ptrdiff_t>(done);
  auto const error = GetLastError();
  if (error == ERROR_HANDLE_EOF || error == ERROR_BROKEN_PIPE) return 0;
  SetErrno();
  return -1;
}

std::ptrdiff_t Write(int file, char const* bytes, std::size_t n_bytes, OVERLAPPED* place) {
  DWORD done = 0;
  if (WriteFile(HandleOf(file), bytes, InOneCall(n_bytes), &done, place) != 0) return static_cast<std::ptrdiff_t>(done);
  SetErrno();
  return -1;
}

/// Returns 0 for a call that did what it should, else its errno.
int ErrorUnless(bool is_done) { return is_done ? 0 : ErrnoOf(GetLastError()); }

std::int64_t SecondsOf(FILETIME const& time) {
  constexpr std::int64_t kPerSecond = 10000000;
  constexpr std::int64_t kFrom1601To1970 = 11644473600;
  auto const ticks = static_cast<std::int64_t>((std::uint64_t{time.dwHighDateTime} << 32U) | time.dwLowDateTime);
  return ticks / kPerSecond - kFrom1601To1970;
}

bool GetStatusOf(HANDLE handle, FileStatus* status) {
  auto const type = GetFileType(handle);
  if (type != FILE_TYPE_DISK) {
    status->kind = type == FILE_TYPE_PIPE ? FileKind::kPipe : FileKind::kOther;
    return true;
  }
  BY_HANDLE_FILE_INFORMATION found;
  if (GetFileInformationByHandle(handle, &found) == 0) {
    SetErrno();
    return false;
  }
  auto const is_folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  auto const is_link = (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
  status->kind = is_link ? FileKind::kOther : is_folder ? FileKind::kFolder : FileKind::kRegular;
  status->n_bytes = (std::uint64_t{found.nFileSizeHigh} << 32U) | found.nFileSizeLow;
  status->modified = SecondsOf(found.ftLastWriteTime);
  status->device = found.dwVolumeSerialNumber;
  status->number = (std::uint64_t{found.nFileIndexHigh} << 32U) | found.nFileIndexLow;
  return true;
}

constexpr std::size_t kMostUsual = 260;  // characters of a path without a mark, with the zero at the end

/// Returns a path from its drive or host on; an empty text for what is no path.
std::wstring WholePath(std::wstring const& path) {
  std::wstring whole(kMostUsual, L'\0');
  while (true) {  // another thread may give the process another folder between two calls
    auto const size = GetFullPathNameW(path.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr);
    auto const fits = size < whole.size();
    whole.resize(size);
    if (fits) return whole;
  }
}

/// Returns whether a path has the mark of those that Windows takes as they are, or of devices.
bool IsMarked(std::wstring const& path) { return path.rfind(L"\\\\?\\", 0) == 0 || path.rfind(L"\\\\.\\", 0) == 0; }

/// Returns the path as calls for files take it. Those of more than 259 characters need a mark, and to be whole.
std::wstring WidePath(std::string const& path) {
  auto wide = Wide(path);
  if (IsMarked(wide)) return wide;
  auto whole = WholePath(wide);
  if (whole.size() < kMostUsual) return wide;
  if (IsMarked(whole)) return whole;  // the path has slashes in its mark
  return whole.rfind(L"\\\\", 0) == 0 ? L"\\\\?\\UNC" + whole.substr(1) : L"\\\\?\\" + whole;
}

/// Sets errno for a call that could not open this path. Windows says only that there is no such file where a name in
/// the path is longer than any file's.
void SetErrnoOf(std::wstring const& path) {
  SetErrno();
  std::size_t length = 0;
  for (auto const letter : path) {
    length = letter == L'/' || letter == L'\\' ? 0 : length + 1;
    if (length > kMostNameBytes) errno = ENAMETOOLONG;
  }
}

/// Opens a file whose name others may delete and change while it is open, as on other systems.
HANDLE Open(std::string const& path, OpenFlags const& flags) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  auto const wide = WidePath(path);
  auto* const handle =
      CreateFileW(wide.c_str(), flags.access, kShared, nullptr, flags.creation, flags.attributes, nullptr);
  if (handle == INVALID_HANDLE_VALUE) SetErrnoOf(wide);
  return handle;
}

bool GetStatusOf(std::string const& path, DWORD flags, FileStatus* status) {
  auto* const handle = Open(path, {FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags});
  if (handle == INVALID_HANDLE_VALUE) return false;
  auto const is_known = GetStatusOf(handle, status);
  CloseHandle(handle);
  return is_known;
}

}  // namespace

char const* const kPathSeparators = "/\\";

int OpenFile(std::string const& path, OpenMode mode) {
  auto* const handle = Open(path, FlagsOf(mode));
  if (handle == INVALID_HANDLE_VALUE) return -1;
  auto const file = _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_BINARY | _O_NOINHERIT);
  if (file < 0) CloseHandle(handle);
  return file;
}

int CloseFile(int file) { return _close(file) == 0 ? 0 : errno; }

std::ptrdiff_t ReadFrom(int file, char* to, std::size_t n_bytes) { return Read(file, to, n_bytes, nullptr); }

std::ptrdiff_t ReadAt(int file, char* to, std::size_t n_bytes, std::int64_t offset) {
  KeepPlace const kept(HandleOf(file));
  auto place = PlaceAt(offset);
  return Read(file, to, n_bytes, &place);
}

std::ptrdiff_t WriteTo(int file, char const* bytes, std::size_t n_bytes) {
  return Write(file, bytes, n_bytes, nullptr);
}

std::ptrdiff_t WriteAt(int file, char const* bytes, std::size_t n_bytes, std::int64_t offset) {
  KeepPlace const kept(HandleOf(file));
  auto place = PlaceAt(offset);
  return Write(file, bytes, n_bytes, &place);
}

/// Reading waits by itself here, so this only passes time.
void AwaitInput(int /*file*/, int milliseconds) { Sleep(static_cast<DWORD>(std::max(milliseconds, 1))); }

bool GetStatus(std::string const& path, FileStatus* status) { return GetStatusOf(path, 0, status); }

bool GetEntryStatus(std::string const& path, FileStatus* status) {
  return GetStatusOf(path, FILE_FLAG_OPEN_REPARSE_POINT, status);
}

bool GetStatus(int file, FileStatus* status) { return GetStatusOf(HandleOf(file), status); }

LockOutcome TryLock(int file) {
  // A lock keeps others from the byte itself, so it is on one beyond most contents: the last one that the C library's
  // _locking reaches, by which the Python package locks the same files.
  constexpr std::int64_t kBeyond = 0x7FFFFFFF;
  auto place = PlaceAt(kBeyond);
  constexpr DWORD kHow = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
  if (LockFileEx(HandleOf(file), kHow, 0, 1, 0, &place) != 0) return LockOutcome::kTaken;
  auto const error = GetLastError();
  SetErrno();
  auto const is_held = error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING;
  return is_held ? LockOutcome::kHeldByAnother : LockOutcome::kNotSupported;
}

int SyncFile(int file) { return ErrorUnless(FlushFileBuffers(HandleOf(file)) != 0); }

/// RenameFile writes the name to the disk.
void SyncFolder(std::string const& /*path*/) {}

int ReserveSpace(int file, std::int64_t n_bytes) {
  FILE_ALLOCATION_INFO size{};
  size.AllocationSize.QuadPart = n_bytes;
  auto const is_done = SetFileInformationByHandle(HandleOf(file), FileAllocationInfo, &size, sizeof(size)) != 0;
  auto const error = ErrorUnless(is_done);
  return error == ENOSPC ? error : 0;
}

int EmptyFile(int file) { return ErrorUnless(_chsize_s(file, 0) == 0); }

/// A file has the access list of its folder.
int SetPermissions(int /*file*/, unsigned /*permissions*/) { return 0; }

int RenameFile(std::string const& from, std::string const& to) {
  constexpr DWORD kHow = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  return ErrorUnless(MoveFileExW(WidePath(from).c_str(), WidePath(to).c_str(), kHow) != 0);
}

void RemoveFile(std::string const& path) { DeleteFileW(WidePath(path).c_str()); }

bool IsWritable(std::string const& path) {
  Descriptor const file(OpenFile(path, OpenMode::kWrite));
  return file.IsOpen();
}

bool IsOutOfSpace(int error) { return error == ENOSPC || error == EFBIG; }

bool IsTerminal(int file) { return _isatty(file) != 0; }

int NumTerminalColumns() {
  CONSOLE_SCREEN_BUFFER_INFO screen;
  auto const is_known = GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &screen) != 0;
  return is_known ? screen.srWindow.Right - screen.srWindow.Left + 1 : 0;
}

bool HasNoReader(int /*file*/) { return false; }

}  // namespace kauri::platform
