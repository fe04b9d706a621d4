/// \file CRC-32C, the Castagnoli polynomial. It protects a file against accidents, not against malice.
#pragma once

#include <cstdint>

#include "kauri/span.h"

namespace kauri {

/// Returns the checksum of `bytes` appended to the bytes whose checksum is `before`; 0 for no bytes before.
std::uint32_t Crc32c(Span<char const> bytes, std::uint32_t before = 0);

}  // namespace kauri
