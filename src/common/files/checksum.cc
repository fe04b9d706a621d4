#include "common/files/checksum.h"

#include <array>
#include <cstring>

namespace kauri {
namespace {

constexpr std::size_t kAtOnce = 8;

/// table[k][b]: contribution of byte b to the checksum when k bytes follow it in the same word.
using Table = std::array<std::array<std::uint32_t, 256>, kAtOnce>;

constexpr Table MakeTable() {
  constexpr std::uint32_t kReversed = 0x82F63B78U;
  Table table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    auto rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? kReversed : 0U);
    table[0][byte] = rest;
  }
  for (std::size_t k = 1; k < kAtOnce; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      auto const before = table[k - 1][byte];
      table[k][byte] = (before >> 8U) ^ table[0][before & 0xFFU];
    }
  }
  return table;
}

constexpr Table kTable = MakeTable();

}  // namespace

std::uint32_t Crc32c(Span<char const> bytes, std::uint32_t before) {
  auto crc = ~before;
  std::size_t i = 0;
  for (; i + kAtOnce <= bytes.size(); i += kAtOnce) {
    std::array<std::uint8_t, kAtOnce> word;
    std::memcpy(word.data(), bytes.data() + i, kAtOnce);
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      auto const mixed = k < 4 ? word[k] ^ ((crc >> (8 * k)) & 0xFFU) : word[k];
      next ^= kTable[kAtOnce - 1 - k][mixed];
    }
    crc = next;
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8U) ^ kTable[0][(crc ^ static_cast<std::uint8_t>(bytes[i])) & 0xFFU];
  return ~crc;
}

}  // namespace kauri
