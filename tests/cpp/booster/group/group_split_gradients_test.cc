/// Split gradients that differ from leaf gradients, on several ranks: the same bytes as one process.
#include <gtest/gtest.h>

#include "booster/group/group_fixture.h"

namespace kauri {
namespace {

using namespace group_test;

constexpr std::int64_t kRows = 700;
constexpr std::int64_t kSplits = 2;
constexpr std::int64_t kOutputs = 3;

/// Returns gradients and hessians, [n_rows, 2 * n_columns].
std::vector<float> MakeNumbers(std::int64_t n_columns, std::uint64_t seed) {
  testing::Random random(seed);
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < kRows * n_columns; ++i) {
    numbers.push_back(random.Normal());
    numbers.push_back(static_cast<float>(0.5 + random.Uniform()));
  }
  return numbers;
}

/// Returns the gradient pairs of some rows.
std::vector<GradientPair> PairsOf(std::vector<float> const& numbers, std::vector<std::int64_t> const& rows,
                                  std::int64_t n_columns) {
  auto const picked = Pick(numbers, rows, 2 * n_columns);
  std::vector<GradientPair> pairs;
  for (std::size_t i = 0; i < picked.size(); i += 2) pairs.push_back({picked[i], picked[i + 1]});
  return pairs;
}

std::string ModelOf(Collective* group, Params const& params, Table const& table,
                    std::vector<std::int64_t> const& rows) {
  Learner learner;
  for (auto const& [name, value] : params) learner.SetParam(name, value);
  // The caller's thread outlives the learner.
  if (group != nullptr) learner.SetCollective(std::shared_ptr<Collective>(std::shared_ptr<void>(), group));
  auto const data = MakeMatrix(table, rows, group != nullptr);
  for (int round = 0; round < 3; ++round) {
    auto const seed = std::uint64_t{10} * static_cast<std::uint64_t>(round);
    auto const splits = PairsOf(MakeNumbers(kSplits, seed), rows, kSplits);
    auto const leaves = PairsOf(MakeNumbers(kOutputs, seed + 1), rows, kOutputs);
    learner.BoostRound(data, round, SplitGradients{splits, kSplits, leaves});
  }
  return learner.SaveSnapshot();
}

TEST(GroupSplitGradients, AreThoseOfOneProcess) {
  Table table;
  table.n_cols = 4;
  table.values = testing::MakeValues({kRows, table.n_cols, 0.1, 0, false, 3});
  Params const vectors = {{"multi_strategy", "multi_output_tree"}, {"num_target", "3"}, {"max_depth", "4"}};
  std::vector<Params> const kinds{{},
                                  {{"subsample", "0.6"}},
                                  {{"subsample", "0.5"}, {"sampling_method", "gradient_based"}},
                                  {{"bagging_temperature", "1"}}};
  std::vector<Partition> const partitions{Contiguous(kRows, 2), RandomRuns(kRows, 4, 5), Scattered(kRows, 3, 3),
                                          OnLast(kRows, 2)};
  for (auto const& kind : kinds) {
    auto params = vectors;
    params.insert(params.end(), kind.begin(), kind.end());
    auto const alone = ModelOf(nullptr, params, table, AllRows(kRows));
    for (std::size_t number = 0; number < partitions.size(); ++number) {
      auto const& partition = partitions[number];
      auto const errors = RunRanks(static_cast<int>(partition.size()), [&](Collective* group) {
        auto const& rows = partition[static_cast<std::size_t>(group->Rank())];
        EXPECT_TRUE(ModelOf(group, params, table, rows) == alone) << "partition " << number;
      });
      for (auto const& error : errors) EXPECT_EQ(error, "") << "partition " << number;
    }
  }
}

}  // namespace
}  // namespace kauri
