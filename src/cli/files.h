/// \file Reading and writing whole files, and standard output as one of them, with errors that say what went wrong.
#pragma once

#include <cstddef>
#include <fstream>
#include <ostream>
#include <string>

namespace kauri::cli {

/// `role` is what messages call the file. \throws Error(kIo): missing, a directory, unreadable, larger than max_bytes.
std::string ReadFile(std::string const& path, std::string const& role, std::size_t max_bytes = ~std::size_t{0});

/// Throws Error(kIo) now unless a file at `path` could be written later: before hours of work rather than after.
void CheckWritable(std::string const& path, std::string const& role);

/// A text file being written, or standard output for the path "stdout".
class OutputFile {
 public:
  /// \throws Error(kIo) when the file cannot be opened.
  OutputFile(std::string path, std::string role);
  std::ostream& Stream() { return *stream_; }
  /// Call at the end. \throws Error(kIo) unless every byte was taken (a full disk, a closed pipe).
  void Close();

 private:
  [[noreturn]] void Refuse(char const* what) const;

  std::string path_;
  std::string role_;
  std::ofstream file_;
  std::ostream* stream_;
};

}  // namespace kauri::cli
