/// \file Libraries that are loaded at run time.
#pragma once

#include <string>

namespace kauri::platform {

extern char const* const kCudaPluginName;  ///< the file of the CUDA plug-in
extern char const* const kCudaDriverName;  ///< the library of NVIDIA's driver
extern char const* const kLibraryPrefix;   ///< beginning of the names of shared libraries, as in libkauri.so
extern char const kListSeparator;          ///< between the paths of a list, as in PATH

/// Loads a library. \returns nullptr on failure, with the reason in *problem, which repeats the path on macOS alone.
void* OpenLibrary(std::string const& path, std::string* problem);
void CloseLibrary(void* library);
/// Returns the address of a function; nullptr if the library has none of that name.
void* FindFunction(void* library, char const* name);
/// Returns whether this process has loaded a library of that name.
bool IsLibraryLoaded(char const* name);
/// Returns the path of the library or program that holds this address; empty if unknown.
std::string LibraryOf(void const* address);

}  // namespace kauri::platform
