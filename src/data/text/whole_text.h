/// \file Texts without random access, which are held in memory as a whole: gzip, and standard input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace kauri {

/// Returns true for "-" or "/dev/stdin".
bool IsStandardInput(std::string const& path);

/// Returns whether ReadWholeText would read it: standard input, or a file whose content begins like gzip, whatever its
/// name.
bool IsReadWhole(std::string const& path);

/// Returns the text of standard input, unpacked if it is gzip, or of a gzip file; null for any other file, including a
/// file that cannot be opened. The unpacked size is limited: reading stops with an error at a line of more than
/// most_line_bytes, or at a text larger than the memory of this machine. Standard input can be read once. \throws
/// Error(kIo) if it cannot be read or is a terminal; Error(kData) for damaged gzip, a line that is too long, and empty
/// standard input; Error(kMemory).
std::shared_ptr<std::string const> ReadWholeText(std::string const& path, std::int64_t most_line_bytes);

}  // namespace kauri
