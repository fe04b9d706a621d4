/// \file Writing whole files, and standard output as one of them, with errors that say what went wrong.
#pragma once

#include <fstream>
#include <memory>
#include <ostream>
#include <string>

#include "common/atomic_file.h"

namespace kauri::cli {

/// Throws Error(kIo) now unless a file at `path` can be written later: before hours of work rather than after. `role`
/// is what messages call the file.
void CheckWritable(std::string const& path, std::string const& role);

/// Throws Interrupted(SIGPIPE) where the reader of standard output has gone, as `| head` does. Call it when a write
/// there has failed: the program then ends without a word and by that signal, also where whoever started it ignores it.
void EndIfNobodyReads();

/// A file being written, or standard output for the path "stdout". It is written beside the old file and takes its
/// place in Close(): without that call nothing is left behind. A symbolic link is followed; what is no regular file (a
/// pipe, a device) is written to directly.
class OutputFile {
 public:
  /// \throws Error(kIo) when the file cannot be opened or nothing can be written to it: make it before the work.
  OutputFile(std::string path, std::string role);
  std::ostream& Stream() { return *stream_; }
  /// Call at the end; says that `contents` are written. \throws Error(kIo) unless every byte was taken (a full disk, a
  /// closed pipe).
  void Close(std::string const& contents);

 private:
  [[noreturn]] void Refuse(char const* what, int error) const;

  std::string path_;
  std::string role_;
  std::unique_ptr<ReplacementFile> replacement_;  ///< nullptr: written to directly
  std::ofstream file_;
  std::ostream* stream_;
};

}  // namespace kauri::cli
