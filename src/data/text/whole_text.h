/// \file Texts that cannot be read at any place, so are held in memory as a whole: gzip, and standard input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace kauri {

/// "-" or "/dev/stdin".
bool IsStandardInput(std::string const& path);

/// Whether ReadWholeText would read it: standard input, or a file that begins as gzip does, whatever its name.
bool IsReadWhole(std::string const& path);

/// The text of standard input, unpacked where it is gzip, or of a gzip file; null for any other file, also for one that
/// cannot be opened. What a text unpacks to is bounded: neither a line beyond most_line_bytes nor a text beyond the
/// memory of this machine is waited for. Standard input can be read once. \throws Error(kIo) when it cannot be read or
/// is a terminal; Error(kData) for damaged gzip, a line that is too long, and nothing on standard input;
/// Error(kMemory).
std::shared_ptr<std::string const> ReadWholeText(std::string const& path, std::int64_t most_line_bytes);

}  // namespace kauri
