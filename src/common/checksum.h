/// \file CRC-32C, the Castagnoli polynomial: what guards a file against accidents, not against malice.
#pragma once

#include <cstdint>

#include "kauri/span.h"

namespace kauri {

/// Of more bytes after those that `before` is the checksum of; 0 for none.
std::uint32_t Crc32c(Span<char const> bytes, std::uint32_t before = 0);

}  // namespace kauri
