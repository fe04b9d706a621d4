/// \file Table of permutations that move the masked ones of eight lanes to the front, in order.
#pragma once

#include <array>
#include <cstdint>

namespace kauri {

struct CompressTable {
  alignas(64) std::array<std::uint8_t, std::size_t{8} * 256> lanes{};  ///< [mask, lane]: the source lane

  constexpr CompressTable() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      unsigned place = 8 * mask;
      for (unsigned picked = 2; picked-- > 0;) {
        for (std::uint8_t lane = 0; lane < 8; ++lane) {
          if ((mask >> lane & 1U) == picked) lanes[place++] = lane;
        }
      }
    }
  }
  constexpr std::uint8_t const* Of(unsigned mask) const { return lanes.data() + 8 * mask; }
};

inline constexpr CompressTable kCompressTable;

}  // namespace kauri
