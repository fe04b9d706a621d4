/// \file Errors of Windows as errnos, and paths as Windows takes them, for the files of this folder.
#pragma once

#include <string>

namespace kauri::platform {

/// Returns the errno that says what an error of Windows says.
int ErrnoOf(unsigned long error);
/// Sets errno from GetLastError().
void SetErrno();
/// Returns UTF-8 as UTF-16; bytes that are no UTF-8 become replacement characters.
std::wstring Wide(std::string const& text);
/// Returns UTF-16 as UTF-8.
std::string Narrow(std::wstring const& text);
/// Returns the message of an error of Windows.
std::string MessageOf(unsigned long error);

}  // namespace kauri::platform
