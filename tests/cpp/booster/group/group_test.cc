/// Several ranks learn the same as one process from all rows: the same bytes of the model, the same digits of metrics.
#include <gtest/gtest.h>

#include "booster/group/group_cases.h"
#include "support/error.h"

namespace kauri {
namespace {

using namespace group_test;

TEST(Group, SquaredErrorOfAnyPartition) {
  ExpectSame({"squared error", {{"max_depth", "5"}, {"max_bin", "32"}}, MakeTable(kRows, 0, 1)}, Partitions(kRows));
}

TEST(Group, OfOneRankIsAProcessAlone) {
  ExpectSame({"one rank", {{"max_depth", "4"}}, MakeTable(300, 0, 9)}, {Contiguous(300, 1)});
}

TEST(Group, GrowthAndSampling) {
  std::vector<std::pair<std::string, Params>> const kinds{
      {"lossguide", {{"grow_policy", "lossguide"}, {"max_leaves", "20"}, {"max_depth", "0"}}},
      {"symmetric", {{"grow_policy", "symmetric"}, {"max_depth", "5"}, {"colsample_bylevel", "0.7"}}},
      {"rows drawn", {{"subsample", "0.6"}, {"seed", "7"}}},
      {"rows drawn by gradients", {{"subsample", "0.4"}, {"sampling_method", "gradient_based"}}},
      {"rows weighed", {{"subsample", "0.8"}, {"bagging_temperature", "1"}}},
      {"columns drawn", {{"colsample_bytree", "0.7"}, {"colsample_bylevel", "0.7"}, {"colsample_bynode", "0.7"}}},
      {"dart", {{"booster", "dart"}, {"rate_drop", "0.5"}}},
      {"a forest", {{"num_parallel_tree", "3"}, {"subsample", "0.5"}}},
      {"approx", {{"tree_method", "approx"}}},
      {"constraints", {{"monotone_constraints", "(1,-1,0,0,0,0)"}, {"interaction_constraints", "[[0,1],[2,3,4]]"}}},
      {"many bins", {{"max_bin", "1000"}, {"min_child_weight", "5"}}},
  };
  for (auto const& [name, params] : kinds) {
    ExpectSame({name, params, MakeTable(kRows, 0, 2)}, {Contiguous(kRows, 3), RandomRuns(kRows, 4, 5)});
  }
}

TEST(Group, Objectives) {
  for (auto const* name : {"binary:logistic", "binary:hinge", "reg:squarederror", "reg:absoluteerror",
                           "reg:pseudohubererror", "reg:quantileerror", "reg:expectileerror"}) {
    auto const is_binary = std::string(name).find("binary") == 0;
    Params params{{"objective", name}, {"max_depth", "4"}};
    if (std::string(name) == "reg:quantileerror") params.emplace_back("quantile_alpha", "0.3");
    if (std::string(name) == "reg:expectileerror") params.emplace_back("expectile_alpha", "0.8");
    ExpectSame({name, params, MakeTable(kRows, is_binary ? 2 : 0, 3)}, {Contiguous(kRows, 3), RandomRuns(kRows, 4, 6)});
  }
  auto positive = MakeTable(kRows, 3, 4);
  for (auto const* name : {"count:poisson", "reg:gamma", "reg:tweedie", "reg:squaredlogerror"}) {
    auto table = positive;
    for (auto& label : table.labels) label += std::string(name) == "reg:gamma" ? 0.5F : 0.0F;
    ExpectSame({name, {{"objective", name}}, table}, {Contiguous(kRows, 3), RandomRuns(kRows, 4, 7)});
  }
}

TEST(Group, Classes) {
  for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
    Params const params{{"objective", "multi:softprob"}, {"num_class", "4"},        {"multi_strategy", strategy},
                        {"eval_metric", "mlogloss"},     {"eval_metric", "merror"}, {"eval_metric", "auc"}};
    ExpectSame({strategy, params, MakeTable(kRows, 4, 5)}, {Contiguous(kRows, 3), RandomRuns(kRows, 4, 8)});
  }
}

TEST(Group, SymmetricTreesOfClasses) {
  Params const params{{"objective", "multi:softprob"}, {"num_class", "4"},   {"multi_strategy", "multi_output_tree"},
                      {"grow_policy", "symmetric"},    {"extra_trees", "1"}, {"max_depth", "6"},
                      {"random_strength", "0.5"},      {"subsample", "0.8"}};
  auto table = MakeTable(kRows, 4, 15);
  ExpectSame({"numbers", params, table}, Partitions(kRows));
  for (std::int64_t row = 0; row < kRows; ++row) table.values[row * 6 + 3] = static_cast<float>((row * 7) % 40);
  table.types = {"float", "float", "float", "c", "float", "float"};
  ExpectSame({"categories", params, table}, {Contiguous(kRows, 3), RandomRuns(kRows, 4, 9)});
  table.types.clear();
  for (std::size_t i = 0; i < table.values.size(); i += 3) table.values[i] = std::numeric_limits<float>::quiet_NaN();
  table.sparse = true;
  ExpectSame({"sparse rows", params, table}, {Contiguous(kRows, 3), RandomRuns(kRows, 4, 9)});
}

TEST(Group, WeightsAndBaseMargins) {
  auto table = MakeTable(kRows, 2, 6);
  std::mt19937 generator(11);
  for (std::int64_t row = 0; row < kRows; ++row) {
    table.weights.push_back(static_cast<float>(generator() % 5) * 0.37F);
    table.base_margin.push_back(static_cast<float>(generator() % 7) * 0.1F - 0.3F);
  }
  Params const params{
      {"objective", "binary:logistic"}, {"eval_metric", "logloss"}, {"eval_metric", "auc"}, {"eval_metric", "aucpr"}};
  ExpectSame({"weights", params, table}, Partitions(kRows));
}

TEST(Group, CategoriesAndSparseRows) {
  auto table = MakeTable(kRows, 2, 7);
  for (std::int64_t row = 0; row < kRows; ++row) {
    table.values[row * 6 + 3] = static_cast<float>((row * 7) % 40);
    auto const third = row / 500;  // some ranks have only one of three classes
    table.values[row * 6 + 5] = static_cast<float>(third);
  }
  table.types = {"float", "float", "float", "c", "float", "c"};
  ExpectSame({"categories", {{"objective", "binary:logistic"}}, table}, Partitions(kRows));
  auto sparse = MakeTable(kRows, 0, 8);
  std::mt19937 generator(12);
  for (auto& value : sparse.values) {
    if (generator() % 3 != 0) value = std::numeric_limits<float>::quiet_NaN();
  }
  sparse.sparse = true;
  ExpectSame({"sparse rows", {}, sparse}, Partitions(kRows));
}

TEST(Group, FlagsThatShareColumns) {
  auto table = MakeTable(kRows, 0, 13);
  table.n_cols = 24;
  std::vector<float> wide;
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t col = 0; col < 24; ++col) {
      wide.push_back(col < 2 ? table.values[row * 6 + col] : static_cast<float>((row * 31 + row / 7) % 22 == col - 2));
    }
  }
  table.values = wide;
  ExpectSame({"one-hot columns", {}, table}, Partitions(kRows));
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (i % 24 >= 2 && wide[i] == 0.0F) table.values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  table.sparse = true;
  ExpectSame({"one-hot entries", {}, table}, Partitions(kRows));
}

/// Counts the sums of which each rank needs only a part.
class CountsParts : public Collective {
 public:
  explicit CountsParts(Collective* group) : group_(group) {}

  int NumCalls() const { return n_calls_; }
  int Rank() const override { return group_->Rank(); }
  int Size() const override { return group_->Size(); }
  void Sum(Span<std::int64_t> values) override { group_->Sum(values); }
  void SumParts(Span<std::int64_t> values, Span<std::uint64_t const> begins) override {
    ++n_calls_;
    group_->SumParts(values, begins);
  }
  void Max(Span<std::uint64_t> values) override { group_->Max(values); }
  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override { return group_->Gather(mine); }
  void Abort(std::string const& why) noexcept override { group_->Abort(why); }

 private:
  Collective* group_;
  int n_calls_ = 0;
};

/// Expects the same as ExpectSame, and that ranks share the columns in every tree.
void ExpectShared(Case const& spec, std::vector<Partition> const& partitions) {
  ExpectSame(spec, partitions, 2);
  auto const& partition = partitions.front();
  auto const errors = RunRanks(static_cast<int>(partition.size()), [&](Collective* group) {
    CountsParts counts(group);
    auto const mine = MakeMatrix(spec.table, partition[static_cast<std::size_t>(group->Rank())], true);
    Train(&counts, spec.params, 2, mine, mine);
    EXPECT_GE(counts.NumCalls(), 2) << spec.name;
  });
  for (auto const& error : errors) EXPECT_EQ(error, "") << spec.name;
}

/// Levels with so many histogram cells that each rank searches a share of the columns, from the root or from some
/// depth.
TEST(Group, LevelsThatRanksShare) {
  constexpr std::int64_t kCols = 300;
  constexpr std::int64_t kFewRows = 350;
  auto table = MakeTable(kFewRows, 0, 23);
  std::mt19937 generator(24);
  std::normal_distribution<float> normal;
  table.n_cols = kCols;
  table.values.clear();
  for (std::int64_t i = 0; i < kFewRows * kCols; ++i) {
    auto const value = i % kCols == 7 ? table.labels[i / kCols] : normal(generator);
    table.values.push_back(generator() % 5 == 0 ? std::numeric_limits<float>::quiet_NaN() : value);
  }
  std::vector<std::pair<std::string, Params>> const kinds{
      {"plain", {{"max_depth", "4"}, {"nthread", "2"}}},
      {"columns drawn", {{"colsample_bytree", "0.95"}, {"colsample_bynode", "0.5"}, {"max_depth", "3"}}},
      {"lossguide", {{"grow_policy", "lossguide"}, {"max_leaves", "5"}, {"max_depth", "0"}}},
      {"approx", {{"tree_method", "approx"}, {"max_depth", "2"}}},
  };
  for (auto [name, params] : kinds) {
    params.emplace_back("max_bin", "512");  // each value has its own bin, whose edges are quick to compute
    ExpectShared({name, params, table}, {Contiguous(kFewRows, 2), RandomRuns(kFewRows, 3, 25)});
  }
  ExpectShared({"all rows on one rank", kinds[0].second, table}, {OnLast(kFewRows, 3)});
  Params const deep{{"max_depth", "8"}, {"max_bin", "1000"}, {"min_child_weight", "0"}};
  ExpectShared({"more ranks than columns", deep, MakeTable(1000, 0, 26)}, {Contiguous(1000, 7)});
}

/// Returns 1200 rows of queries.
Table MakeQueries(int classes, unsigned seed) {
  auto table = MakeTable(1200, classes, seed);
  for (std::int64_t left = 1200; left > 0;) {
    auto const size = std::min<std::int64_t>(left, 5 + left % 17);
    table.group_sizes.push_back(size);
    left -= size;
  }
  return table;
}

/// Returns queries in runs of `n_in_run`; each rank has every third run.
Partition ThirdsOf(Table const& table, std::size_t n_in_run) {
  Partition partition(3);
  std::int64_t row = 0;
  for (std::size_t group = 0; group < table.group_sizes.size(); ++group) {
    for (std::int64_t i = 0; i < table.group_sizes[group]; ++i) partition[(group / n_in_run) % 3].push_back(row++);
  }
  return partition;
}

TEST(Group, Queries) {
  auto const table = MakeQueries(4, 10);
  auto const partition = ThirdsOf(table, 5);
  for (auto const* name : {"rank:ndcg", "rank:pairwise", "rank:map"}) {
    auto labels = table;
    if (std::string(name) == "rank:map") {
      for (auto& label : labels.labels) label = label > 1 ? 1.0F : 0.0F;
    }
    auto const* metric = std::string(name) == "rank:map" ? "map" : "ndcg@5";
    Params const params{{"objective", name}, {"eval_metric", metric}, {"lambdarank_num_pair_per_sample", "3"}};
    ExpectSame({name, params, labels}, {partition});
  }
}

TEST(Group, AnExactNumberOfRowsOfAllRanks) {
  auto const table = MakeTable(1000, 0, 29);
  Params const drawn{{"sampling_method", "without_replacement"}, {"subsample", "0.6"}, {"seed", "3"}};
  ExpectSame({"drawn", drawn, table}, Partitions(1000));
}

TEST(Group, QueriesDrawnWhole) {
  auto const table = MakeQueries(0, 27);
  std::vector<Partition> const partitions{ThirdsOf(table, 1), ThirdsOf(table, 5), OnLast(1200, 2)};
  Params const drawn{{"sampling_method", "by_query"}, {"subsample", "0.6"}, {"seed", "3"}};
  ExpectSame({"drawn", drawn, table}, partitions);
  ExpectSame({"weighed", {{"sampling_method", "by_query"}, {"bagging_temperature", "0.5"}}, table}, partitions);
  auto const errors = RunRanks(2, [&](Collective* group) {
    auto const mine = MakeMatrix(MakeTable(100, 0, 28), AllRows(100), true);
    auto const begin = group->Rank() * std::int64_t{50};
    mine->MutableInfo()->global_rows = {{begin, 50}, {begin + 100, 50}};
    mine->MutableInfo()->group_ptr = {0, 40, 60, 100};  // the second query is split over two places
    Train(group, drawn, 1, mine, mine);
  });
  for (auto const& error : errors)
    EXPECT_NE(error.find("query group 1 are not consecutive"), std::string::npos) << error;
}

TEST(Group, QueriesOfChosenPairs) {
  auto table = MakeTable(1200, 3, 14);
  table.group_sizes.assign(120, 10);
  Partition partition(2);
  for (std::int64_t row = 0; row < 1200; ++row) partition[(row / 30) % 2].push_back(row);
  for (auto const* method : {"mean", "topk"}) {
    Params params{{"objective", "rank:ndcg"}, {"lambdarank_pair_method", method}, {"eval_metric", "ndcg"}};
    ExpectSame({method, params, table}, {partition});
    params.emplace_back("lambdarank_unbiased", "true");
    ExpectSame({std::string(method) + ", unbiased", params, table}, {partition});
  }
}

TEST(Group, LabelColumnsAndBounds) {
  auto table = MakeTable(kRows, 0, 15);
  table.n_targets = 2;
  auto const first = table.labels;
  table.labels.clear();
  for (std::size_t row = 0; row < first.size(); ++row) {
    table.labels.push_back(first[row]);
    table.labels.push_back(first[(row + 3) % first.size()] * 2.0F);
  }
  for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
    ExpectSame({strategy, {{"multi_strategy", strategy}}, table}, {Contiguous(kRows, 3), OnLast(kRows, 2)});
  }
  auto times = MakeTable(kRows, 3, 16);
  for (std::int64_t row = 0; row < kRows; ++row) {
    times.lower.push_back(1.0F + times.labels[row]);
    times.upper.push_back(row % 3 == 0 ? std::numeric_limits<float>::infinity() : 1.0F + times.labels[row]);
  }
  times.labels.clear();
  ExpectSame({"aft", {{"objective", "survival:aft"}, {"eval_metric", "aft-nloglik"}}, times},
             {Contiguous(kRows, 3), RandomRuns(kRows, 4, 17)});
}

/// Split gradients cover a third of the outputs, leaf gradients all; rows are sampled by their gradients.
TEST(Group, GradientsOfSplitsAndOfLeaves) {
  auto table = MakeTable(kRows, 0, 20);
  table.n_targets = 3;
  std::vector<float> labels;
  for (auto const label : table.labels) labels.insert(labels.end(), {label, 2 * label, 1 - label});
  table.labels = labels;
  auto const train = [&](Collective* group, std::vector<std::int64_t> const& rows) {
    auto const data = MakeMatrix(table, rows, group != nullptr);
    Learner learner;
    for (auto const& [name, value] : Params{{"multi_strategy", "multi_output_tree"},
                                            {"nthread", "1"},
                                            {"subsample", "0.5"},
                                            {"sampling_method", "gradient_based"},
                                            {"num_target", "3"}}) {
      learner.SetParam(name, value);
    }
    if (group != nullptr) learner.SetCollective(std::shared_ptr<Collective>(std::shared_ptr<void>(), group));
    for (int round = 0; round < 3; ++round) {
      std::vector<GradientPair> splits;
      std::vector<GradientPair> leaves;
      for (auto const row : rows) {
        for (int target = 0; target < 3; ++target)
          leaves.push_back({-table.labels[row * 3 + target] / (1.0F + round), 1.0F});
        splits.push_back(leaves[leaves.size() - 3]);
      }
      learner.BoostRound(data, round, SplitGradients{splits, 1, leaves});
    }
    return learner.SaveSnapshot();
  };
  auto const alone = train(nullptr, AllRows(kRows));
  auto const partition = RandomRuns(kRows, 3, 21);
  auto const errors = RunRanks(3, [&](Collective* group) {
    EXPECT_TRUE(train(group, partition[static_cast<std::size_t>(group->Rank())]) == alone);
  });
  for (auto const& error : errors) EXPECT_EQ(error, "");
}

TEST(Group, FieldsThatSomeRanksLackAreNamed) {
  auto const table = MakeTable(200, 0, 18);
  auto const partition = Contiguous(200, 2);
  auto const errors = RunRanks(2, [&](Collective* group) {
    auto const mine = MakeMatrix(table, partition[static_cast<std::size_t>(group->Rank())], true);
    if (group->Rank() == 1) mine->MutableInfo()->weights.assign(100, 2.0F);
    Train(group, {}, 1, mine, mine);
  });
  for (auto const& error : errors) EXPECT_NE(error.find("'weight'"), std::string::npos) << error;
}

/// Fields of evaluation data are checked like those of training data: otherwise a rank without weights would use 1.
TEST(Group, EvaluatedFieldsThatSomeRanksLackAreNamed) {
  auto const table = MakeTable(200, 0, 22);
  auto const partition = Contiguous(200, 2);
  auto const errors = RunRanks(2, [&](Collective* group) {
    auto const& rows = partition[static_cast<std::size_t>(group->Rank())];
    auto const mine = MakeMatrix(table, rows, true);
    auto const other = MakeMatrix(table, rows, true);
    if (group->Rank() == 1) other->MutableInfo()->weights.assign(100, 2.0F);
    Train(group, {}, 1, mine, other);
  });
  for (auto const& error : errors) EXPECT_NE(error.find("'weight'"), std::string::npos) << error;
}

TEST(Group, RowsOnTwoRanksOrOnNoneAreNamed) {
  auto const table = MakeTable(200, 0, 19);
  for (std::int64_t const first_of_second : {90, 110}) {
    auto const errors = RunRanks(2, [&](Collective* group) {
      std::vector<std::int64_t> rows(100);
      std::iota(rows.begin(), rows.end(), 0);
      auto const mine = MakeMatrix(table, rows, true);
      if (group->Rank() == 1) mine->MutableInfo()->global_rows = {{first_of_second, 100}};
      Train(group, {}, 1, mine, mine);
    });
    auto const* row = first_of_second == 90 ? "row 90" : "row 100";
    for (auto const& error : errors) EXPECT_NE(error.find(row), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace kauri
