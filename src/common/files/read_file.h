/// \file Reads whole files. A path may lead to anything: a device that never ends, a pipe without a writer, a file
/// larger than memory. They end in an error, not in a machine without memory.
///
/// Descriptor is an open file of the operating system.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

namespace kauri {

/// Returns the text of an errno; strerror is not thread-safe.
inline std::string ReasonOf(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;

  int Get() const { return number_; }
  bool IsOpen() const { return number_ >= 0; }
  void Replace(int number) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }
  /// Closes the file. \returns 0 or an errno: a file system may report a failed write only here.
  int Close() {
    auto const result = close(number_);
    number_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int number_;
};

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
