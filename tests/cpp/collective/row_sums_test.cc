/// Sums, rows and query groups over several ranks, compared with one process that has all rows.
#include "collective/row_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "collective/all_rows.h"
#include "collective/noise.h"
#include "collective/partitions.h"
#include "collective/query_order.h"
#include "collective/ranks.h"
#include "common/sums.h"

namespace kauri {
namespace {

/// Returns addends of very different sizes, so their sum depends on the order.
std::vector<float> Addends(std::int64_t n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponent(-20.0F, 20.0F);
  std::vector<float> values(ToSize(n));
  for (auto& value : values) value = std::exp2(exponent(random));
  return values;
}

double LaneTotal(Context const& ctx, MetaInfo const& info, std::vector<float> const& values, std::int64_t width) {
  auto const value_of = [&](std::int64_t item) { return static_cast<double>(values[ToSize(item)]); };
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    return SumInLanes<double>(end - begin, [&](std::int64_t i) { return value_of(begin + i); });
  };
  return SumRows<double>(ctx, info, {width}, sum_of, value_of, [](BlockValues<double> const& block) {
    return SumInLanes<double>(block.n, [&](std::int64_t i) { return block.values[i]; });
  });
}

/// Counts gathers and the bytes that this rank sends in them.
class CountingCollective : public Collective {
 public:
  explicit CountingCollective(Collective* group) : group_(group) {}
  int Rank() const override { return group_->Rank(); }
  int Size() const override { return group_->Size(); }
  void Sum(Span<std::int64_t> values) override { group_->Sum(values); }
  void Max(Span<std::uint64_t> values) override { group_->Max(values); }
  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override {
    ++n_gathers;
    n_bytes += mine.size();
    return group_->Gather(mine);
  }
  void Abort(std::string const& why) noexcept override { group_->Abort(why); }

  int n_gathers = 0;
  std::size_t n_bytes = 0;

 private:
  Collective* group_;
};

Context In(Collective* group) {
  Context ctx;
  ctx.threads = 2;
  ctx.collective = group;
  return ctx;
}

void ExpectNone(std::vector<std::string> const& errors, std::string const& where) {
  for (auto const& error : errors) EXPECT_EQ(error, "") << where;
}

MetaInfo RowsInfo(std::int64_t n_rows, std::vector<RowRange> ranges) {
  MetaInfo info;
  info.n_rows = n_rows;
  info.global_rows = std::move(ranges);
  return info;
}

TEST(RowSums, AreThoseOfOneProcessForAnyPartition) {
  for (std::int64_t const n_rows : {1, 5, 4095, 4096, 4097, 3 * 4096, 30'001}) {
    for (std::int64_t const width : {1, 3}) {
      auto const values = Addends(n_rows * width);
      auto const expected = LaneTotal(Context(), RowsInfo(n_rows, {}), values, width);
      for (int const n_ranks : {1, 2, 3, 5, 8}) {
        for (auto const& partition : Partitions(n_ranks, n_rows)) {
          auto const where = partition.name + " " + std::to_string(n_rows) + " rows, " + std::to_string(n_ranks);
          ExpectNone(RunRanks(n_ranks,
                              [&](Collective* group) {
                                auto const& ranges = partition.ranges[ToSize(group->Rank())];
                                auto const mine = RowsOf(values, ranges, width);
                                auto const info = RowsInfo(static_cast<std::int64_t>(mine.size()) / width, ranges);
                                EXPECT_EQ(LaneTotal(In(group), info, mine, info.n_rows == 0 ? 1 : width), expected)
                                    << where;
                              }),
                     where);
        }
      }
    }
  }
}

TEST(RowSums, WithoutRowsTheyAreZero) {
  ExpectNone(RunRanks(3, [](Collective* group) { EXPECT_EQ(LaneTotal(In(group), MetaInfo(), {}, 1), 0.0); }), "");
}

TEST(RowSums, OneGatherOfASumPerBlockAndTheValuesAtBothEnds) {
  constexpr std::int64_t kRows = 100 * kRowBlock;
  auto const values = Addends(2 * kRows);
  ExpectNone(RunRanks(2,
                      [&](Collective* group) {
                        CountingCollective counting(group);
                        auto const first = group->Rank() == 0 ? 0 : kRows + 1;
                        auto const count = group->Rank() == 0 ? kRows + 1 : kRows - 1;
                        auto const mine = RowsOf(values, {{first, count}});
                        LaneTotal(In(&counting), RowsInfo(count, {{first, count}}), mine, 1);
                        EXPECT_EQ(counting.n_gathers, 1);
                        std::size_t const n_sums = group->Rank() == 0 ? 100 : 99;
                        std::size_t const n_values = group->Rank() == 0 ? 1 : kRowBlock - 1;
                        std::size_t const heads = 4 * 8 + sizeof(ItemBlocks) + sizeof(RowRange);
                        EXPECT_EQ(counting.n_bytes, heads + 8 * (n_sums + n_values));
                      }),
             "");
}

void ExpectPartitionError(std::vector<std::vector<RowRange>> const& ranges) {
  auto const n_ranks = static_cast<int>(ranges.size());
  auto const sums = RunRanks(n_ranks, [&](Collective* group) {
    auto const& mine = ranges[ToSize(group->Rank())];
    LaneTotal(In(group), RowsInfo(mine[0].count, mine), Addends(mine[0].count), 1);
  });
  auto const rows = RunRanks(n_ranks, [&](Collective* group) {
    auto const& mine = ranges[ToSize(group->Rank())];
    auto const values = Addends(mine[0].count);
    GatherRows(In(group), RowsInfo(mine[0].count, mine), {{"values", values}});
  });
  for (auto const* errors : {&sums, &rows}) {
    for (auto const& error : *errors) {
      EXPECT_NE(error.find("each row exactly once"), std::string::npos) << error;
      EXPECT_NE(error.find("set global_rows"), std::string::npos) << error;
    }
  }
}

TEST(RowSums, RowsTwiceOrMissing) {
  ExpectPartitionError({{{0, 10}}, {{0, 10}}});
  ExpectPartitionError({{{0, 10}}, {{9, 10}}});
  ExpectPartitionError({{{0, 10}}, {{11, 10}}});
  ExpectPartitionError({{{0, 10'000}}, {{4096, 10'000}}});
  ExpectPartitionError({{{4096, 4096}}, {{4096, 4096}}});
  ExpectPartitionError({{{4096, 4096}}, {{5000, 100}}});
  ExpectPartitionError({{{std::int64_t{1} << 31, 10}}, {{0, 10}}});
}

TEST(RowSums, RangesThatAreNoRangesOfTheRows) {
  EXPECT_THROW(RangesOf(RowsInfo(5, {{0, 4}})), Error);
  EXPECT_THROW(RangesOf(RowsInfo(5, {{-1, 5}})), Error);
  EXPECT_THROW(RangesOf(RowsInfo(5, {{std::int64_t{1} << 33, 5}})), Error);
  EXPECT_THROW(RangesOf(RowsInfo(0, {{0, 5}, {5, -5}})), Error);
  EXPECT_EQ(RangesOf(RowsInfo(5, {})), (std::vector<RowRange>{{0, 5}}));
  EXPECT_EQ(RangesOf(RowsInfo(6, {{4, 2}, {6, 1}, {9, 0}, {2, 3}})), (std::vector<RowRange>{{4, 3}, {2, 3}}));
}

TEST(RowSums, RanksThatDifferInWhatARowHas) {
  for (auto const& error : RunRanks(2, [](Collective* group) {
         auto const width = group->Rank() + 1;
         std::vector<RowRange> const mine{{group->Rank() * 5, 5}};
         LaneTotal(In(group), RowsInfo(5, mine), Addends(5 * width), width);
       })) {
    EXPECT_NE(error.find("1 and 2 values per row"), std::string::npos) << error;
  }
}

TEST(AllRows, AreInTheirGlobalOrder) {
  auto const one = Addends(9001);
  auto const two = Addends(2 * 9001);
  for (int const n_ranks : {1, 2, 3, 8}) {
    for (auto const& partition : Partitions(n_ranks, 9001)) {
      ExpectNone(
          RunRanks(n_ranks,
                   [&](Collective* group) {
                     auto const& ranges = partition.ranges[ToSize(group->Rank())];
                     auto const first = RowsOf(one, ranges);
                     auto const second = RowsOf(two, ranges, 2);
                     auto const info = RowsInfo(static_cast<std::int64_t>(first.size()), ranges);
                     auto const all = GatherRows(In(group), info, {{"first", first}, {"none", {}}, {"second", second}});
                     EXPECT_EQ(all.n_rows, 9001);
                     EXPECT_EQ(all.columns[0], one) << partition.name;
                     EXPECT_TRUE(all.columns[1].empty());
                     EXPECT_EQ(all.columns[2], two) << partition.name;
                   }),
          partition.name);
    }
  }
}

TEST(AllRows, AllRanksHaveAsMany) {
  for (auto const& error : RunRanks(3, [](Collective* group) {
         std::vector<float> const weights(group->Rank() == 1 ? 4 : 0);
         std::vector<RowRange> const mine{{group->Rank() * 4, 4}};
         GatherRows(In(group), RowsInfo(4, mine), {{"weights", weights}});
       })) {
    EXPECT_NE(error.find("0 and 1 weights per row"), std::string::npos) << error;
  }
}

TEST(QueryOrder, GroupsAreNumberedByTheirFirstRows) {
  MetaInfo all;
  all.group_ptr = {0};
  for (std::int64_t group = 0; group < 40; ++group) all.group_ptr.push_back(all.group_ptr.back() + 1 + group % 7);
  all.n_rows = all.group_ptr.back();
  for (int const n_ranks : {1, 2, 3, 5, 8}) {
    for (auto const& partition : GroupPartitions(n_ranks, 40)) {
      ExpectNone(RunRanks(n_ranks,
                          [&](Collective* group) {
                            auto const& mine = partition.groups[ToSize(group->Rank())];
                            QueryOrder const order(In(group), InfoOfGroups(all, mine));
                            EXPECT_EQ(order.NumGroups(), 40);
                            EXPECT_EQ(order.NumRows(), all.n_rows);
                            ASSERT_EQ(order.NumMine(), static_cast<std::int64_t>(mine.size()));
                            for (std::size_t i = 0; i < mine.size(); ++i) {
                              EXPECT_EQ(order.Number(static_cast<std::int64_t>(i)), mine[i]) << partition.name;
                            }
                          }),
                 partition.name);
    }
  }
}

TEST(QueryOrder, GroupsWithoutRowsGoWithTheRowsBefore) {
  ExpectNone(
      RunRanks(
          2,
          [](Collective* group) {
            auto const is_first = group->Rank() == 1;
            auto info = RowsInfo(is_first ? 3 : 2, {{is_first ? 0 : 3, is_first ? 3 : 2}});
            info.group_ptr = is_first ? std::vector<std::int64_t>{0, 0, 3, 3} : std::vector<std::int64_t>{0, 1, 1, 2};
            QueryOrder const order(In(group), info);
            EXPECT_EQ(order.NumGroups(), 6);
            for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(order.Number(i), is_first ? i : 3 + i);
          }),
      "");
}

TEST(QueryOrder, AGroupOfRowsThatAreApart) {
  for (auto const& error : RunRanks(2, [](Collective* group) {
         auto info = RowsInfo(4, {{2 * group->Rank(), 2}, {4 + 2 * group->Rank(), 2}});
         info.group_ptr = {0, 1, 4};
         QueryOrder(In(group), info);
       })) {
    EXPECT_NE(error.find("query group 1"), std::string::npos) << error;
    EXPECT_NE(error.find("move all its rows to the rank"), std::string::npos) << error;
  }
}

TEST(NoisyWire, SumsRowsAndGroups) {
  auto const values = Addends(2 * 9001);
  auto const pieces = Partitions(3, 9001)[6].ranges;
  ExpectErrorsAtMost(3, 300, [&](Context const& ctx) {
    auto const& ranges = pieces[ToSize(ctx.collective->Rank())];
    auto const mine = RowsOf(values, ranges, 2);
    auto info = RowsInfo(static_cast<std::int64_t>(mine.size()) / 2, ranges);
    LaneTotal(ctx, info, mine, 2);
    GatherRows(ctx, info, {{"values", mine}});
    info.group_ptr = {0, 1, info.n_rows};
    if (ranges.size() == 1) QueryOrder(ctx, info);
  });
}

TEST(Parcel, ArraysThatAreNotWhole) {
  Parcel parcel;
  parcel.Add(std::vector<float>{1.0F, 2.0F, 3.0F});
  OpenParcel whole(parcel.Bytes());
  EXPECT_EQ(whole.Take<float>(), (std::vector<float>{1.0F, 2.0F, 3.0F}));
  EXPECT_THROW(whole.Take<float>(), Error);
  EXPECT_THROW(OpenParcel(parcel.Bytes()).Take<double>(), Error);
  auto cut = parcel.Bytes();
  cut.pop_back();
  EXPECT_THROW(OpenParcel(cut).Take<float>(), Error);
}

}  // namespace
}  // namespace kauri
