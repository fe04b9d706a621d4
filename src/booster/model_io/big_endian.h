/// \file Numbers in the byte order of UBJSON: the most significant byte first.
#pragma once

#include <cstdint>
#include <cstring>

namespace kauri::model_io {
namespace detail {

inline std::uint8_t SwapBytes(std::uint8_t bits) { return bits; }
inline std::uint16_t SwapBytes(std::uint16_t bits) { return __builtin_bswap16(bits); }
inline std::uint32_t SwapBytes(std::uint32_t bits) { return __builtin_bswap32(bits); }
inline std::uint64_t SwapBytes(std::uint64_t bits) { return __builtin_bswap64(bits); }

template <typename Bits>
Bits BigEndian(Bits bits) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return SwapBytes(bits);
#else
  return bits;
#endif
}

template <std::size_t kBytes>
struct BitsOfSize;
template <>
struct BitsOfSize<1> {
  using Type = std::uint8_t;
};
template <>
struct BitsOfSize<2> {
  using Type = std::uint16_t;
};
template <>
struct BitsOfSize<4> {
  using Type = std::uint32_t;
};
template <>
struct BitsOfSize<8> {
  using Type = std::uint64_t;
};

}  // namespace detail

/// \tparam T an integer or floating-point type of 1, 2, 4 or 8 bytes; `bytes` need not be aligned.
template <typename T>
T LoadBigEndian(char const* bytes) {
  typename detail::BitsOfSize<sizeof(T)>::Type bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  bits = detail::BigEndian(bits);
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <typename T>
void StoreBigEndian(T value, char* out) {
  typename detail::BitsOfSize<sizeof(T)>::Type bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = detail::BigEndian(bits);
  std::memcpy(out, &bits, sizeof(bits));
}

}  // namespace kauri::model_io
