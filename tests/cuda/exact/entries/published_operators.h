/// \file The operators of the interleaved phase as printed by Mitchell and Frank 2017: the masked warp scan of listing
/// 5 and the flags of equation 5 and listing 6. The product needs neither (interleaved_tile.cuh), because a lane knows
/// its entries' nodes and the values before them. The operators are here for comparison.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"

namespace kauri::testing {

/// Bit i: node i is among the entries; bit 63: an entry whose value differs from the value of the entry to its left.
using BitFlagSet = std::uint64_t;

constexpr int kSegmentBit = 63;

/// The published code shifts a 32-bit one by 63 bits, which sets nothing.
KAURI_HD BitFlagSet FlagOf(int bit) { return std::uint64_t{1} << bit; }
KAURI_HD bool CheckBit(BitFlagSet flags, int bit) { return (flags & FlagOf(bit)) != 0; }

/// Combines flags by equation 5, listing 6. The operator is associative, so that it can be scanned.
KAURI_HD BitFlagSet Combine(BitFlagSet a, BitFlagSet b) { return CheckBit(b, kSegmentBit) ? b : a | b; }

/// Returns the flags of an entry of `node` (below 0: in no node), the input of the scan.
KAURI_HD BitFlagSet FlagsOf(int node, bool is_new_value) {
  return (node < 0 ? 0 : FlagOf(node)) | (is_new_value ? FlagOf(kSegmentBit) : 0);
}

/// Returns whether an entry is the leftmost of its value in its node. before: the flags of the entries to its left,
/// scanned.
KAURI_HD bool IsFirstOfValue(BitFlagSet before, int node, bool is_new_value) {
  return is_new_value || !CheckBit(before, node);
}

}  // namespace kauri::testing
