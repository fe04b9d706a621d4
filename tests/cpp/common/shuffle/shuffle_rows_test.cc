/// Shuffled rows, copied and in place, compared with explicit permutations.
#include "common/shuffle/shuffle_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/shuffle/shuffle.h"

namespace kauri {
namespace {

using Bytes = std::vector<char>;

Context Threads(int threads) {
  Context ctx;
  ctx.threads = threads;
  return ctx;
}

/// Returns distinct rows.
Bytes MakeRows(std::int64_t n, std::int64_t stride) {
  Bytes rows(static_cast<std::size_t>(n * stride));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<char>(RandomBits(1, i));
  return rows;
}

RowMove Move(Bytes const& from, Bytes* to, std::int64_t n, std::int64_t row_bytes, std::int64_t from_stride,
             std::int64_t to_stride) {
  return {from.data(), to->data(), from_stride, to_stride, n, row_bytes};
}

TEST(ShuffleRows, MovesEachRowToItsPlace) {
  for (std::int64_t const row_bytes : {1, 2, 3, 4, 7, 8, 12, 16, 24, 1000}) {
    for (std::int64_t const n : {0, 1, 2, 31, 32, 33, 255, 257, 5000}) {
      auto const from_stride = row_bytes + 5;
      auto const to_stride = row_bytes + 2;
      auto const from = MakeRows(n, from_stride);
      Bytes to(static_cast<std::size_t>(n * to_stride), 'x');
      auto expected = to;
      auto const order = Shuffle(n, 77).List({});
      for (std::int64_t row = 0; row < n; ++row) {
        auto const source = from.begin() + order[row] * from_stride;
        std::copy(source, source + row_bytes, expected.begin() + row * to_stride);
      }
      ShuffleRows(Threads(3), Move(from, &to, n, row_bytes, from_stride, to_stride), 77);
      ASSERT_EQ(to, expected) << n << " rows of " << row_bytes << " bytes";
    }
  }
}

TEST(ShuffleRows, GoesBackwards) {
  auto const from = MakeRows(100, 8);
  Bytes forwards(from.size());
  Bytes backwards(from.size());
  ShuffleRows(Threads(1), Move(from, &forwards, 100, 8, 8, 8), 3);
  ShuffleRows(Threads(1), {from.data(), backwards.data() + 99 * 8, 8, -8, 100, 8}, 3);
  for (std::size_t row = 0; row < 100; ++row) {
    EXPECT_TRUE(
        std::equal(forwards.begin() + row * 8, forwards.begin() + row * 8 + 8, backwards.begin() + (99 - row) * 8));
  }
}

TEST(ShuffleRows, AnyThreadsTheSameBytes) {
  constexpr std::int64_t kRows = 3000017;  // several waves
  auto const from = MakeRows(kRows, 4);
  Bytes one(from.size());
  Bytes eight(from.size());
  ShuffleRows(Threads(1), Move(from, &one, kRows, 4, 4, 4), 5);
  ShuffleRows(Threads(8), Move(from, &eight, kRows, 4, 4, 4), 5);
  EXPECT_TRUE(one == eight);
  EXPECT_FALSE(one == from);
}

/// Computes the rounds as the paper describes: i and (K - i) mod n swap if the bit of the larger one is set.
std::vector<std::int64_t> SwapByDefinition(std::int64_t n, std::uint64_t seed) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) elements[i] = i;
  auto rounds = 16;
  for (std::int64_t power = 1; power < n; power *= 2) rounds += 2;
  for (int round = 0; round < rounds; ++round) {
    auto const key = CombineKeys(CombineKeys(seed, 0x53574150ULL), static_cast<std::uint64_t>(round));
    auto const sum = static_cast<std::int64_t>(RandomBits(key, 0) % static_cast<std::uint64_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      auto const j = (sum - i + n) % n;
      if (i >= j) continue;
      auto const bits = RandomBits(CombineKeys(key, 1), static_cast<std::uint64_t>(j / 64));
      if (((bits >> static_cast<std::uint64_t>(j % 64)) & 1U) != 0) std::swap(elements[i], elements[j]);
    }
  }
  return elements;
}

TEST(ShuffleRowsInPlace, IsSwapOrNot) {
  for (std::int64_t const n : {1, 2, 3, 31, 32, 33, 64, 65, 255, 257, 5000}) {
    auto const expected = SwapByDefinition(n, 42);
    SwapOrNot const swaps(n, 42);
    std::vector<std::int64_t> elements(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) elements[i] = i;
    auto* data = reinterpret_cast<char*>(elements.data());
    ShuffleRowsInPlace(Threads(4), {data, data, 8, 8, n, 8}, 42);
    ASSERT_EQ(elements, expected) << n;
    for (std::int64_t i = 0; i < n; ++i) {
      auto const place = static_cast<std::uint64_t>(i);
      ASSERT_EQ(swaps.Forward(place), static_cast<std::uint64_t>(expected[i])) << n;
      ASSERT_EQ(swaps.Inverse(swaps.Forward(place)), place) << n;
    }
  }
}

TEST(ShuffleRowsInPlace, RowsOfAnyWidth) {
  for (std::int64_t const row_bytes : {1, 2, 3, 4, 8, 12, 16, 100}) {
    constexpr std::int64_t kRows = 700;
    auto const stride = row_bytes + 3;
    auto const from = MakeRows(kRows, stride);
    auto rows = from;
    auto expected = from;  // bytes between the rows are not changed
    SwapOrNot const swaps(kRows, 8);
    for (std::int64_t row = 0; row < kRows; ++row) {
      auto const source = from.begin() + static_cast<std::int64_t>(swaps.Forward(row)) * stride;
      std::copy(source, source + row_bytes, expected.begin() + row * stride);
    }
    ShuffleRowsInPlace(Threads(2), Move(rows, &rows, kRows, row_bytes, stride, stride), 8);
    ASSERT_EQ(rows, expected) << row_bytes;
  }
}

TEST(ShuffleRowsInPlace, AnyThreadsTheSameBytes) {
  constexpr std::int64_t kRows = 300007;
  auto one = MakeRows(kRows, 4);
  auto eight = one;
  ShuffleRowsInPlace(Threads(1), Move(one, &one, kRows, 4, 4, 4), 5);
  ShuffleRowsInPlace(Threads(8), Move(eight, &eight, kRows, 4, 4, 4), 5);
  EXPECT_TRUE(one == eight);
  EXPECT_FALSE(one == MakeRows(kRows, 4));
}

/// The pairs of a round contain every element exactly once, except those that are their own partners, at most two.
TEST(SwapRound, PairsDoNotMeet) {
  for (std::int64_t n = 1; n <= 70; ++n) {
    for (int number = 0; number < 20; ++number) {
      SwapRound const round(n, 6, number);
      std::vector<int> seen(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < round.NumPairs(); ++i) {
        auto const pair = round.PairAt(i);
        ASSERT_LT(pair.low, pair.high);
        ASSERT_LT(pair.high, static_cast<std::uint64_t>(n));
        ++seen[pair.low];
        ++seen[pair.high];
      }
      std::int64_t alone = 0;
      for (auto const count : seen) {
        ASSERT_LE(count, 1);
        alone += count == 0 ? 1 : 0;
      }
      ASSERT_EQ(alone, n - 2 * round.NumPairs());
      ASSERT_LE(alone, 2);
    }
  }
}

}  // namespace
}  // namespace kauri
