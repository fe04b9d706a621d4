#include "common/platform/library.h"

#include <windows.h>

#include <array>

#include "common/platform/windows/errors.h"

namespace kauri::platform {

char const* const kCudaPluginName = "kauri_cuda.dll";
char const* const kCudaDriverName = "nvcuda.dll";
char const* const kLibraryPrefix = "";
char const kListSeparator = ';';

void* OpenLibrary(std::string const& path, std::string* problem) {
  // Libraries that it needs may lie beside it.
  auto* const library = LoadLibraryExW(Wide(path).c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (library == nullptr) *problem = MessageOf(GetLastError());
  return library;
}

void CloseLibrary(void* library) { FreeLibrary(static_cast<HMODULE>(library)); }

void* FindFunction(void* library, char const* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

bool IsLibraryLoaded(char const* name) { return GetModuleHandleW(Wide(name).c_str()) != nullptr; }

std::string LibraryOf(void const* address) {
  constexpr DWORD kHow = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  HMODULE library = nullptr;
  if (GetModuleHandleExW(kHow, static_cast<wchar_t const*>(address), &library) == 0) return "";
  std::array<wchar_t, 4096> path{};
  auto const size = GetModuleFileNameW(library, path.data(), static_cast<DWORD>(path.size()));
  return Narrow({path.data(), size});
}

}  // namespace kauri::platform
