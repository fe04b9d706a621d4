/// Base scores and gradients over several ranks: the same bits as in one process that has all rows.
#include "collective/ranks.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "collective/noise.h"
#include "collective/partitions.h"
#include "objective_fixture.h"

namespace kauri {
namespace {

struct Case {
  std::string name;
  ParamMap params;
  MetaInfo info;
  std::vector<float> margins;  ///< [n_rows, n_outputs]
  std::int64_t n_outputs = 1;
};

struct Result {
  std::vector<float> base_scores;
  std::vector<GradientPair> gradients;
  ObjectiveState state;
};

std::vector<float> WholeNumbers(std::size_t n, float below, std::uint32_t seed) {
  auto values = RandomValues(n, 0.0F, below, seed);
  for (auto& value : values) value = std::floor(value);
  return values;
}

/// Makes two of five labels missing, but none in the first row.
MetaInfo WithMissingLabels(MetaInfo info) {
  auto const draws = RandomValues(info.labels.size(), 0.0F, 1.0F, 12);
  for (auto i = ToSize(info.n_targets); i < info.labels.size(); ++i) {
    if (draws[i] < 0.4F) info.labels[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return info;
}

std::vector<Case> RowCases(std::int64_t n_rows, bool weighted) {
  auto const n = ToSize(n_rows);
  auto const weights = weighted ? RandomValues(n, 0.1F, 3.0F, 1) : std::vector<float>();
  auto const halves = MakeInfo(WholeNumbers(n, 2.0F, 2), weights);
  auto const positive = MakeInfo(RandomValues(n, 0.5F, 9.0F, 3), weights);
  auto const several = MakeInfo(RandomValues(3 * n, 0.0F, 1.0F, 4), weights, 3);
  auto const classes = MakeInfo(WholeNumbers(n, 4.0F, 5), weights);
  auto bounds = MakeInfo({}, weights);
  bounds.n_rows = n_rows;
  bounds.label_lower_bound = RandomValues(n, 0.5F, 2.0F, 6);
  bounds.label_upper_bound = RandomValues(n, 2.0F, 6.0F, 7);
  auto const margins = RandomValues(n, -2.0F, 2.0F, 8);
  auto const of_several = RandomValues(4 * n, -2.0F, 2.0F, 9);
  std::vector<Case> cases;
  for (auto const* name : {"binary:logistic", "binary:logitraw", "binary:hinge", "reg:logistic"}) {
    cases.push_back({name, {{"scale_pos_weight", "1.7"}}, halves, margins});
  }
  cases.back().params.clear();
  cases[2].params.clear();
  for (auto const* name : {"reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
                           "reg:huber", "reg:fair", "reg:mape", "count:poisson", "reg:gamma", "reg:tweedie"}) {
    cases.push_back({name, {}, positive, margins});
  }
  cases.push_back({"binary:exponential", {}, halves, margins});
  cases.push_back({"binary:focal", {{"focal_gamma", "1.5"}}, halves, margins});
  cases.push_back({"reg:quantileerror", {{"quantile_alpha", "0.3"}}, positive, margins});
  cases.push_back({"reg:expectileerror", {{"expectile_alpha", "0.3"}}, positive, margins});
  for (auto const* name : {"reg:squarederror", "reg:absoluteerror", "reg:logistic", "reg:pseudohubererror"}) {
    cases.push_back({name, {}, several, RandomValues(3 * n, -2.0F, 2.0F, 10), 3});
    cases.push_back({name, {}, WithMissingLabels(several), RandomValues(3 * n, -2.0F, 2.0F, 13), 3});
  }
  for (auto const* name : {"multi:softmax", "multi:softprob"}) {
    cases.push_back({name, {{"num_class", "4"}}, classes, of_several, 4});
  }
  cases.push_back({"reg:quantileerror", {{"quantile_alpha", "[0.1, 0.5, 0.8, 0.9]"}}, positive, of_several, 4});
  cases.push_back({"reg:expectileerror", {{"expectile_alpha", "[0.1, 0.5, 0.8, 0.9]"}}, positive, of_several, 4});
  cases.push_back({"survival:aft", {}, bounds, margins});
  return cases;
}

Result ResultOf(Case const& given, Context const& ctx) {
  auto const objective = MakeObjective(given.name, given.params);
  Result result;
  objective->ValidateInfo(Context(), given.info);
  result.base_scores = objective->EstimateBaseScore(ctx, given.info);
  auto const learning = objective->Learning(&result.state);
  for (std::int64_t iteration = 0; iteration < 2; ++iteration) {
    result.gradients.resize(given.margins.size());
    auto const& computes = learning == nullptr ? *objective : *learning;
    computes.ComputeGradients(ctx, given.margins, given.info, iteration, result.gradients);
  }
  return result;
}

template <typename T>
bool SameBits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Expects the results of one process. rank_case(all, rank): the case of a rank. rows_of(all, rank): its rows of all
/// gradients.
template <typename RankCase, typename RowsOfRank>
void ExpectAsOneProcess(int n_ranks, std::vector<Case> const& cases, std::vector<Result> const& expected,
                        std::string const& where, RankCase&& rank_case, RowsOfRank&& rows_of) {
  auto const errors = RunRanks(n_ranks, [&](Collective* group) {
    Context ctx;
    ctx.threads = 1 + group->Rank() % 2;
    ctx.collective = group;
    auto const rank = ToSize(group->Rank());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      auto const mine = ResultOf(rank_case(cases[i], rank), ctx);
      EXPECT_TRUE(SameBits(mine.base_scores, expected[i].base_scores)) << cases[i].name << " " << where;
      EXPECT_TRUE(SameBits(mine.gradients, rows_of(expected[i].gradients, cases[i], rank)))
          << cases[i].name << " " << where;
      EXPECT_EQ(mine.state, expected[i].state) << cases[i].name << " " << where;
    }
  });
  for (auto const& error : errors) EXPECT_EQ(error, "") << where;
}

std::vector<Result> ResultsOf(std::vector<Case> const& cases) {
  std::vector<Result> results;
  for (auto const& given : cases) results.push_back(ResultOf(given, Context()));
  return results;
}

void ExpectRows(std::vector<Case> const& cases, std::vector<Result> const& expected, Partition const& partition) {
  auto const where = partition.name + ", ranks " + std::to_string(partition.ranges.size());
  ExpectAsOneProcess(
      static_cast<int>(partition.ranges.size()), cases, expected, where,
      [&](Case const& all, std::size_t rank) {
        auto const& ranges = partition.ranges[rank];
        return Case{all.name, all.params, InfoOf(all.info, ranges), RowsOf(all.margins, ranges, all.n_outputs),
                    all.n_outputs};
      },
      [&](std::vector<GradientPair> const& gradients, Case const& all, std::size_t rank) {
        return RowsOf(gradients, partition.ranges[rank], all.n_outputs);
      });
}

TEST(ObjectiveOfRanks, OfRowsAreThoseOfOneProcess) {
  std::vector<std::pair<std::int64_t, bool>> const sets{
      {1, false}, {7, false}, {7, true}, {4096, false}, {9'000, true}};
  for (auto const& [n_rows, weighted] : sets) {
    auto const cases = RowCases(n_rows, weighted);
    auto const expected = ResultsOf(cases);
    for (int const n_ranks : {1, 2, 3, 5, 8}) {
      for (auto const& partition : Partitions(n_ranks, n_rows)) ExpectRows(cases, expected, partition);
    }
  }
}

/// All labels of one rank are equal, and another rank has no weight.
TEST(ObjectiveOfRanks, ClassesOfOneRankAndRanksWithoutWeight) {
  auto cases = RowCases(30, true);
  for (auto& given : cases) {
    std::fill(given.info.weights.begin(), given.info.weights.begin() + 15, 0.0F);
    if (given.info.n_targets == 1) std::sort(given.info.labels.begin(), given.info.labels.end());
  }
  ExpectRows(cases, ResultsOf(cases), {"halves", {{{0, 15}}, {}, {{15, 15}}}});
}

std::vector<Case> GroupCases(std::vector<std::int64_t> const& sizes, bool weighted) {
  auto const n = ToSize(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  auto degrees = MakeInfo(WholeNumbers(n, 5.0F, 3));
  degrees.group_ptr = {0};
  for (auto const size : sizes) degrees.group_ptr.push_back(degrees.group_ptr.back() + size);
  if (weighted) degrees.weights = WholeNumbers(sizes.size(), 3.0F, 1);
  if (weighted) degrees.weights.back() = 1.0F;
  auto halves = degrees;
  halves.labels = WholeNumbers(n, 2.0F, 4);
  auto const margins = RandomValues(n, -1.0F, 1.0F, 5);
  std::vector<Case> cases;
  for (auto const& params :
       {ParamMap{}, ParamMap{{"lambdarank_pair_method", "mean"}}, ParamMap{{"lambdarank_unbiased", "1"}},
        ParamMap{{"lambdarank_unbiased", "1"}, {"lambdarank_pair_method", "mean"}}}) {
    cases.push_back({"rank:ndcg", params, degrees, margins});
    cases.push_back({"rank:pairwise", params, degrees, margins});
    cases.push_back({"rank:map", params, halves, margins});
  }
  return cases;
}

TEST(ObjectiveOfRanks, OfQueryGroupsAreThoseOfOneProcess) {
  std::mt19937 random(3);
  for (std::int64_t const n_groups : {1, 6, 900}) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t group = 0; group < n_groups; ++group)
      sizes.push_back(1 + static_cast<std::int64_t>(random() % 12));
    for (bool const weighted : {false, true}) {
      auto const cases = GroupCases(sizes, weighted);
      auto const expected = ResultsOf(cases);
      for (int const n_ranks : {1, 2, 3, 5, 8}) {
        for (auto const& partition : GroupPartitions(n_ranks, n_groups)) {
          auto const& groups = partition.groups;
          ExpectAsOneProcess(
              n_ranks, cases, expected, partition.name + ", groups " + std::to_string(n_groups),
              [&](Case const& all, std::size_t rank) {
                return Case{all.name, all.params, InfoOfGroups(all.info, groups[rank]),
                            RowsOf(all.margins, RangesOfGroups(all.info, groups[rank])), 1};
              },
              [&](std::vector<GradientPair> const& gradients, Case const& all, std::size_t rank) {
                return RowsOf(gradients, RangesOfGroups(all.info, groups[rank]));
              });
        }
      }
    }
  }
}

TEST(ObjectiveOfRanks, OverANoisyWire) {
  auto const of_rows = RowCases(9000, true);
  auto const rows = Partitions(3, 9000)[2].ranges;
  auto const of_groups = GroupCases(std::vector<std::int64_t>(300, 5), true);
  auto const groups = GroupPartitions(3, 300)[6].groups;
  for (std::size_t i = 0; i < of_rows.size() + of_groups.size(); ++i) {
    ExpectErrorsAtMost(3, 12, [&](Context const& ctx) {
      auto const rank = ToSize(ctx.collective->Rank());
      auto const is_of_rows = i < of_rows.size();
      auto const& all = is_of_rows ? of_rows[i] : of_groups[i - of_rows.size()];
      auto const ranges = is_of_rows ? rows[rank] : RangesOfGroups(all.info, groups[rank]);
      auto const info = is_of_rows ? InfoOf(all.info, ranges) : InfoOfGroups(all.info, groups[rank]);
      ResultOf({all.name, all.params, info, RowsOf(all.margins, ranges, all.n_outputs), all.n_outputs}, ctx);
    });
  }
}

/// Expects that act(objective, ctx, info) fails on every rank.
template <typename Act>
void ExpectErrors(Case const& given, std::vector<MetaInfo> const& infos, std::string const& part, Act&& act) {
  auto const errors = RunRanks(static_cast<int>(infos.size()), [&](Collective* group) {
    Context ctx;
    ctx.collective = group;
    auto const objective = MakeObjective(given.name, given.params);
    auto const& info = infos[ToSize(group->Rank())];
    objective->ValidateInfo(Context(), info);
    act(*objective, ctx, info);
  });
  for (auto const& error : errors) EXPECT_NE(error.find(part), std::string::npos) << given.name << ": " << error;
}

void EstimateBase(Objective const& objective, Context const& ctx, MetaInfo const& info) {
  objective.EstimateBaseScore(ctx, info);
}

void Compute(Objective const& objective, Context const& ctx, MetaInfo const& info) {
  std::vector<GradientPair> out(info.labels.size());
  objective.ComputeGradients(ctx, std::vector<float>(out.size()), info, 0, out);
}

TEST(ObjectiveOfRanks, NoWeightOnAnyRank) {
  auto first = MakeInfo({0.0F, 1.0F}, {0.0F, 0.0F});
  auto second = first;
  second.global_rows = {{2, 2}};
  ParamMap const alphas{{"quantile_alpha", "0.3"}, {"expectile_alpha", "0.3"}};
  for (auto const* name : {"reg:squarederror", "reg:absoluteerror", "reg:quantileerror", "reg:expectileerror"}) {
    ExpectErrors({name, alphas, {}, {}}, {first, second}, "the weights of the 4 rows add up to 0", EstimateBase);
  }
  ExpectErrors({"multi:softprob", {{"num_class", "2"}}, {}, {}}, {first, second}, "weights of the 4 rows",
               EstimateBase);
  first.group_ptr = {0, 1, 2};
  first.global_rows = {{0, 2}};
  second.group_ptr = first.group_ptr;
  ExpectErrors({"rank:ndcg", {}, {}, {}}, {first, second}, "weights of the 4 query groups add up to 0", Compute);
  second.weights.clear();
  ExpectErrors({"rank:ndcg", {}, {}, {}}, {first, second}, "give weights on all ranks", Compute);
}

TEST(ObjectiveOfRanks, NoLabelOfATargetOnAnyRank) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto const first = MakeInfo({0.5F, nan, 1.0F, nan}, {}, 2);
  auto second = first;
  second.global_rows = {{2, 2}};
  for (auto const* name : {"reg:squarederror", "reg:absoluteerror", "reg:huber", "binary:focal"}) {
    auto infos = std::vector<MetaInfo>{first, second, MetaInfo()};
    if (std::string(name) == "binary:focal") infos[0].labels[0] = infos[1].labels[0] = 0.0F;
    ExpectErrors({name, {}, {}, {}}, infos, "labels of target 1 are NaN in all 4 rows", EstimateBase);
    infos[1].labels[3] = 1.0F;
    for (auto const& error : RunRanks(3, [&](Collective* group) {
           Context ctx;
           ctx.collective = group;
           EXPECT_EQ(MakeObjective(name)->EstimateBaseScore(ctx, infos[ToSize(group->Rank())]).size(), 2U) << name;
         })) {
      EXPECT_EQ(error, "") << name;
    }
  }
}

TEST(ObjectiveOfRanks, LabelsAreNamedByTheirRowAmongAll) {
  auto info = MakeInfo({0.0F, 1.0F, 1.0F, 7.0F});
  info.global_rows = {{10, 3}, {2, 1}};
  auto const message =
      MessageOf(ErrorKind::kData, [&] { MakeObjective("binary:logistic")->ValidateInfo(Context(), info); });
  EXPECT_NE(message.find("label 7 of row 2"), std::string::npos) << message;
}

TEST(ObjectiveOfRanks, CoxNeedsAllRows) {
  auto const first = MakeInfo({1.0F, -2.0F});
  auto second = first;
  second.global_rows = {{2, 2}};
  for (auto const& act : {EstimateBase, Compute}) {
    ExpectErrors({"survival:cox", {}, {}, {}}, {first, second}, "train in one process, or use survival:aft", act);
  }
}

TEST(ObjectiveOfRanks, WithoutRowsOnAnyRank) {
  for (auto const& given : RowCases(4, false)) {
    auto const objective = MakeObjective(given.name, given.params);
    auto const alone = objective->EstimateBaseScore(Context(), MetaInfo());
    for (auto const& error : RunRanks(2, [&](Collective* group) {
           Context ctx;
           ctx.collective = group;
           EXPECT_EQ(objective->EstimateBaseScore(ctx, MetaInfo()), alone) << given.name;
           objective->ComputeGradients(ctx, {}, MetaInfo(), 0, {});
         })) {
      EXPECT_EQ(error, "") << given.name;
    }
  }
}

}  // namespace
}  // namespace kauri
