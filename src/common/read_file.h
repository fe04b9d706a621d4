/// \file Whole files, read at once. What a path leads to is a stranger's: a device that never ends, a pipe that nobody
/// writes to, a file larger than memory end in an error, not in a machine without memory.
#pragma once

#include <cstddef>
#include <string>

namespace kauri {

/// What is not a regular file of a known size (a pipe, a terminal, files of /proc) may give so many bytes.
constexpr std::size_t kMostStreamBytes = std::size_t{256} << 20U;

struct FileToRead {
  std::string path;
  std::string role = "file";  ///< what messages call it
  std::size_t max_bytes = ~std::size_t{0};
  bool may_be_empty = false;
};

/// \throws Error(kIo) when there is no such file, it is a folder, empty, larger than max_bytes, without an end, a pipe
/// that nobody writes to for three seconds, or cannot be read; Error(kMemory) when it is larger than the memory.
std::string ReadFile(FileToRead const& file);
inline std::string ReadFile(std::string const& path) { return ReadFile(FileToRead{path}); }

}  // namespace kauri
