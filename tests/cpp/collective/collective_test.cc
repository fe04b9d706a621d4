#include <gtest/gtest.h>

#include <limits>

#include "collective/ranks.h"
#include "collective/reduce.h"

namespace kauri {
namespace {

using std::chrono::milliseconds;

Context In(Collective* group) {
  Context ctx;
  ctx.collective = group;
  return ctx;
}

void ExpectNone(std::vector<std::string> const& errors) {
  for (auto const& error : errors) EXPECT_EQ(error, "");
}

void ExpectAll(std::vector<std::string> const& errors, std::vector<std::string> const& parts) {
  for (auto const& error : errors) {
    for (auto const& part : parts) EXPECT_NE(error.find(part), std::string::npos) << error;
  }
}

TEST(Collective, SumsWrapAndMaximaAreUnsigned) {
  for (int const n_ranks : {1, 2, 3, 5, 8}) {
    ExpectNone(RunRanks(n_ranks, [&](Collective* group) {
      constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
      std::vector<std::int64_t> sums{group->Rank(), -1, group->Rank() == 0 ? kLargest : 1};
      SumOverRanks(In(group), sums);
      EXPECT_EQ(sums[0], n_ranks * (n_ranks - 1) / 2);
      EXPECT_EQ(sums[1], -n_ranks);
      auto const wrapped = static_cast<std::uint64_t>(kLargest) + static_cast<std::uint64_t>(n_ranks - 1);
      EXPECT_EQ(static_cast<std::uint64_t>(sums[2]), wrapped);
      EXPECT_EQ(MaxOverRanks(In(group), ~std::uint64_t{0} - static_cast<unsigned>(group->Rank())), ~std::uint64_t{0});
    }));
  }
}

TEST(Collective, PartsAreSummedWhereTheyAreNeeded) {
  for (int const n_ranks : {1, 2, 3, 5}) {
    ExpectNone(RunRanks(n_ranks, [&](Collective* group) {
      std::vector<std::uint64_t> begins{0};  // rank 1 has none
      for (int rank = 0; rank < n_ranks; ++rank) begins.push_back(begins.back() + (rank == 1 ? 0U : rank + 2U));
      std::vector<std::int64_t> values(begins.back(), group->Rank() + 1);
      group->SumParts(values, begins);
      for (auto i = begins[group->Rank()]; i < begins[group->Rank() + 1]; ++i) {
        EXPECT_EQ(values[i], n_ranks * (n_ranks + 1) / 2);
      }
    }));
  }
}

TEST(Collective, GathersWhatEachHasByRank) {
  ExpectNone(RunRanks(4, [](Collective* group) {
    std::vector<std::int32_t> const mine(static_cast<std::size_t>(group->Rank()) % 3, group->Rank());
    auto const all = GatherOverRanks(In(group), mine);
    ASSERT_EQ(all.size(), 4U);
    for (std::size_t rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(all[rank], std::vector<std::int32_t>(rank % 3, static_cast<std::int32_t>(rank)));
    }
  }));
}

TEST(Collective, EmptySpansAndManyCallsInARow) {
  ExpectNone(RunRanks(3, [](Collective* group) {
    SumOverRanks(In(group), Span<std::int64_t>());
    std::int64_t total = 0;
    for (int i = 0; i < 2000; ++i) total += SumOverRanks(In(group), std::int64_t{i});
    EXPECT_EQ(total, 3 * 1999 * 2000 / 2);
  }));
}

TEST(Collective, OneRankAsksNobody) {
  Context const alone;
  EXPECT_FALSE(IsDistributed(alone));
  EXPECT_EQ(SumOverRanks(alone, std::int64_t{7}), 7);
  EXPECT_EQ(GatherOverRanks(alone, std::vector<int>{1, 2}), (std::vector<std::vector<int>>{{1, 2}}));
}

TEST(Collective, RanksThatLoseStepAreTold) {
  auto const errors = RunRanks(3, [](Collective* group) {
    SumOverRanks(In(group), std::int64_t{1});
    if (group->Rank() == 1) {
      MaxOverRanks(In(group), std::uint64_t{1});
    } else {
      SumOverRanks(In(group), std::int64_t{1});
    }
  });
  ExpectAll(errors, {"rank 0 has call 1, Sum of 1", "rank 1 has call 1, Max of 1"});
}

TEST(Collective, OtherLengthsAreTold) {
  auto const errors = RunRanks(2, [](Collective* group) {
    std::vector<std::int64_t> values(group->Rank() == 0 ? 4 : 5);
    SumOverRanks(In(group), values);
  });
  ExpectAll(errors, {"Sum of 4", "Sum of 5"});
}

TEST(Collective, ARankThatStopsEndsTheOthersCalls) {
  auto const errors = RunRanks(3, [](Collective* group) {
    if (group->Rank() == 2) throw std::runtime_error("no more memory");
    SumOverRanks(In(group), std::int64_t{1});
  });
  ExpectAll(errors, {"no more memory"});
}

TEST(Collective, ARankThatStaysAwayIsWaitedForOnlySoLong) {
  auto const errors = RunRanks(
      2,
      [](Collective* group) {
        if (group->Rank() == 0) SumOverRanks(In(group), std::int64_t{1});
      },
      milliseconds(50));
  EXPECT_NE(errors[0].find("waited 50 ms"), std::string::npos) << errors[0];
  EXPECT_EQ(errors[1], "");
}

TEST(Collective, ADeadGroupStaysDead) {
  ThreadGroup group(2);
  group.Of(0)->Abort("the disk is full");
  group.Of(1)->Abort("a later reason");
  std::int64_t value = 1;
  for (int rank = 0; rank < 2; ++rank) {
    try {
      group.Of(rank)->Sum({&value, 1});
      FAIL();
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kCollective);
      EXPECT_STREQ(error.what(), "the disk is full");
    }
  }
}

TEST(Collective, WhatMustBeTheSameIsNamedWhereItIsNot) {
  auto const errors = RunRanks(2, [](Collective* group) {
    RequireSameOnRanks(In(group), "their parameters", "eta=0.3");
    RequireSameOnRanks(In(group), "their parameters", group->Rank() == 0 ? "eta=0.3" : "eta=0.1");
  });
  ExpectAll(errors, {"their parameters", "rank 0 has eta=0.3", "rank 1 has eta=0.1"});
}

}  // namespace
}  // namespace kauri
