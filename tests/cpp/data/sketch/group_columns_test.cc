#include "data/sketch/group_columns.h"

#include <gtest/gtest.h>

#include "data/ranks_data.h"
#include "support/error.h"

namespace kauri {
namespace {

using testing::ErrorsOnRanks;

/// Returns the common error of all ranks if rank 1 of three has different columns.
std::string Refusal(MetaInfo const& most_frequent, MetaInfo const& other) {
  auto const errors = ErrorsOnRanks(
      3, [&](Context const& ctx) { RequireSameColumns(ctx, ctx.collective->Rank() == 1 ? other : most_frequent); });
  for (auto const& error : errors) EXPECT_EQ(error, errors[0]);
  return errors[0];
}

TEST(GroupColumns, AreTheSameOnAllRanks) {
  MetaInfo info;
  info.n_rows = 5;
  info.n_cols = 2;
  info.feature_names = {"age", "town"};
  info.feature_types = {"q", "c"};
  info.category_names = {{}, {{"Bonn", "Köln"}, {}}};
  auto other = info;
  other.n_rows = 0;
  EXPECT_EQ(Refusal(info, other), "");
  other.feature_names = {"age", "city"};
  ExpectParts(Refusal(info, other), {"the name of column 1", "rank 0 has town, rank 1 has city"});
  other = info;
  other.feature_types = {"int", "c"};
  ExpectParts(Refusal(info, other), {"the type of column 0", "rank 0 has q, rank 1 has int"});
  other = info;
  other.category_names[1].texts = {"Bonn", "Trier"};
  ExpectParts(Refusal(info, other), {"the categories of column 1", "'Bonn', 'Köln'", "'Bonn', 'Trier'"});
  other = info;
  other.n_cols = 3;
  ExpectParts(Refusal(info, other), {"the number of columns", "rank 0 has 2, rank 1 has 3"});
  RequireSameColumns({}, info);
}

}  // namespace
}  // namespace kauri
