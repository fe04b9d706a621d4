/// \file The sum over all tiles before a block's own, while tiles are being made: a scan that reads its input once.
///
/// Merrill & Garland 2016, "Single-pass parallel prefix scan with decoupled look-back":
/// 1. A block takes the next tile by an atomic ticket, so all tiles before it have been taken by running blocks.
/// 2. It announces its tile's count.
/// 3. Its first warp reads the words of the 32 previous tiles, then of the 32 tiles before them, adding counts, until
///    it finds a tile whose total up to and including itself is known. Then it announces its own total.
/// A tile has one word of 64 bits: 2 of state, 14 of the launch's number, 48 of a count. A word is self-contained, so
/// no other memory needs ordering. The launch's number distinguishes old words, so a launch needs no clearing.
#pragma once

#include <cstdint>
#include <cuda/atomic>

#include "cuda/common/look_back.h"

namespace kauri::cuda {

class LookBackView {
 public:
  using Word = LookBackLaunch::Word;
  static constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

  explicit LookBackView(LookBackLaunch const& launch) : launch_(launch) {}

  /// Returns the block's tile. Called by one thread of a block.
  __device__ std::int64_t TakeTile() const {
    return static_cast<std::int64_t>(atomicAdd(launch_.words, 1ULL) - launch_.first_ticket);
  }

  /// Announces the tile's count. Called by one lane.
  __device__ void Announce(std::int64_t tile, std::int64_t count) const {
    Publish(tile, tile == 0 ? kTotal : kCount, count);
  }

  /// Returns the sum over all tiles before, and announces the total up to and including this tile. Called by a whole
  /// warp, after Announce.
  __device__ std::int64_t CountBefore(std::int64_t tile, std::int64_t count) const {
    if (tile == 0) return 0;
    auto const lane = static_cast<int>(threadIdx.x % 32U);
    std::int64_t before = 0;
    for (std::int64_t nearest = tile - 1;; nearest -= 32) {
      Word const word = nearest - lane >= 0 ? Await(nearest - lane) : kTotal << kStateShift;
      unsigned const totals = __ballot_sync(kWholeWarp, word >> kStateShift == kTotal);
      int const last = totals == 0 ? 31 : __ffs(static_cast<int>(totals)) - 1;
      before += WarpSum(lane <= last ? static_cast<std::int64_t>(word & kCountMask) : 0);
      if (totals != 0) break;
    }
    if (lane == 0) Publish(tile, kTotal, before + count);
    return before;
  }

 private:
  static constexpr int kStateShift = 62;
  static constexpr int kLaunchShift = LookBackLaunch::kCountBits;
  static constexpr Word kCountMask = (Word{1} << kLaunchShift) - 1;
  static constexpr Word kCount = 1;
  static constexpr Word kTotal = 2;

  using Atomic = ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>;

  __device__ void Publish(std::int64_t tile, Word state, std::int64_t count) const {
    Atomic(launch_.words[tile + 1])
        .store((state << kStateShift) | (Word{launch_.number} << kLaunchShift) | static_cast<Word>(count),
               ::cuda::memory_order_relaxed);
  }
  __device__ Word Await(std::int64_t tile) const {
    for (;;) {
      Word const word = Atomic(launch_.words[tile + 1]).load(::cuda::memory_order_relaxed);
      if (((word >> kLaunchShift) & LookBackLaunch::kMaxNumber) == launch_.number) return word;
    }
  }
  __device__ static std::int64_t WarpSum(std::int64_t value) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(kWholeWarp, value, step);
    return value;
  }

  LookBackLaunch launch_;
};

}  // namespace kauri::cuda
