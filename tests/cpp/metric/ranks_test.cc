/// Metrics over several ranks: the same bits as in one process that has all rows.
#include "collective/ranks.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "collective/noise.h"
#include "collective/partitions.h"
#include "metric_fixture.h"

namespace kauri {
namespace {

/// The inputs of a metric.
struct Case {
  std::string name;
  ParamMap params;
  MetaInfo info;
  std::vector<float> predictions;  ///< [n_rows, n_outputs]
  std::int64_t n_outputs = 1;
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
  auto const weights = weighted ? RandomValues(n, 0.0F, 3.0F, 1) : std::vector<float>();
  auto const classes = MakeInfo(WholeNumbers(n, 4.0F, 2), weights);
  auto const halves = MakeInfo(WholeNumbers(n, 2.0F, 3), weights);
  auto const counts = MakeInfo(RandomValues(n, 0.5F, 9.0F, 4), weights);
  auto const targets = MakeInfo(WholeNumbers(3 * n, 2.0F, 5), weights, 3);
  auto bounds = MakeInfo({}, weights);
  bounds.n_rows = n_rows;
  bounds.label_lower_bound = RandomValues(n, 0.5F, 2.0F, 6);
  bounds.label_upper_bound = RandomValues(n, 2.0F, 6.0F, 7);
  auto times = MakeInfo(RandomValues(n, -9.0F, 9.0F, 8), weights);
  auto const probabilities = RandomValues(n, 0.01F, 0.99F, 9);
  auto const of_several = RandomValues(4 * n, 0.0F, 1.0F, 10);
  std::vector<Case> cases;
  for (auto const* name :
       {"logloss", "error", "error@0.3", "auc", "aucpr", "rmse", "mae", "mphe", "huber", "fair", "focal", "r2"}) {
    cases.push_back({name, {}, halves, probabilities});
    cases.push_back({name, {}, targets, RandomValues(3 * n, 0.01F, 0.99F, 11), 3});
    cases.push_back({name, {}, WithMissingLabels(targets), RandomValues(3 * n, 0.01F, 0.99F, 13), 3});
  }
  for (auto const* name :
       {"poisson-nloglik", "rmsle", "mape", "gamma-nloglik", "gamma-deviance", "tweedie-nloglik@1.3"}) {
    cases.push_back({name, {}, counts, probabilities});
  }
  for (auto const* name : {"merror", "mlogloss", "auc", "aucpr", "auc_mu"})
    cases.push_back({name, {}, classes, of_several, 4});
  for (auto const* name : {"ams@0.2", "ams@0"}) cases.push_back({name, {}, halves, probabilities});
  cases.push_back({"quantile", {{"quantile_alpha", "[0.1, 0.5, 0.8, 0.9]"}}, counts, of_several, 4});
  cases.push_back({"expectile", {{"expectile_alpha", "[0.1, 0.5, 0.8, 0.9]"}}, counts, of_several, 4});
  cases.push_back({"aft-nloglik", {}, bounds, probabilities});
  cases.push_back({"interval-regression-accuracy", {}, bounds, probabilities});
  cases.push_back({"cox-nloglik", {}, times, probabilities});
  if (weighted) return cases;
  for (auto const* name : {"ndcg", "map", "pre@5"}) cases.push_back({name, {}, halves, probabilities});
  return cases;
}

std::vector<double> ValuesOf(std::vector<Case> const& cases, Context const& ctx) {
  std::vector<double> values;
  for (auto const& given : cases) {
    values.push_back(MakeMetric(given.name, given.params)->Evaluate(ctx, given.predictions, given.info));
  }
  return values;
}

/// Expects equal bits, including NaN.
void ExpectSame(std::vector<Case> const& cases, std::vector<double> const& values, std::vector<double> const& expected,
                std::string const& where) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(std::memcmp(&values[i], &expected[i], sizeof(double)), 0)
        << cases[i].name << " " << values[i] << " " << expected[i] << " " << where;
  }
}

/// Expects the results of one process. rank_case(all, rank): the case of a rank.
template <typename RankCase>
void ExpectAsOneProcess(int n_ranks, std::vector<Case> const& cases, std::vector<double> const& expected,
                        std::string const& where, RankCase&& rank_case) {
  auto const errors = RunRanks(n_ranks, [&](Collective* group) {
    Context ctx;
    ctx.threads = 1 + group->Rank() % 2;
    ctx.collective = group;
    std::vector<Case> mine;
    for (auto const& given : cases) mine.push_back(rank_case(given, ToSize(group->Rank())));
    ExpectSame(mine, ValuesOf(mine, ctx), expected, where);
  });
  for (auto const& error : errors) EXPECT_EQ(error, "") << where;
}

TEST(MetricOfRanks, OfRowsAreThoseOfOneProcess) {
  std::vector<std::pair<std::int64_t, bool>> const sets{
      {1, false}, {7, false}, {7, true}, {4096, false}, {9'000, true}};
  for (auto const& [n_rows, weighted] : sets) {
    auto const cases = RowCases(n_rows, weighted);
    auto const expected = ValuesOf(cases, Context());
    for (int const n_ranks : {1, 2, 3, 5, 8}) {
      for (auto const& partition : Partitions(n_ranks, n_rows)) {
        auto const where = partition.name + ", rows " + std::to_string(n_rows) + ", ranks " + std::to_string(n_ranks);
        ExpectAsOneProcess(n_ranks, cases, expected, where, [&](Case const& all, std::size_t rank) {
          auto const& ranges = partition.ranges[rank];
          return Case{all.name, all.params, InfoOf(all.info, ranges), RowsOf(all.predictions, ranges, all.n_outputs),
                      all.n_outputs};
        });
      }
    }
  }
}

std::vector<Case> GroupCases(std::vector<std::int64_t> const& sizes, bool weighted) {
  auto const n = ToSize(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  auto const weights = weighted ? WholeNumbers(sizes.size(), 3.0F, 1) : std::vector<float>();
  auto const scores = RandomValues(n, 0.0F, 1.0F, 2);
  auto const degrees = Grouped(MakeInfo(WholeNumbers(n, 5.0F, 3), weights), sizes);
  auto const halves = Grouped(MakeInfo(WholeNumbers(n, 2.0F, 4), weights), sizes);
  std::vector<Case> cases;
  for (auto const* name : {"ndcg", "ndcg@3", "ndcg@3-", "auc"}) cases.push_back({name, {}, degrees, scores});
  for (auto const* name : {"map", "map@2-", "pre", "pre@3", "aucpr"}) cases.push_back({name, {}, halves, scores});
  return cases;
}

TEST(MetricOfRanks, OfQueryGroupsAreThoseOfOneProcess) {
  std::mt19937 random(3);
  for (std::int64_t const n_groups : {1, 6, 700, 4500}) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t group = 0; group < n_groups; ++group)
      sizes.push_back(1 + static_cast<std::int64_t>(random() % 12));
    for (bool const weighted : {false, true}) {
      auto const cases = GroupCases(sizes, weighted);
      auto const expected = ValuesOf(cases, Context());
      for (int const n_ranks : {1, 2, 3, 5, 8}) {
        for (auto const& partition : GroupPartitions(n_ranks, n_groups)) {
          auto const where = partition.name + ", groups " + std::to_string(n_groups);
          ExpectAsOneProcess(n_ranks, cases, expected, where, [&](Case const& all, std::size_t rank) {
            auto const& groups = partition.groups[rank];
            return Case{all.name, all.params, InfoOfGroups(all.info, groups),
                        RowsOf(all.predictions, RangesOfGroups(all.info, groups)), 1};
          });
        }
      }
    }
  }
}

TEST(MetricOfRanks, OverANoisyWire) {
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
      MakeMetric(all.name, all.params)->Evaluate(ctx, RowsOf(all.predictions, ranges, all.n_outputs), info);
    });
  }
}

TEST(MetricOfRanks, NaNsWeightsOfZeroAndClassesOfOneRank) {
  auto cases = RowCases(30, true);
  for (auto& given : cases) {
    std::fill(given.info.weights.begin(), given.info.weights.begin() + 15, 0.0F);
    if (given.info.n_targets == 1 && given.name != "cox-nloglik") {
      std::sort(given.info.labels.begin(), given.info.labels.end());
    }
    if (given.name == "rmse" || given.name == "auc") given.predictions[3] = std::nanf("");
  }
  auto const expected = ValuesOf(cases, Context());
  Partition const halves{"halves", {{{0, 15}}, {}, {{15, 15}}}};
  ExpectAsOneProcess(3, cases, expected, halves.name, [&](Case const& all, std::size_t rank) {
    auto const& ranges = halves.ranges[rank];
    return Case{all.name, all.params, InfoOf(all.info, ranges), RowsOf(all.predictions, ranges, all.n_outputs),
                all.n_outputs};
  });
}

TEST(MetricOfRanks, WithoutRowsOnAnyRank) {
  for (auto const* name : {"rmse", "auc", "ndcg", "merror", "cox-nloglik", "logloss"}) {
    auto const metric = MakeMetric(name);
    auto const alone = metric->Evaluate(Context(), {}, MetaInfo());
    for (auto const& error : RunRanks(2, [&](Collective* group) {
           Context ctx;
           ctx.collective = group;
           auto const value = metric->Evaluate(ctx, {}, MetaInfo());
           EXPECT_TRUE(value == alone || (std::isnan(value) && std::isnan(alone))) << name;
         })) {
      EXPECT_EQ(error, "") << name;
    }
  }
}

void ExpectErrors(std::string const& metric, std::vector<MetaInfo> const& infos, std::string const& part) {
  auto const errors = RunRanks(static_cast<int>(infos.size()), [&](Collective* group) {
    Context ctx;
    ctx.collective = group;
    auto const& info = infos[ToSize(group->Rank())];
    MakeMetric(metric)->Evaluate(ctx, std::vector<float>(ToSize(info.n_rows)), info);
  });
  for (auto const& error : errors) EXPECT_NE(error.find(part), std::string::npos) << error;
}

TEST(MetricOfRanks, RanksThatDifferInWhatIsGiven) {
  auto first = MakeInfo({0.0F, 1.0F, 1.0F});
  auto second = first;
  second.global_rows = {{3, 3}};
  auto const grouped = Grouped(second, {3});
  for (auto const* name : {"ndcg", "auc"}) ExpectErrors(name, {first, grouped}, "some ranks have query groups");
  auto weighted = second;
  weighted.weights = {1.0F, 2.0F, 1.0F};
  ExpectErrors("auc", {first, weighted}, "0 and 1 weights per row");
  second.labels[2] = 7.0F;
  ExpectErrors("auc", {first, second}, "label 7 of row 5");  // names its number among all rows, on every rank
}

}  // namespace
}  // namespace kauri
