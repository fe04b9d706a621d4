#include "booster/model_io/catboost_hash.h"

#include <cstddef>

namespace kauri::model_io {
namespace {

constexpr std::uint64_t kFirst = 0xc3a5c85c97cb3127U;
constexpr std::uint64_t kSecond = 0xb492b66fbe98f273U;
constexpr std::uint64_t kThird = 0x9ae16a3b2f90404fU;
constexpr std::uint64_t kFourth = 0xc949d7c7509e6557U;
constexpr std::uint64_t kMixer = 0x9ddfea08eb382d69U;

/// Returns the little-endian number of the bytes from `begin` on.
std::uint64_t Load(std::string_view bytes, std::size_t begin, std::size_t n_bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = n_bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[begin + i]);
  return number;
}

std::uint64_t Rotated(std::uint64_t value, std::size_t bits) { return value >> bits | value << (64 - bits); }

std::uint64_t Folded(std::uint64_t value) { return value ^ value >> 47; }

std::uint64_t Mixed(std::uint64_t low, std::uint64_t high) {
  auto const once = Folded((low ^ high) * kMixer);
  return Folded((high ^ once) * kMixer) * kMixer;
}

std::uint64_t HashOfShort(std::string_view name) {
  auto const n = name.size();
  if (n == 0) return kThird;
  auto const ends = Load(name, 0, 1) + (Load(name, n / 2, 1) << 8);
  auto const last = n + (Load(name, n - 1, 1) << 2);
  return Folded(ends * kThird ^ last * kFourth) * kThird;
}

std::uint64_t HashOfLong(std::string_view name) {
  auto const n = name.size();
  auto const a = Load(name, 0, 8) * kSecond;
  auto const b = Load(name, 8, 8);
  auto const c = Load(name, n - 8, 8) * kThird;
  auto const d = Load(name, n - 16, 8) * kFirst;
  return Mixed(Rotated(a - b, 43) + Rotated(c, 30) + d, a + Rotated(b ^ kFourth, 20) - c + n);
}

std::uint64_t HashOf(std::string_view name) {
  auto const n = name.size();
  if (n < 4) return HashOfShort(name);
  if (n <= 8) return Mixed(n + (Load(name, 0, 4) << 3), Load(name, n - 4, 4));
  if (n > 16) return HashOfLong(name);
  auto const last = Load(name, n - 8, 8);
  return Mixed(Load(name, 0, 8), Rotated(last + n, n)) ^ last;
}

}  // namespace

std::int32_t CatBoostHash(std::string_view name) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(HashOf(name)));
}

}  // namespace kauri::model_io
