#include "common/files/checksum.h"

#include <algorithm>
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

namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoots{
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U, 0xab1c5ed5U,
    0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU, 0x9bdc06a7U, 0xc19bf174U,
    0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU, 0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU,
    0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U, 0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U,
    0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU, 0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U,
    0xa2bfe8a1U, 0xa81a664bU, 0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U,
    0x19a4c116U, 0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U, 0xc67178f2U};

constexpr std::uint32_t Rotated(std::uint32_t word, unsigned n) { return word >> n | word << (32U - n); }

std::uint32_t BigEndian(char const* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8U | static_cast<unsigned char>(bytes[i]);
  return word;
}

/// Returns the message schedule of a block.
std::array<std::uint32_t, 64> ScheduleOf(char const* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t t = 0; t < 16; ++t) words[t] = BigEndian(block + 4 * t);
  for (std::size_t t = 16; t < words.size(); ++t) {
    auto const late = words[t - 2];
    auto const early = words[t - 15];
    words[t] = (Rotated(late, 17) ^ Rotated(late, 19) ^ late >> 10U) + words[t - 7] +
               (Rotated(early, 7) ^ Rotated(early, 18) ^ early >> 3U) + words[t - 16];
  }
  return words;
}

}  // namespace

void Sha256::Compress(char const* block) {
  auto const words = ScheduleOf(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < words.size(); ++t) {
    auto const first =
        h + (Rotated(e, 6) ^ Rotated(e, 11) ^ Rotated(e, 25)) + ((e & f) ^ (~e & g)) + kRoots[t] + words[t];
    auto const second = (Rotated(a, 2) ^ Rotated(a, 13) ^ Rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  std::array<std::uint32_t, 8> const added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

void Sha256::Add(Span<char const> bytes) {
  auto const* next = bytes.data();
  auto left = bytes.size();
  while (left > 0) {
    auto const filled = static_cast<std::size_t>(n_bytes_ % kBlockBytes);
    auto const taken = std::min(left, kBlockBytes - filled);
    if (taken == kBlockBytes) {  // the buffer is empty
      Compress(next);
    } else {
      std::memcpy(rest_.data() + filled, next, taken);
      if (filled + taken == kBlockBytes) Compress(rest_.data());
    }
    n_bytes_ += taken;
    next += taken;
    left -= taken;
  }
}

std::string Sha256::Finish() {
  auto const n_bits = n_bytes_ * 8;
  std::array<char, 2 * kBlockBytes> padding{static_cast<char>(0x80)};
  auto const filled = static_cast<std::size_t>(n_bytes_ % kBlockBytes);
  auto const length = (filled < 56 ? 56 : 120) - filled;  // the message length fills the end of a block
  for (std::size_t i = 0; i < 8; ++i) padding[length + i] = static_cast<char>(n_bits >> (56 - 8 * i) & 0xFFU);
  Add(Span<char const>(padding.data(), length + 8));
  std::string text;
  for (auto const word : state_) {
    for (unsigned shift = 32; shift > 0; shift -= 4) text += "0123456789abcdef"[word >> (shift - 4) & 0xFU];
  }
  return text;
}

}  // namespace kauri
