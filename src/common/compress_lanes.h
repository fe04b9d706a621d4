/// \file Splits lanes of 32 bits by a mask into two streams, for code that is compiled per target
/// (hwy/foreach_target.h).
///
/// AVX-512 and Arm use Highway's Compress. With AVX2 that function of Highway 1.0 has a table of 1 KiB among its local
/// variables, which GCC copies to the stack at every call (`rep movsq`). That took 72 % of the time for moving rows to
/// their nodes, two fifths of a training on 98 k rows of 10 columns. Here the table is static, and moving the rows
/// takes a fifth of the time.
///
/// No #pragma once: each target includes this header again.
#if defined(KAURI_COMMON_COMPRESS_LANES_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KAURI_COMMON_COMPRESS_LANES_H
#undef KAURI_COMMON_COMPRESS_LANES_H
#else
#define KAURI_COMMON_COMPRESS_LANES_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "common/compress_table.h"

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {

/// Stores the lanes of `v` in the mask at `in` and the others at `out`. It writes whole vectors; elements past the
/// count are undefined. Returns the number of lanes in the mask. Tag: of 32-bit lanes.
template <class Tag, class Vector, class Mask>
HWY_INLINE std::int64_t SplitLanes(Tag d, Vector v, Mask mask, hwy::HWY_NAMESPACE::TFromD<Tag>* in,
                                   hwy::HWY_NAMESPACE::TFromD<Tag>* out) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_AVX2
  if (hn::Lanes(d) == 8) {
    hn::Rebind<std::int32_t, Tag> const di;
    hn::Rebind<std::uint8_t, Tag> const bytes;
    std::uint8_t bits[8] = {0};
    hn::StoreMaskBits(d, mask, bits);
    unsigned const inside = bits[0];
    auto const pick = [&](unsigned lanes) {
      auto const from = hn::PromoteTo(di, hn::LoadU(bytes, kCompressTable.Of(lanes)));
      return hn::TableLookupLanes(v, hn::IndicesFromVec(d, from));
    };
    hn::StoreU(pick(inside), d, in);
    hn::StoreU(pick(inside ^ 0xFFU), d, out);
    return __builtin_popcount(inside);
  }
#endif
  hn::StoreU(hn::Compress(v, mask), d, in);
  hn::StoreU(hn::Compress(v, hn::Not(mask)), d, out);
  return static_cast<std::int64_t>(hn::CountTrue(d, mask));
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#endif  // per target
