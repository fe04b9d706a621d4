#include "common/platform/windows/errors.h"

#include <windows.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace kauri::platform {

int ErrnoOf(unsigned long error) {
  constexpr std::array<std::pair<DWORD, int>, 17> kErrors{{
      {ERROR_FILE_NOT_FOUND, ENOENT},
      {ERROR_PATH_NOT_FOUND, ENOENT},
      {ERROR_INVALID_NAME, ENOENT},
      {ERROR_BAD_PATHNAME, ENOENT},
      {ERROR_DIRECTORY, ENOTDIR},
      {ERROR_ACCESS_DENIED, EACCES},
      {ERROR_SHARING_VIOLATION, EACCES},
      {ERROR_WRITE_PROTECT, EROFS},
      {ERROR_FILE_EXISTS, EEXIST},
      {ERROR_ALREADY_EXISTS, EEXIST},
      {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
      {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
      {ERROR_DISK_FULL, ENOSPC},
      {ERROR_HANDLE_DISK_FULL, ENOSPC},
      {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
      {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
      {ERROR_INVALID_HANDLE, EBADF},
  }};
  auto const* const found =
      std::find_if(kErrors.begin(), kErrors.end(), [&](auto const& pair) { return pair.first == error; });
  return found == kErrors.end() ? EIO : found->second;
}

void SetErrno() { errno = ErrnoOf(GetLastError()); }

std::wstring Wide(std::string const& text) {
  auto const size = static_cast<int>(text.size());
  auto const n = MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(std::max(n, 0)), L'\0');
  if (n > 0) MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), n);
  return wide;
}

std::string Narrow(std::wstring const& text) {
  auto const size = static_cast<int>(text.size());
  auto const n = WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string narrow(static_cast<std::size_t>(std::max(n, 0)), '\0');
  if (n > 0) WideCharToMultiByte(CP_UTF8, 0, text.data(), size, narrow.data(), n, nullptr, nullptr);
  return narrow;
}

std::string MessageOf(unsigned long error) { return std::system_category().message(static_cast<int>(error)); }

}  // namespace kauri::platform
