/// \file Replaces files in a way that a full disk or a kill leaves the old file unchanged.
#pragma once

#include <string>

#include "common/files/read_file.h"
#include "kauri/span.h"

namespace kauri {

/// The file that a path leads to. Symbolic links are followed, also to a file that does not exist yet.
struct Place {
  std::string path;  ///< not a link itself
  bool exists = false;
  bool is_regular = true;    ///< also true if no file exists yet; a device or a pipe is written to directly
  unsigned permissions = 0;  ///< permissions of an existing file
};

/// Finds the file that `path` leads to. \throws Error(kIo) for a folder, a path that is too long, links in a circle, a
/// part that is not a folder.
Place FindPlace(std::string const& path);

/// A new file beside `place`, which Commit() renames to it. Its writer holds a lock on it that ends with the process,
/// so a file that can be locked was left by a kill. Without Commit() the file is deleted.
class ReplacementFile {
 public:
  /// \throws Error(kIo).
  explicit ReplacementFile(Place place);
  ~ReplacementFile();
  ReplacementFile(ReplacementFile const&) = delete;
  ReplacementFile& operator=(ReplacementFile const&) = delete;

  int Number() const { return file_.Get(); }
  std::string const& Name() const { return name_; }
  /// Writes the file to the disk and renames it; it has the old file's permissions. \returns 0 or an errno.
  int Commit();

 private:
  int MoveIntoPlace();

  Place place_;
  std::string name_;  ///< empty: nothing to remove
  Descriptor file_;
};

/// Returns whether `name` is a name that ReplacementFile gives to a file beside `whole`; sets `whole` to the final
/// name.
bool IsReplacementName(std::string const& name, std::string* whole);
/// Deletes a file that a ReplacementFile left behind, unless its writer is alive.
void RemoveLeftover(std::string const& path);

/// Throws the errors that WriteFileAtomically would throw later, as far as they are known in advance: writes a block
/// beside `path` and removes it. Called before hours of work. \throws Error(kIo).
void RequireWritable(std::string const& path);

/// Writes a new file beside `path`, flushes it to the disk and renames it to `path`. An old file's permissions are
/// kept; a symbolic link is followed. A path that is not a regular file (a pipe, a terminal) is written to directly.
/// Files that killed processes of this machine left beside `path` are deleted. \throws Error(kIo) with the path and the
/// number of bytes; the old file is then untouched and the new one deleted.
void WriteFileAtomically(std::string const& path, Span<char const> bytes);
/// Writes pieces, one after the other, in the same way.
void WriteFileAtomically(std::string const& path, Span<Span<char const> const> pieces);

}  // namespace kauri
