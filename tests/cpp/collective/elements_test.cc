/// Reductions of every type, against the same in a loop, and the proofs of messages.
#include "collective/network/elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "collective/network/channel.h"
#include "collective/network_group.h"
#include "kauri/error.h"

namespace kauri {
namespace {

template <typename T>
std::vector<T> Converted(std::vector<std::int64_t> const& numbers) {
  std::vector<T> values;
  for (auto const number : numbers) values.push_back(static_cast<T>(number % 100));
  return values;
}

/// Compares a reduction with the same in rank order; sums of floating-point numbers must have the same bits.
template <typename T>
void CheckReduce(ElementType type, ReduceOp op, std::size_t n, std::function<T(T, T)> const& reduce) {
  constexpr int kRanks = 3;
  auto expected = Converted<T>(NumbersOf(0, n));
  for (int rank = 1; rank < kRanks; ++rank) {
    auto const values = Converted<T>(NumbersOf(rank, n));
    for (std::size_t i = 0; i < n; ++i) expected[i] = reduce(expected[i], values[i]);
  }
  auto const errors = RunGroup(kRanks, [&](SocketGroup* group) {
    auto values = Converted<T>(NumbersOf(group->Rank(), n));
    group->Reduce("test", PlainElements(values.data(), n, type, op).get());
    EXPECT_EQ(values, expected);
  });
  IsQuiet(errors);
}

TEST(Elements, EveryTypeAndOperation) {
  for (auto const n : {std::size_t{5}, std::size_t{50000}}) {
    CheckReduce<float>(ElementType::kF32, ReduceOp::kSum, n, std::plus<>());
    CheckReduce<double>(ElementType::kF64, ReduceOp::kMin, n, [](double a, double b) { return std::min(a, b); });
    CheckReduce<long double>(ElementType::kLongDouble, ReduceOp::kSum, n, std::plus<>());
    CheckReduce<std::int8_t>(ElementType::kI8, ReduceOp::kSum, n,
                             [](int a, int b) { return static_cast<std::int8_t>(a + b); });
    CheckReduce<std::int16_t>(ElementType::kI16, ReduceOp::kXor, n, std::bit_xor<>());
    CheckReduce<std::int32_t>(ElementType::kI32, ReduceOp::kAnd, n, std::bit_and<>());
    CheckReduce<std::int64_t>(ElementType::kI64, ReduceOp::kOr, n, std::bit_or<>());
    CheckReduce<std::uint8_t>(ElementType::kU8, ReduceOp::kMax, n, [](auto a, auto b) { return std::max(a, b); });
    CheckReduce<std::uint16_t>(ElementType::kU16, ReduceOp::kSum, n, std::plus<>());
    CheckReduce<std::uint32_t>(ElementType::kU32, ReduceOp::kXor, n, std::bit_xor<>());
    CheckReduce<std::uint64_t>(ElementType::kU64, ReduceOp::kMin, n, [](auto a, auto b) { return std::min(a, b); });
  }
}

/// Returns the number that a half-precision number's bits stand for, from their definition.
double ValueOfHalf(std::uint16_t bits) {
  auto const exponent = (bits >> 10) & 31;
  auto const fraction = bits & 1023;
  auto const size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

TEST(Elements, SumsOfHalfPrecisionNumbersAreRounded) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint16_t, 2> halves{};
    for (auto& half : halves) half = static_cast<std::uint16_t>(random());
    if (((halves[0] >> 10) & 31) >= 30 || ((halves[1] >> 10) & 31) >= 30) continue;  // the sum could be infinite
    auto const exact = ValueOfHalf(halves[0]) + ValueOfHalf(halves[1]);
    auto sum = halves[0];
    Span<std::byte const> const other(reinterpret_cast<std::byte const*>(&halves[1]), 2);
    PlainElements(&sum, 1, ElementType::kF16, ReduceOp::kSum)->Combine(0, 1, other);
    auto const error = std::abs(ValueOfHalf(sum) - exact);
    for (auto const step : {-1, 1}) {
      auto const near = static_cast<std::uint16_t>(sum + step);
      auto const is_comparable = ((near ^ sum) & 0x8000) == 0 && ((near >> 10) & 31) != 31;
      EXPECT_TRUE(!is_comparable || error <= std::abs(ValueOfHalf(near) - exact)) << halves[0] << " " << halves[1];
    }
  }
}

TEST(Elements, EveryReductionHasAShortNameOfItsOwn) {
  std::set<std::string> names;
  for (int type = 0; type < 12; ++type) {
    for (int op = 0; op < 6; ++op) {
      auto const name = ReductionName(static_cast<ReduceOp>(op), static_cast<ElementType>(type));
      EXPECT_LE(name.size(), 15U) << name;
      names.insert(name);
    }
  }
  EXPECT_EQ(names.size(), 72U);
  EXPECT_EQ(ReductionName(ReduceOp::kSum, ElementType::kI64), "sum i64");
  EXPECT_THROW(ReductionName(static_cast<ReduceOp>(6), ElementType::kI64), Error);
}

TEST(Elements, UnknownTypesAndOperationsAreRefused) {
  float value = 0;
  EXPECT_THROW(PlainElements(&value, 1, static_cast<ElementType>(12), ReduceOp::kSum), Error);
  EXPECT_THROW(PlainElements(&value, 1, ElementType::kF32, static_cast<ReduceOp>(6)), Error);
  EXPECT_THROW(PlainElements(&value, 1, ElementType::kF32, ReduceOp::kAnd), Error);
}

TEST(Channel, ProofsAreThoseOfRfc4231) {
  EXPECT_EQ(ProofOf(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(ProofOf("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(ProofOf(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Channel, MessagesCannotBeChangedOrRepeated) {
  auto pair = ConnectedPair();
  Channel server(std::move(pair.first), Side::kServer, "s");
  Channel client(std::move(pair.second), Side::kClient, "s");
  client.Queue("one");
  client.Flush();
  server.Flush();
  EXPECT_FALSE(client.Next());
  EXPECT_EQ(server.Receive(SecondsFromNow(kTimeout)), "one");
  client.Send("two", SecondsFromNow(kTimeout));
  EXPECT_EQ(server.Receive(SecondsFromNow(kTimeout)), "two");
  std::string const forged = "00000003" + std::string(64, '0') + "bad";
  client.Connection().Send(forged.data(), forged.size());
  EXPECT_THROW(server.Receive(SecondsFromNow(kTimeout)), Error);
}

}  // namespace
}  // namespace kauri
