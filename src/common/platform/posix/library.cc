#include "common/platform/library.h"

#include <dlfcn.h>

namespace kauri::platform {

char const* const kCudaPluginName = "libkauri_cuda.so";
char const* const kCudaDriverName = "libcuda.so.1";
char const* const kLibraryPrefix = "lib";
char const kListSeparator = ':';

void* OpenLibrary(std::string const& path, std::string* problem) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  char const* const text = dlerror();
  std::string const reason = text == nullptr ? "unknown reason" : text;
  auto const prefix = path + ": ";
  *problem = reason.rfind(prefix, 0) == 0 ? reason.substr(prefix.size()) : reason;
  return nullptr;
}

void CloseLibrary(void* library) { dlclose(library); }

void* FindFunction(void* library, char const* name) { return dlsym(library, name); }

bool IsLibraryLoaded(char const* name) {
  void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

std::string LibraryOf(void const* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace kauri::platform
