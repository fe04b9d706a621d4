/// Row count limits, random thresholds, smoothed leaves, feature costs and noise on gains, in groups.
#include "booster/group/group_cases.h"

namespace kauri {
namespace {

using namespace group_test;

using Kinds = std::vector<std::pair<std::string, Params>>;

Kinds LimitKinds() {
  return {
      {"rows in leaves", {{"min_data_in_leaf", "40"}}},
      {"drawn thresholds", {{"extra_trees", "1"}, {"seed", "5"}}},
      {"smoothed leaves", {{"path_smooth", "20"}}},
      {"columns that cost", {{"feature_cost", "(0,30,0,200,5,0)"}}},
      {"noise", {{"random_strength", "2"}, {"seed", "6"}}},
      {"all of them",
       {{"min_data_in_leaf", "25"},
        {"extra_trees", "1"},
        {"path_smooth", "3"},
        {"feature_cost", "(9,0,3,0,0,0)"},
        {"random_strength", "1"}}},
  };
}

std::vector<Partition> SomePartitions() {
  return {Contiguous(kRows, 3), RandomRuns(kRows, 4, 31), Scattered(kRows, 2, 32), OnLast(kRows, 2)};
}

/// Rows are sampled too, so the sampled rows are counted.
TEST(GroupLeafLimits, EveryWayToGrow) {
  Kinds const ways{
      {"levels", {{"max_depth", "6"}}},
      {"lossguide", {{"grow_policy", "lossguide"}, {"max_leaves", "20"}, {"max_depth", "0"}}},
      {"approx", {{"tree_method", "approx"}, {"max_depth", "4"}}},
      {"rows drawn", {{"subsample", "0.6"}, {"max_depth", "5"}, {"seed", "7"}}},
      {"rows drawn by gradients", {{"subsample", "0.5"}, {"sampling_method", "gradient_based"}, {"max_depth", "5"}}},
  };
  for (auto const& [way, growth] : ways) {
    for (auto const& [limit, more] : LimitKinds()) {
      auto params = growth;
      params.insert(params.end(), more.begin(), more.end());
      ExpectSame({way + ", " + limit, params, MakeTable(kRows, 0, 33)}, SomePartitions());
    }
  }
}

/// The draws of a row depend on its number among the rows of all ranks.
TEST(GroupLeafLimits, RoundedGradients) {
  for (Params const& more :
       {Params{{"max_depth", "5"}}, Params{{"subsample", "0.6"}}, Params{{"bagging_temperature", "1"}},
        Params{{"subsample", "0.5"}, {"sampling_method", "gradient_based"}},
        Params{{"grow_policy", "lossguide"}, {"max_leaves", "20"}, {"max_depth", "0"}}, Params{{"path_smooth", "2"}}}) {
    for (auto const* bits : {"8", "4"}) {
      auto params = more;
      params.emplace_back("gradient_bits", bits);
      ExpectSame({std::string("rounded to ") + bits + " bits", params, MakeTable(kRows, 0, 51)}, SomePartitions());
    }
  }
  Params const classes{{"gradient_bits", "8"}, {"objective", "multi:softprob"}, {"num_class", "3"}};
  ExpectSame({"rounded gradients of classes", classes, MakeTable(kRows, 3, 52)}, SomePartitions());
}

TEST(GroupLeafLimits, NoisyLevelsOfSymmetricTrees) {
  Params const params{{"grow_policy", "symmetric"}, {"random_strength", "2"}, {"max_depth", "4"}};
  ExpectSame({"noise on levels", params, MakeTable(kRows, 0, 41)}, SomePartitions());
}

TEST(GroupLeafLimits, CategoriesAndSparseRows) {
  auto table = MakeTable(kRows, 2, 34);
  for (std::int64_t row = 0; row < kRows; ++row) table.values[row * 6 + 3] = static_cast<float>((row * 7) % 40);
  table.types = {"float", "float", "float", "c", "float", "float"};
  auto sparse = MakeTable(kRows, 2, 35);
  std::mt19937 generator(36);
  for (auto& value : sparse.values) {
    if (generator() % 3 != 0) value = std::numeric_limits<float>::quiet_NaN();
  }
  sparse.sparse = true;
  for (auto const& [limit, more] : LimitKinds()) {
    auto params = more;
    params.emplace_back("objective", "binary:logistic");
    ExpectSame({"categories, " + limit, params, table}, SomePartitions());
    ExpectSame({"sparse rows, " + limit, params, sparse}, SomePartitions());
  }
}

TEST(GroupLeafLimits, VectorLeaves) {
  auto table = MakeTable(kRows, 0, 37);
  auto const first = table.labels;
  table.n_targets = 3;
  table.labels.clear();
  for (std::size_t row = 0; row < first.size(); ++row) {
    for (std::size_t target = 0; target < 3; ++target) table.labels.push_back(first[(row + 5 * target) % first.size()]);
  }
  for (auto const& [limit, more] : LimitKinds()) {
    auto params = more;
    params.emplace_back("multi_strategy", "multi_output_tree");
    ExpectSame({limit, params, table}, SomePartitions());
  }
}

/// Levels so wide that each rank searches its share of the columns, and counts rows for it.
TEST(GroupLeafLimits, LevelsThatRanksShare) {
  constexpr std::int64_t kCols = 300;
  constexpr std::int64_t kFewRows = 350;
  auto table = MakeTable(kFewRows, 0, 38);
  std::mt19937 generator(39);
  std::normal_distribution<float> normal;
  table.n_cols = kCols;
  table.values.clear();
  for (std::int64_t i = 0; i < kFewRows * kCols; ++i) {
    auto const value = i % kCols == 7 ? table.labels[i / kCols] : normal(generator);
    table.values.push_back(generator() % 5 == 0 ? std::numeric_limits<float>::quiet_NaN() : value);
  }
  std::string costs = "(0";
  for (std::int64_t col = 1; col < kCols; ++col) costs += col % 4 == 0 ? ",50" : ",0";
  Kinds const kinds{{"rows in leaves", {{"min_data_in_leaf", "15"}}},
                    {"drawn thresholds", {{"extra_trees", "1"}, {"path_smooth", "4"}}},
                    {"columns that cost", {{"feature_cost", costs + ")"}, {"min_data_in_leaf", "5"}}},
                    {"noise", {{"random_strength", "2"}}}};
  for (auto [limit, params] : kinds) {
    params.emplace_back("max_bin", "512");
    params.emplace_back("max_depth", "4");
    ExpectSame({limit, params, table}, {Contiguous(kFewRows, 2), RandomRuns(kFewRows, 3, 40), OnLast(kFewRows, 3)}, 2);
  }
}

}  // namespace
}  // namespace kauri
