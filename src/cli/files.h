/// \file Reading and writing whole files, and standard output as one of them, with errors that say what went wrong.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

namespace kauri::cli {

/// `role` is what messages call the file. \throws Error(kIo): missing, a directory, unreadable, larger than max_bytes.
std::string ReadFile(std::string const& path, std::string const& role, std::size_t max_bytes = ~std::size_t{0});

/// Throws Error(kIo) now unless a file at `path` could be written later: before hours of work rather than after.
void CheckWritable(std::string const& path, std::string const& role);

/// A file being written, or standard output for the path "stdout". It is written beside the old file and takes its
/// place in Close(): without that call nothing is left behind. A symbolic link is followed; what is no regular file (a
/// pipe, a device) is written to directly.
class OutputFile {
 public:
  /// \throws Error(kIo) when the file cannot be opened.
  OutputFile(std::string path, std::string role);
  ~OutputFile();
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;
  std::ostream& Stream() { return *stream_; }
  /// Call at the end. \throws Error(kIo) unless every byte was taken (a full disk, a closed pipe).
  void Close();

 private:
  void OpenBeside();
  [[noreturn]] void Refuse(char const* what) const;

  std::string path_;
  std::string role_;
  std::filesystem::path target_;     ///< what the path leads to
  std::filesystem::path temporary_;  ///< empty: nothing to move
  std::ofstream file_;
  std::ostream* stream_;
};

}  // namespace kauri::cli
