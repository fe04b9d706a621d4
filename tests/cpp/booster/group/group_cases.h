/// \file Training cases for groups, and the check that a group learns the same as one process.
#pragma once

#include <gtest/gtest.h>

#include "booster/group/group_fixture.h"

namespace kauri::group_test {

constexpr std::int64_t kRows = 1500;

/// Returns features with missing values, ties, few values and a constant; labels have a signal. classes 0: real values.
inline Table MakeTable(std::int64_t n_rows, int classes, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Table table;
  table.n_cols = 6;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    float x[6] = {normal(generator),
                  std::round(3 * normal(generator)),
                  normal(generator),
                  static_cast<float>(generator() % 3),
                  std::exp(3 * normal(generator)),
                  1.0F};
    auto const signal = x[0] + (x[1] > 0 ? x[2] : -x[3]) + 0.3F * normal(generator);
    auto const label = std::clamp(static_cast<int>(signal + 1.5F), 0, std::max(classes, 1) - 1);
    table.labels.push_back(classes == 0 ? signal : static_cast<float>(label));
    if (generator() % 4 == 0) x[generator() % 5] = std::numeric_limits<float>::quiet_NaN();
    table.values.insert(table.values.end(), x, x + 6);
  }
  return table;
}

struct Case {
  std::string name;
  Params params;
  Table table;
};

inline std::vector<Partition> Partitions(std::int64_t n_rows) {
  return {Contiguous(n_rows, 2),    Contiguous(n_rows, 5),   RandomRuns(n_rows, 3, 1),
          RandomRuns(n_rows, 8, 2), Scattered(n_rows, 3, 3), OnLast(n_rows, 2)};
}

/// Expects that training with each partition gives the same result as one process.
inline void ExpectSame(Case const& spec, std::vector<Partition> const& partitions, int n_rounds = 4) {
  auto const n_rows = spec.table.NumRows();
  auto const whole = MakeMatrix(spec.table, AllRows(n_rows), false);
  auto const alone = Train(nullptr, spec.params, n_rounds, whole, whole);
  for (std::size_t number = 0; number < partitions.size(); ++number) {
    auto const& partition = partitions[number];
    auto const n_ranks = static_cast<int>(partition.size());
    auto const errors = RunRanks(n_ranks, [&](Collective* group) {
      auto const& rows = partition[static_cast<std::size_t>(group->Rank())];
      auto const mine = MakeMatrix(spec.table, rows, true);
      auto const trained = Train(group, spec.params, n_rounds, mine, mine);
      EXPECT_EQ(trained.lines, alone.lines) << spec.name << ", partition " << number << ", rank " << group->Rank();
      EXPECT_TRUE(trained.model == alone.model) << spec.name << ", partition " << number << ", rank " << group->Rank();
    });
    for (auto const& error : errors) EXPECT_EQ(error, "") << spec.name << ", partition " << number;
  }
}

}  // namespace kauri::group_test
