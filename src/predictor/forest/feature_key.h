/// \file Feature values as integers of the same order. One integer comparison decides a split, for missing values too.
///
/// key(x) of a float is its bit pattern with the magnitude bits of negative numbers flipped: x < y <=> key(x) < key(y),
/// and -0 has the key of +0. A missing value has the largest integer as key, which no number has. At a split with
/// threshold t a row goes right iff key(x) + d >= key(t) + d, where d = 1 if the default is left and 0 otherwise; the
/// sum on the right is stored. The missing key plus one wraps to the smallest integer, so a missing value goes left; no
/// other key wraps. Integers also do not depend on the host's treatment of denormal numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "kauri/host_device.h"

namespace kauri {

/// Key of a missing value, above the key of every number.
constexpr std::int32_t kMissingKey = std::numeric_limits<std::int32_t>::max();

KAURI_HD std::int32_t KeyOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return kMissingKey;
  if (bits == 0x80000000U) return 0;
  return static_cast<std::int32_t>(bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) >> 1U));
}

/// Returns the value of a key; NaN for kMissingKey.
KAURI_HD float ValueOfKey(std::int32_t key) {
  auto const bits = static_cast<std::uint32_t>(key) ^ (static_cast<std::uint32_t>(key >> 31) >> 1U);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace kauri
