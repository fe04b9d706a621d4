/// \file Writes whole files, or standard output in the same way, with errors that say what went wrong.
#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

#include "common/files/atomic_file.h"

namespace kauri::cli {

/// Throws Error(kIo) unless a file at `path` can be written later: before hours of work rather than after. `role` names
/// the file in messages.
void CheckWritable(std::string const& path, std::string const& role);

/// Throws Interrupted(SIGPIPE) if the reader of standard output has gone, as with `| head`. Call it when a write there
/// has failed. The program then ends silently and by that signal, even if its parent process ignores the signal.
void EndIfNobodyReads();

/// A file being written, or standard output for the path "stdout". It is written beside the old file and replaces it in
/// Close(); without that call no file is left behind. A symbolic link is followed; a path that is not a regular file (a
/// pipe, a device) is written to directly.
class OutputFile {
 public:
  /// Opens the file. \throws Error(kIo) when the file cannot be opened or written to: construct it before the work.
  OutputFile(std::string path, std::string role);
  std::ostream& Stream() { return *stream_; }
  /// Closes the file at the end and reports that `contents` are written. \throws Error(kIo) unless every byte was
  /// written (a full disk, a closed pipe).
  void Close(std::string const& contents);

 private:
  [[noreturn]] void Refuse(char const* what, int error) const;

  std::string path_;
  std::string role_;
  std::unique_ptr<ReplacementFile> replacement_;  ///< nullptr: the path is written to directly
  Descriptor direct_{-1};                         ///< open if there is no replacement
  std::unique_ptr<std::streambuf> buffer_;        ///< nullptr: standard output
  std::ostream file_{nullptr};
  std::ostream* stream_;
};

}  // namespace kauri::cli
