/// \file Reads whole files. A path may lead to anything: a device that never ends, a pipe without a writer, a file
/// larger than memory. They end in an error, not in a machine without memory.
#pragma once

#include <cerrno>
#include <cstddef>
#include <string>

#include "common/platform/file.h"

namespace kauri {

/// Maximum number of bytes read from a source without a known size (a pipe, a terminal, files of /proc).
constexpr std::size_t kMostStreamBytes = std::size_t{256} << 20U;

struct FileToRead {
  std::string path;
  std::string role = "file";  ///< name in messages
  std::size_t max_bytes = ~std::size_t{0};
  bool may_be_empty = false;
};

/// Reads a file. \throws Error(kIo) when it does not exist, is a folder, empty, larger than max_bytes, without an end,
/// a pipe without a writer for three seconds, or cannot be read; Error(kMemory) when it is larger than the memory.
std::string ReadFile(FileToRead const& file);
inline std::string ReadFile(std::string const& path) { return ReadFile(FileToRead{path}); }

}  // namespace kauri
