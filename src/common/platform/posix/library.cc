#include "common/platform/library.h"

#include <dlfcn.h>

namespace kauri::platform {

char const* const kCudaPluginName = "libkauri_cuda.so";
char const* const kCudaDriverName = "libcuda.so.1";
char const* const kLibraryPrefix = "lib";
char const kListSeparator = ':';

namespace {

/// Cuts the path and its part of the sentence from what a C library says of a plug-in: glibc begins with "PATH: ", musl
/// with "Error loading shared library PATH: " or "Error relocating PATH: ", or ends with " (needed by PATH)". What
/// macOS says stays as it is: a list of all paths that it tried.
std::string ReasonWithoutPath(std::string reason, std::string const& path) {
  auto const beginning = path + ": ";
  auto place = reason.find(beginning);
  // It may be the end of the name of another library, one that the plug-in needs.
  while (place != std::string::npos && place != 0 && reason[place - 1] != ' ')
    place = reason.find(beginning, place + 1);
  if (place != std::string::npos) reason.erase(0, place + beginning.size());
  auto const ending = " (needed by " + path + ")";
  place = reason.find(ending);
  if (place != std::string::npos) reason.erase(place, ending.size());
  return reason;
}

}  // namespace

void* OpenLibrary(std::string const& path, std::string* problem) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  char const* const text = dlerror();
  *problem = text == nullptr ? "unknown reason" : ReasonWithoutPath(text, path);
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
