#include "common/shuffle/shuffle_rows.h"

#include <algorithm>
#include <cstring>

#include "common/shuffle/shuffle_walk.h"
#include "common/shuffle/swap_or_not.h"

namespace kauri {
namespace {

/// Operations on rows whose number of bytes is known to the compiler.
template <std::int64_t kBytes>
struct FixedBytes {
  explicit FixedBytes(std::int64_t) {}
  static void Copy(char const* from, char* to) { std::memcpy(to, from, kBytes); }
  /// Swaps without a branch, which would be mispredicted half of the time.
  static void SwapIf(bool swaps, char* a, char* b) {
    char first[kBytes];
    char second[kBytes];
    std::memcpy(first, a, kBytes);
    std::memcpy(second, b, kBytes);
    std::memcpy(a, swaps ? second : first, kBytes);
    std::memcpy(b, swaps ? first : second, kBytes);
  }
};

struct AnyBytes {
  explicit AnyBytes(std::int64_t row_bytes) : n(row_bytes) {}
  void Copy(char const* from, char* to) const { std::memcpy(to, from, static_cast<std::size_t>(n)); }
  void SwapIf(bool swaps, char* a, char* b) const {
    if (swaps) std::swap_ranges(a, a + n, b);
  }
  std::int64_t n;
};

/// Calls fn with FixedBytes or AnyBytes.
template <typename Fn>
void DispatchRowBytes(std::int64_t row_bytes, Fn&& fn) {
  switch (row_bytes) {
    case 1:
      return fn(FixedBytes<1>(1));
    case 2:
      return fn(FixedBytes<2>(2));
    case 4:
      return fn(FixedBytes<4>(4));
    case 8:
      return fn(FixedBytes<8>(8));
    case 16:
      return fn(FixedBytes<16>(16));
    default:
      return fn(AnyBytes(row_bytes));
  }
}

template <typename Bytes>
void SwapPairs(SwapRound const& round, RowMove const& move, Bytes const& bytes, std::int64_t begin, std::int64_t end) {
  std::uint64_t bits = 0;
  auto bits_of = ~std::uint64_t{0};  // the group of 64 numbers that `bits` belongs to
  for (auto number = begin; number < end; ++number) {
    auto const pair = round.PairAt(number);
    if (pair.high / 64U != bits_of) {
      bits_of = pair.high / 64U;
      bits = round.Bits(pair.high);
    }
    bytes.SwapIf(((bits >> (pair.high % 64U)) & 1U) != 0,
                 move.to + static_cast<std::int64_t>(pair.low) * move.to_stride,
                 move.to + static_cast<std::int64_t>(pair.high) * move.to_stride);
  }
}

}  // namespace

void ShuffleRows(Context const& ctx, RowMove const& move, std::uint64_t seed) {
  Shuffle const shuffle(move.n_rows, seed);
  DispatchRowBytes(move.row_bytes, [&](auto bytes) {
    WalkShuffle(ctx, shuffle, move.n_rows, [&](std::int64_t position, std::uint64_t const* elements, std::int64_t n) {
      auto* to = move.to + position * move.to_stride;
      for (std::int64_t i = 0; i < n; ++i, to += move.to_stride) {
        bytes.Copy(move.from + static_cast<std::int64_t>(elements[i]) * move.from_stride, to);
      }
    });
  });
}

void ShuffleRowsInPlace(Context const& ctx, RowMove const& move, std::uint64_t seed) {
  constexpr std::int64_t kPairsPerBlock = 1 << 14;
  if (move.n_rows < 2) return;
  SwapOrNot const swaps(move.n_rows, seed);
  DispatchRowBytes(move.row_bytes, [&](auto bytes) {
    for (int number = 0; number < swaps.NumRounds(); ++number) {
      auto const round = swaps.Round(number);
      ParallelForBlocks(ctx, round.NumPairs(), kPairsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
        SwapPairs(round, move, bytes, begin, end);
      });
    }
  });
}

}  // namespace kauri
