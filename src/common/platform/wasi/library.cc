/// \file WebAssembly modules load no libraries, so there are no plug-ins.
#include "common/platform/library.h"

namespace kauri::platform {

char const* const kCudaPluginName = "libkauri_cuda.so";
char const* const kCudaDriverName = "libcuda.so.1";
char const* const kLibraryPrefix = "lib";
char const kListSeparator = ':';

void* OpenLibrary(std::string const& /*path*/, std::string* problem) {
  *problem = "WebAssembly modules cannot load libraries";
  return nullptr;
}

void CloseLibrary(void* /*library*/) {}

void* FindFunction(void* /*library*/, char const* /*name*/) { return nullptr; }

bool IsLibraryLoaded(char const* /*name*/) { return false; }

std::string LibraryOf(void const* /*address*/) { return ""; }

}  // namespace kauri::platform
