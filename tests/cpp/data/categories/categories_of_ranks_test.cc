#include <gtest/gtest.h>

#include "collective/ranks.h"
#include "data/categories/categories.h"
#include "support/error.h"

namespace kauri {
namespace {

TEST(UnionOverRanks, HasWhatOccursOnSomeRank) {
  std::vector<CategoryLists> const of_rank{{{1, 4}, {}, {7}}, {{}, {}, {}}, {{0, 4, 9}, {2}, {7}}};
  auto const errors = RunRanks(3, [&](Collective* collective) {
    Context ctx;
    ctx.collective = collective;
    EXPECT_EQ(UnionOverRanks(ctx, of_rank[collective->Rank()]), (CategoryLists{{0, 1, 4, 9}, {2}, {7}}));
    EXPECT_EQ(UnionOverRanks(ctx, {}), CategoryLists());
  });
  for (auto const& error : errors) EXPECT_EQ(error, "");
  EXPECT_EQ(UnionOverRanks({}, of_rank[0]), of_rank[0]);
}

TEST(UnionOverRanks, RefusesOtherNumbersOfColumns) {
  auto const errors = RunRanks(2, [&](Collective* collective) {
    Context ctx;
    ctx.collective = collective;
    UnionOverRanks(ctx, CategoryLists(collective->Rank() + 1));
  });
  for (auto const& error : errors) ExpectParts(error, {"number of columns", "rank 0 has 1, rank 1 has 2"});
}

}  // namespace
}  // namespace kauri
