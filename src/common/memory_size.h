/// \file Numbers of elements that memory can hold, where addresses have 32 bits (WebAssembly).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace kauri {

/// Returns a count as the size of an array. Products of rows and columns fit any 64-bit address, but not a 32-bit one,
/// where a conversion without this check would give a smaller array. \throws std::bad_alloc.
inline std::size_t SizeInMemory(std::int64_t count) {
  if constexpr (sizeof(std::size_t) < sizeof(count)) {
    if (count > static_cast<std::int64_t>(std::numeric_limits<std::size_t>::max())) throw std::bad_alloc();
  }
  return static_cast<std::size_t>(count);
}

}  // namespace kauri
