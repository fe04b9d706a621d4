/// \file Checksums of files and data.
///
/// CRC-32C, the Castagnoli polynomial. It protects a file against accidents, not against malice.
///
/// SHA-256, which distinguishes contents even against malice.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kauri/span.h"

namespace kauri {

/// Returns the checksum of `bytes` appended to the bytes whose checksum is `before`; 0 for no bytes before.
std::uint32_t Crc32c(Span<char const> bytes, std::uint32_t before = 0);

/// FIPS 180-4, sections 4.1.2, 5.3.3 and 6.2.2.
class Sha256 {
 public:
  void Add(Span<char const> bytes);
  void Add(std::string const& text) { Add(Span<char const>(text.data(), text.size())); }
  /// Adds the bytes of the values in memory order, the order of little-endian machines.
  template <typename T>
  void AddValues(Span<T const> values) {
    Add(Span<char const>(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)));
  }
  /// Returns the digest of all bytes that were added, as 64 hexadecimal digits. Nothing may be added afterwards.
  std::string Finish();

 private:
  static constexpr std::size_t kBlockBytes = 64;

  void Compress(char const* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                      0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<char, kBlockBytes> rest_{};  ///< bytes that do not fill a block yet
  std::uint64_t n_bytes_ = 0;
};

}  // namespace kauri
