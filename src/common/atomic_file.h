/// \file Whole files: read at once, and replaced so that a full disk or a kill leaves the old file as it was.
#pragma once

#include <string>

#include "kauri/span.h"

namespace kauri {

/// \throws Error(kIo) when `path` does not exist, is a folder, is empty or cannot be read.
std::string ReadFile(std::string const& path);

/// Writes a new file beside `path`, brings it to the disk and renames it to `path`. An old file's permissions are kept;
/// a symbolic link is followed. What is not a regular file (a pipe, a terminal) is written to directly. \throws
/// Error(kIo) with the path and the number of bytes; the old file is untouched and the new one is gone then.
void WriteFileAtomically(std::string const& path, Span<char const> bytes);
/// The same for pieces, one after the other.
void WriteFileAtomically(std::string const& path, Span<Span<char const> const> pieces);

}  // namespace kauri
