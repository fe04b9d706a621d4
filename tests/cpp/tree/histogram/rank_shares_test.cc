/// Assignment of columns to ranks, the sums that each rank needs for them, and the best split over the ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "collective/ranks.h"
#include "tree/histogram/rank_histograms.h"

namespace kauri {
namespace {

Context In(Collective* group) {
  Context ctx;
  ctx.threads = 1;
  ctx.collective = group;
  return ctx;
}

void ExpectNone(std::vector<std::string> const& errors) {
  for (auto const& error : errors) EXPECT_EQ(error, "");
}

using Columns = std::vector<std::uint32_t>;

TEST(RankShares, HaveAboutAsManyCells) {
  EXPECT_EQ(ShareColumns(Columns{0, 1, 2, 3}, Columns{0, 10, 20, 30, 40}, 2), (Columns{0, 2, 4}));
  EXPECT_EQ(ShareColumns(Columns{0, 1, 2, 3}, Columns{0, 10, 20, 30, 40}, 1), (Columns{0, 4}));
  EXPECT_EQ(ShareColumns(Columns{0, 1, 2, 3}, Columns{0, 70, 80, 90, 100}, 2), (Columns{0, 1, 4}));
  EXPECT_EQ(ShareColumns(Columns{2, 3}, Columns{0, 10, 20, 30, 40, 50}, 2), (Columns{0, 3, 5}));
  EXPECT_EQ(ShareColumns(Columns{1}, Columns{0, 10, 20}, 3), (Columns{0, 2, 2, 2}));
  EXPECT_EQ(ShareColumns(Columns{}, Columns{0, 10, 20}, 3), (Columns{0, 2, 2, 2}));
}

TEST(RankShares, AreOfEveryColumnOnce) {
  std::mt19937 random(1);
  for (int n = 0; n < 300; ++n) {
    Columns begin{0};
    Columns features;
    for (std::uint32_t column = 0; column < random() % 40; ++column) {
      begin.push_back(begin.back() + 1 + random() % 300);
      if (random() % 3 != 0) features.push_back(column);
    }
    auto const n_ranks = 1 + static_cast<int>(random() % 9);
    auto const shares = ShareColumns(features, begin, n_ranks);
    ASSERT_EQ(shares.size(), static_cast<std::size_t>(n_ranks) + 1);
    EXPECT_EQ(shares.front(), 0U);
    EXPECT_EQ(shares.back(), begin.size() - 1);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  }
}

/// Each rank's part has the sums over all ranks; columns that no rank needs are not changed.
TEST(RankShares, GetTheSumsOfTheirColumns) {
  Columns const begin{0, 3, 4, 9, 11, 12};
  Columns const features{0, 2, 3, 4};  // not column 1
  for (int const n_ranks : {1, 2, 3, 7}) {
    for (bool const is_shared : {false, true}) {
      ExpectNone(RunRanks(n_ranks, [&](Collective* group) {
        std::vector<std::vector<std::int64_t>> histograms(5, std::vector<std::int64_t>(24));
        std::vector<std::int64_t*> pointers;
        for (std::size_t i = 0; i < histograms.size(); ++i) {
          std::iota(histograms[i].begin(), histograms[i].end(), 100 * static_cast<std::int64_t>(i));
          for (auto& number : histograms[i]) number *= group->Rank() + 1;
          pointers.push_back(histograms[i].data());
        }
        auto const before = histograms;
        auto const columns = is_shared ? ShareColumns(features, begin, n_ranks) : Columns{0, 5};
        std::vector<SumRanges> shares;
        for (std::size_t share = 0; share + 1 < columns.size(); ++share) {
          shares.push_back(NumbersOf(features, begin, 2, columns[share], columns[share + 1]));
        }
        std::vector<std::int64_t> scratch;
        SumHistograms(In(group), shares, pointers, &scratch);
        auto const& mine = shares[is_shared ? static_cast<std::size_t>(group->Rank()) : 0];
        for (std::size_t i = 0; i < histograms.size(); ++i) {
          for (auto const& range : mine) {
            for (auto k = range.begin; k < range.end; ++k) {
              EXPECT_EQ(histograms[i][k], (100 * i + k) * static_cast<std::size_t>(n_ranks * (n_ranks + 1) / 2));
            }
          }
          for (std::size_t k = 6; k < 8; ++k) EXPECT_EQ(histograms[i][k], before[i][k]);
        }
      }));
    }
  }
}

SplitCandidate RandomSplit(std::mt19937* random) {
  SplitCandidate split;
  if ((*random)() % 4 == 0) return split;
  split.feature = (*random)() % 5;
  split.loss_change = static_cast<double>((*random)() % 4) * 0.25;
  split.threshold = static_cast<float>((*random)()) - 2e9F;  // so that hardly any two are equal in all compared members
  split.default_left = (*random)() % 2 == 0;
  auto const sum = [&] { return static_cast<std::int64_t>((*random)()) - (std::int64_t{1} << 31U); };
  split.left = {sum() << 20U, sum()};
  split.right = {std::numeric_limits<std::int64_t>::min() + sum() + (std::int64_t{1} << 32U), 3};
  return split;
}

bool AreSame(SplitCandidate const& a, SplitCandidate const& b) {
  return a.feature == b.feature && a.loss_change == b.loss_change && a.threshold == b.threshold &&
         a.default_left == b.default_left && a.left.gradient == b.left.gradient && a.left.hessian == b.left.hessian &&
         a.right.gradient == b.right.gradient && a.right.hessian == b.right.hessian;
}

TEST(RankSplits, AllHaveTheBest) {
  constexpr std::size_t kNodes = 40;
  for (int const n_ranks : {1, 2, 3, 8}) {
    std::vector<std::vector<SplitCandidate>> found(static_cast<std::size_t>(n_ranks));
    std::mt19937 random(static_cast<unsigned>(n_ranks));
    for (auto& of_rank : found) {
      for (std::size_t node = 0; node < kNodes; ++node) of_rank.push_back(RandomSplit(&random));
    }
    auto best = found[0];
    for (auto const& of_rank : found) {
      for (std::size_t node = 0; node < kNodes; ++node) {
        if (IsBetter(of_rank[node], best[node])) best[node] = of_rank[node];
      }
    }
    ExpectNone(RunRanks(n_ranks, [&](Collective* group) {
      auto mine = found[static_cast<std::size_t>(group->Rank())];
      std::vector<RankedSplit> pointers;
      for (auto& candidate : mine) pointers.push_back({&candidate});
      BestOverRanks(In(group), 5, pointers);
      for (std::size_t node = 0; node < kNodes; ++node) {
        EXPECT_TRUE(AreSame(mine[node], best[node])) << node;
      }
    }));
  }
}

TEST(RankSplits, AColumnThatIsNoneIsRefused) {
  auto const errors = RunRanks(2, [](Collective* group) {
    SplitCandidate split;
    split.feature = 5;
    split.loss_change = 1.0;
    BestOverRanks(In(group), 5, {{&split}});
  });
  for (auto const& error : errors)
    EXPECT_NE(error.find("a split on column 5, but there are only 5 columns"), std::string::npos) << error;
}

}  // namespace
}  // namespace kauri
