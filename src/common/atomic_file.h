/// \file Files are replaced so that a full disk or a kill leaves the old one as it was.
#pragma once

#include <string>

#include "common/descriptor.h"
#include "kauri/span.h"

namespace kauri {

/// Where a path leads: symbolic links are followed, also to a file that is not there yet.
struct Place {
  std::string path;  ///< no link itself
  bool exists = false;
  bool is_regular = true;    ///< or nothing yet; a device or a pipe is written to directly
  unsigned permissions = 0;  ///< of an old file
};

/// \throws Error(kIo) for a folder, a path that is too long, links in a circle, a part that is no folder.
Place FindPlace(std::string const& path);

/// A new file beside `place`, which Commit() puts there. Its writer holds a lock on it that dies with the process: what
/// can be locked was left by a kill. Without Commit() nothing stays behind.
class ReplacementFile {
 public:
  /// \throws Error(kIo).
  explicit ReplacementFile(Place place);
  ~ReplacementFile();
  ReplacementFile(ReplacementFile const&) = delete;
  ReplacementFile& operator=(ReplacementFile const&) = delete;

  int Number() const { return file_.Get(); }
  std::string const& Name() const { return name_; }
  /// Brings the file to the disk and renames it; it has the old one's permissions. \returns 0 or an errno.
  int Commit();

 private:
  int MoveIntoPlace();

  Place place_;
  std::string name_;  ///< empty: nothing to remove
  Descriptor file_;
};

/// Whether `name` is one that ReplacementFile gives a file beside `whole`, which becomes the name it stands for.
bool IsReplacementName(std::string const& name, std::string* whole);
/// Deletes a file that a ReplacementFile left behind, unless its writer is alive.
void RemoveLeftover(std::string const& path);

/// Throws now what WriteFileAtomically would throw later, as far as that can be known: a block is written beside `path`
/// and removed. For before hours of work. \throws Error(kIo).
void RequireWritable(std::string const& path);

/// Writes a new file beside `path`, brings it to the disk and renames it to `path`. An old file's permissions are kept;
/// a symbolic link is followed. What is not a regular file (a pipe, a terminal) is written to directly. What processes
/// of this machine left beside `path` when they were killed is deleted. \throws Error(kIo) with the path and the number
/// of bytes; the old file is untouched and the new one is gone then.
void WriteFileAtomically(std::string const& path, Span<char const> bytes);
/// The same for pieces, one after the other.
void WriteFileAtomically(std::string const& path, Span<Span<char const> const> pieces);

}  // namespace kauri
