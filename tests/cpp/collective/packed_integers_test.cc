#include "collective/packed_integers.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <utility>

#include "kauri/error.h"

namespace kauri {
namespace {

using Values = std::vector<std::int64_t>;
using Bytes = std::vector<std::byte>;

constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
constexpr auto kSmallest = std::numeric_limits<std::int64_t>::min();

Bytes Packed(Values const& values) {
  Bytes room(PackedRoom(values.size()), std::byte{0xAB});
  room.resize(PackIntegers(values, room));
  return {room.begin(), room.end()};  // of exact size, so that reads beyond the end are detected
}

Values Unpacked(Bytes const& packed, Values values, UnpackMode mode) {
  UnpackIntegers(packed, mode, values);
  return values;
}

/// Returns n numbers of at most `bits` bits, of either sign, times 2^shift.
Values Random(std::size_t n, int bits, int shift, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Values values(n);
  for (auto& value : values) value = static_cast<std::int64_t>(random()) >> (64 - bits);
  for (auto& value : values) value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift);
  return values;
}

void ExpectThroughAndBack(Values const& values, std::string const& what) {
  auto const packed = Packed(values);
  EXPECT_LE(packed.size(), 8 * values.size() + 4 * (values.size() / 256 + 1)) << what;
  EXPECT_EQ(Unpacked(packed, Values(values.size(), 77), UnpackMode::kReplace), values) << what;
  auto const before = Random(values.size(), 64, 0, 99);
  auto sums = before;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[i]) + static_cast<std::uint64_t>(values[i]));
  }
  EXPECT_EQ(Unpacked(packed, before, UnpackMode::kAdd), sums) << what;
}

TEST(PackedIntegers, ComeBackAsTheyWere) {
  for (std::size_t const n : {0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 5000}) {
    for (int bits = 1; bits <= 64; ++bits) {
      for (int shift = 0; shift <= 64 - bits; shift += 1 + shift) {
        ExpectThroughAndBack(Random(n, bits, shift, n + bits), std::to_string(n) + " of " + std::to_string(bits));
      }
    }
  }
}

TEST(PackedIntegers, EdgesOfTheRange) {
  for (auto const value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, kLargest, kSmallest, kSmallest + 1,
                           std::int64_t{127}, std::int64_t{128}, std::int64_t{-128}, std::int64_t{-129}}) {
    for (std::size_t const n : {1, 2, 300}) {
      ExpectThroughAndBack(Values(n, value), std::to_string(value));
      auto one = Values(n, 0);
      one.back() = value;
      ExpectThroughAndBack(one, std::to_string(value) + " behind zeros");
    }
  }
  ExpectThroughAndBack({kLargest, kSmallest, kSmallest, kLargest, 0, 0}, "both ends");
}

/// Tests gradients with hessians that are all 2^29, as for squared error.
TEST(PackedIntegers, HistogramsTakeFewBytes) {
  std::mt19937_64 random(5);
  Values histogram;
  for (int cell = 0; cell < 7168; ++cell) {
    auto const n_rows = static_cast<std::int64_t>(random() % 60);
    histogram.push_back((static_cast<std::int64_t>(random() >> 34U) - (1 << 29)) * n_rows);
    histogram.push_back(n_rows << 29);
  }
  EXPECT_LE(Packed(histogram).size(), 7168U * 7);  // 5 bytes and 1 instead of 16, plus the heads of the blocks
  EXPECT_LE(Packed(Values(14336, 0)).size(), 7168U / 16);
}

TEST(PackedIntegers, BytesThatAreNotThoseOfTheNumbers) {
  auto const values = Random(700, 40, 3, 1);
  auto const packed = Packed(values);
  auto const fails = [&](Bytes const& bytes, std::size_t n) {
    try {
      Unpacked(bytes, Values(n), UnpackMode::kAdd);
      return false;
    } catch (Error const& error) {
      return error.Kind() == ErrorKind::kCollective;
    }
  };
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_TRUE(fails({packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size)}, 700)) << size;
  }
  auto longer = packed;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(fails(longer, 700));
  EXPECT_TRUE(fails(packed, 699));
  EXPECT_TRUE(fails(packed, 701));
  EXPECT_TRUE(fails(packed, 0));
  for (auto const& [place, byte] : std::vector<std::pair<std::size_t, int>>{{0, 64}, {2, 255}, {1, 9}, {3, 255}}) {
    auto wrong = packed;
    wrong[place] = static_cast<std::byte>(byte);
    EXPECT_TRUE(fails(wrong, 700)) << place;
  }
}

/// Any input gives numbers or an error, nothing worse.
TEST(PackedIntegers, NoiseIsReadWithinItsBounds) {
  std::mt19937 random(3);
  auto const packed = Packed(Random(600, 33, 0, 2));
  for (int i = 0; i < 3000; ++i) {
    auto bytes = packed;
    bytes.resize(random() % 3 == 0 ? random() % bytes.size() : bytes.size());
    for (int change = 0; change < 4 && !bytes.empty(); ++change) {
      bytes[random() % (change % 2 == 0 ? std::min<std::size_t>(4, bytes.size()) : bytes.size())] =
          static_cast<std::byte>(random() % 12);
    }
    try {
      Unpacked(Bytes(bytes), Values(random() % 2 == 0 ? 600 : random() % 1200), UnpackMode::kReplace);
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kCollective);
    }
  }
}

}  // namespace
}  // namespace kauri
