#include "common/shuffle/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/shuffle/variable_philox.h"

namespace kauri {
namespace {

using Elements = std::vector<std::int64_t>;

Elements Shuffled(std::int64_t n, std::uint64_t seed, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  return Shuffle(n, seed).List(ctx);
}

bool IsPermutation(Elements elements) {
  std::sort(elements.begin(), elements.end());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

TEST(VariablePhilox, IsABijectionThatInverseUndoes) {
  for (int bits = VariablePhilox::kMinBits; bits <= 14; ++bits) {
    VariablePhilox const bijection(bits, 5);
    std::vector<bool> seen(bijection.DomainSize());
    for (std::uint64_t value = 0; value < bijection.DomainSize(); ++value) {
      auto const image = bijection.Forward(value);
      ASSERT_LT(image, bijection.DomainSize());
      ASSERT_FALSE(seen[image]) << bits << " bits";
      ASSERT_EQ(bijection.Inverse(image), value) << bits << " bits";
      seen[image] = true;
    }
  }
}

TEST(VariablePhilox, WideDomainsAreUndoneAsWell) {
  for (int bits = 15; bits <= VariablePhilox::kMaxBits; ++bits) {
    VariablePhilox const bijection(bits, 6);
    for (std::uint64_t i = 0; i < 100; ++i) {
      auto const value = RandomBits(7, i) % bijection.DomainSize();
      auto const image = bijection.Forward(value);
      ASSERT_LT(image, bijection.DomainSize());
      ASSERT_EQ(bijection.Inverse(image), value) << bits << " bits";
    }
  }
}

TEST(VariablePhilox, ManyAtOnceAreThoseOfOneAtATime) {
  for (int bits = VariablePhilox::kMinBits; bits <= VariablePhilox::kMaxBits; ++bits) {
    VariablePhilox const bijection(bits, 9);
    std::uint64_t values[5];
    std::uint64_t expected[5];
    for (std::uint64_t i = 0; i < 5; ++i) {
      values[i] = RandomBits(8, i) % bijection.DomainSize();
      expected[i] = bijection.Forward(values[i]);
    }
    bijection.ForwardMany(values);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(values[i], expected[i]) << bits << " bits";
  }
}

/// Tests the vector kernel at every width of this machine, from any starting number.
TEST(VariablePhilox, KeptImagesAreThoseOfOneAtATime) {
  for (int bits = VariablePhilox::kMinBits; bits <= VariablePhilox::kMaxBits; ++bits) {
    VariablePhilox const bijection(bits, 10);
    for (std::int64_t const n : {0, 1, 7, 8, 31, 32, 33, 100}) {
      auto const bound = 1 + RandomBits(11, static_cast<std::uint64_t>(bits)) % bijection.DomainSize();
      auto const first = RandomBits(12, static_cast<std::uint64_t>(n)) % bijection.DomainSize() / 2;
      auto const size = std::min(n, static_cast<std::int64_t>(bijection.DomainSize() - first));
      std::vector<std::uint64_t> expected;
      for (std::int64_t i = 0; i < size; ++i) {
        auto const image = bijection.Forward(first + static_cast<std::uint64_t>(i));
        if (image < bound) expected.push_back(image);
      }
      std::vector<std::uint64_t> kept(static_cast<std::size_t>(size));
      kept.resize(static_cast<std::size_t>(KeepPhiloxImages(bijection, first, size, bound, kept.data())));
      ASSERT_EQ(kept, expected) << bits << " bits, " << n << " from " << first;
    }
  }
}

/// Used for the bijections that serve as comparisons.
template <typename Bijection>
void ExpectBijective(std::int64_t n) {
  BijectiveShuffle<Bijection> const shuffle(n, 13);
  EXPECT_GE(shuffle.NumCandidates(), n);
  std::vector<bool> seen(static_cast<std::size_t>(shuffle.NumCandidates()));
  for (std::int64_t candidate = 0; candidate < shuffle.NumCandidates(); ++candidate) {
    auto const image = static_cast<std::size_t>(shuffle.Image(candidate));
    ASSERT_LT(image, seen.size());
    ASSERT_FALSE(seen[image]) << n;
    seen[image] = true;
  }
  Context ctx;
  ctx.threads = 3;
  EXPECT_TRUE(IsPermutation(shuffle.List(ctx))) << n;
}

TEST(Bijections, AreBijective) {
  for (std::int64_t const n : {0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 9000}) {
    ExpectBijective<LinearCongruential>(n);
    ExpectBijective<SwapOrNot>(n);
  }
}

TEST(Shuffle, IsAPermutationOfEverySize) {
  for (std::int64_t n = 0; n <= 4096; ++n) ASSERT_TRUE(IsPermutation(Shuffled(n, 11))) << n;
  EXPECT_TRUE(IsPermutation(Shuffled(1000003, 11)));
}

/// Compares with algorithm 1 as printed, one candidate at a time.
TEST(Shuffle, KeepsTheImagesInOrder) {
  for (std::int64_t const n : {1, 2, 31, 32, 33, 255, 257, 10000}) {
    Shuffle const shuffle(n, 3);
    EXPECT_GT(shuffle.NumCandidates(), n);  // otherwise all permutations would be even
    Elements expected;
    for (std::int64_t candidate = 0; candidate < shuffle.NumCandidates(); ++candidate) {
      if (shuffle.Image(candidate) < n) expected.push_back(shuffle.Image(candidate));
    }
    EXPECT_EQ(shuffle.List({}), expected) << n;
  }
}

TEST(Shuffle, ListFirstAndIndexAgree) {
  for (std::int64_t const n : {1, 7, 64, 1000, 9000}) {
    Shuffle const shuffle(n, 21);
    auto const list = shuffle.List({});
    for (std::int64_t const count : {std::int64_t{0}, std::int64_t{1}, n / 3, n - 1, n, n + 5}) {
      auto const end = list.begin() + std::min(count, n);
      EXPECT_EQ(shuffle.First({}, count), Elements(list.begin(), end)) << n << " " << count;
    }
    for (std::int64_t position = 0; position < n; position += 1 + n / 20) {
      EXPECT_EQ(shuffle.Index(position), list[position]) << n;
    }
  }
}

/// Ranks of single elements form another permutation than the list.
TEST(Shuffle, RanksAreAPermutation) {
  for (std::int64_t const n : {1, 2, 15, 16, 33, 1000}) {
    Shuffle const shuffle(n, 4);
    Elements ranks;
    for (std::int64_t element = 0; element < n; ++element) ranks.push_back(shuffle.Rank(element));
    EXPECT_TRUE(IsPermutation(ranks)) << n;
    // By definition, the orbit of an element without numbers that are not below n.
    for (std::int64_t element = 0; element < n; ++element) {
      auto place = shuffle.Image(element);
      while (place >= n) place = shuffle.Image(place);
      EXPECT_EQ(ranks[element], place);
    }
  }
}

TEST(Shuffle, DependsOnTheSeedAndNotOnThreads) {
  auto const list = Shuffled(5000011, 8, 1);  // more than one wave
  EXPECT_EQ(list, Shuffled(5000011, 8, 8));
  EXPECT_TRUE(IsPermutation(list));
  EXPECT_NE(Shuffled(100, 8), Shuffled(100, 9));
  EXPECT_NE(Shuffled(100, 8), Shuffled(100, std::uint64_t{8} << 32U));
}

TEST(Shuffle, KeepsItsPermutations) {  // files and folds depend on them
  EXPECT_EQ(Shuffled(10, 0), (Elements{3, 0, 5, 7, 4, 6, 8, 9, 1, 2}));
  EXPECT_EQ(Shuffle(std::int64_t{1} << 40, 1).First({}, 3), (Elements{820523266319, 248336609045, 909717095946}));
}

}  // namespace
}  // namespace kauri
