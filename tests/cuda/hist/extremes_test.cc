/// Sums at the limits of a block of threads, many rows, and almost none.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

using HistExtremes = HistDeviceTest;

/// Returns n_cols columns that are 0 except in the last row, where they are 1 or missing. Nearly all rows are in one
/// bin of each column.
std::shared_ptr<DataMatrix> MakeOneBin(std::int64_t n_rows, std::int64_t n_cols, bool missing) {
  std::vector<float> values(static_cast<std::size_t>(n_rows * n_cols), 0.0F);
  auto const last = missing ? std::numeric_limits<float>::quiet_NaN() : 1.0F;
  std::fill(values.end() - static_cast<std::ptrdiff_t>(n_cols), values.end(), last);
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, n_cols, false);
  data->MutableInfo()->labels.assign(static_cast<std::size_t>(n_rows), 0.0F);
  return data;
}

/// Gradient pairs of most rows, and of the last row. The largest magnitude decides the unit of the integers. With 1 -
/// 2^-24 it is 2^-30, so that 2^-30 is one unit, and -2^-30 has only ones in both halves of its word.
struct EdgePairs {
  char const* name;
  GradientPair most;
  GradientPair last;
};

std::vector<EdgePairs> EdgesOfWords() {
  constexpr float kBelowOne = 0.99999994F;
  constexpr float kUnit = 0x1p-30F;
  return {{"all largest", {1.0F, 1.0F}, {1.0F, 1.0F}},
          {"all below a power of 2", {kBelowOne, kBelowOne}, {kBelowOne, kBelowOne}},
          {"all smallest", {-1.0F, 1.0F}, {-1.0F, 1.0F}},
          {"negative hessians", {-kBelowOne, -kBelowOne}, {kBelowOne, kBelowOne}},
          {"minus one unit", {-kUnit, -kUnit}, {kBelowOne, kBelowOne}},
          {"one unit", {kUnit, kUnit}, {-kBelowOne, kBelowOne}},
          {"large and far from it", {1e30F, 1e-30F}, {-1e30F, 2e-30F}}};
}

void ExpectSameOfOneBin(std::int64_t n_rows, std::int64_t n_cols, bool missing, EdgePairs const& edge) {
  std::vector<GradientPair> pairs(static_cast<std::size_t>(n_rows), edge.most);
  pairs.back() = edge.last;
  std::vector<Outcome> outcomes;
  for (auto const* device : {"cpu", kDevice}) {
    auto const data = MakeOneBin(n_rows, n_cols, missing);
    auto const learner = MakeLearner(ParamsFor(device, {{"min_child_weight", "0"}, {"lambda", "1e6"}}));
    for (int round = 0; round < 2; ++round) learner->BoostRound(data, round, Span<GradientPair const>(pairs));
    outcomes.push_back(OutcomeOf(learner.get(), data));
  }
  EXPECT_TRUE(SameOutcome(outcomes[0], outcomes[1]))
      << n_rows << " rows x " << n_cols << (missing ? ", the last missing: " : ": ") << edge.name;
}

TEST_F(HistExtremes, SumsOfOneBin) {
  for (std::int64_t const n_rows : {65535, 65536, 65537, 131073, 200000}) {
    for (auto const& edge : EdgesOfWords()) {
      ExpectSameOfOneBin(n_rows, 1, n_rows % 2 == 0, edge);
      ExpectSameOfOneBin(n_rows, 5, n_rows % 2 != 0, edge);
    }
  }
}

TEST_F(HistExtremes, SumsOfOneBinOfManyColumns) {
  for (auto const& edge : EdgesOfWords()) ExpectSameOfOneBin(131073, 33, false, edge);
}

/// Checks the sums of such pairs by hand: the cover of a child is the sum of its rows.
TEST_F(HistExtremes, TheEdgesAreSplit) {
  auto const data = MakeOneBin(65537, 1, false);
  std::vector<GradientPair> pairs(65537, {0x1p-30F, 0x1p-30F});
  pairs.back() = {-0.99999994F, 0.99999994F};
  auto const learner = MakeLearner(ParamsFor(kDevice, {{"min_child_weight", "0"}, {"lambda", "1"}}));
  learner->BoostRound(data, 0, Span<GradientPair const>(pairs));
  auto const& tree = learner->GetModel().trees[0];
  ASSERT_EQ(tree.NumNodes(), 3);
  EXPECT_EQ(tree.sum_hessian[1], 0x1p-14F);
  EXPECT_EQ(tree.sum_hessian[2], 0.99999994F);
}

HistCase Large(char const* name, std::int64_t n_rows, std::int64_t n_cols, Params const& params = {}) {
  HistCase given;
  given.name = name;
  given.table.n_rows = n_rows;
  given.table.n_cols = n_cols;
  given.params = params;
  return given;
}

/// Several blocks of threads share a node, and a block has several nodes.
TEST_F(HistExtremes, ManyRows) {
  auto gaps = Large("gaps", 300000, 10, {{"max_depth", "9"}});
  gaps.table.missing = Missing::kSome;
  ExpectSameTrees({
      gaps,
      Large("many rows", 300000, 10, {{"max_depth", "6"}}),
      Large("many nodes", 300000, 10, {{"max_depth", "14"}, {"min_child_weight", "0"}}),
      Large("leaves", 300000, 10, {{"grow_policy", "lossguide"}, {"max_leaves", "63"}, {"max_depth", "0"}}),
      Large("drawn", 300000, 10, {{"subsample", "0.3"}, {"colsample_bynode", "0.5"}}),
      Large("two groups of columns", 150000, 40, {{"max_depth", "7"}}),
      Large("words", 150000, 6, {{"max_bin", "700"}}),
      Large("classes", 100000, 10, {{"objective", "multi:softprob"}, {"num_class", "3"}}),
  });
}

/// Nodes of very different sizes: a path that loses few rows a level.
TEST_F(HistExtremes, LopsidedNodes) {
  for (auto const* policy : {"depthwise", "lossguide"}) {
    std::vector<Outcome> outcomes;
    for (auto const* device : {"cpu", kDevice}) {
      std::vector<float> values;
      std::vector<float> labels;
      for (int row = 0; row < 100000; ++row) {
        auto const rank = std::floor(std::log2(static_cast<float>(row) + 1.0F));
        values.insert(values.end(), {rank, static_cast<float>(row % 3)});
        labels.push_back(std::exp2(16.0F - rank));
      }
      std::shared_ptr<DataMatrix> const data = MakeMatrix(values, 2, false);
      data->MutableInfo()->labels = labels;
      HistCase given;
      given.params = {{"max_depth", "20"}, {"min_child_weight", "0"}, {"lambda", "0"}, {"grow_policy", policy}};
      outcomes.push_back(TrainOn(device, given, data));
    }
    EXPECT_EQ(outcomes[0].error, "");
    EXPECT_TRUE(SameOutcome(outcomes[0], outcomes[1])) << policy;
  }
}

/// The bits of the row's number are the columns. Each level has twice the nodes of the previous, up to 262,144, more
/// than the limit of one dimension of a grid.
TEST_F(HistExtremes, ManyNodes) {
  constexpr std::int64_t kBits = 19;
  std::vector<Outcome> outcomes;
  for (auto const* device : {"cpu", kDevice}) {
    Random random(3);
    std::vector<float> values;
    std::vector<float> labels;
    for (std::int64_t row = 0; row < std::int64_t{1} << kBits; ++row) {
      for (std::int64_t bit = 0; bit < kBits; ++bit) values.push_back(static_cast<float>(row >> bit & 1));
      labels.push_back(random.Normal());
    }
    std::shared_ptr<DataMatrix> const data = MakeMatrix(values, kBits, false);
    data->MutableInfo()->labels = labels;
    HistCase given;
    given.rounds = 1;
    given.params = {{"max_depth", "19"}, {"min_child_weight", "0"}, {"lambda", "0"}};
    outcomes.push_back(TrainOn(device, given, data));
  }
  EXPECT_EQ(outcomes[0].error, "");
  EXPECT_GT(outcomes[0].model.trees.at(0).NumNodes(), 1000000);
  EXPECT_TRUE(SameOutcome(outcomes[0], outcomes[1]));
}

/// Tables that no split can divide: equal rows, one row, columns without values or with one, no columns.
TEST_F(HistExtremes, NothingToSplit) {
  std::vector<HistCase> cases{Large("one row", 1, 3), Large("one cell", 1, 1), Large("two rows", 2, 1)};
  cases.push_back(Large("equal rows", 70000, 4));
  cases.back().table.values = Values::kOnes;
  cases.push_back(Large("no values", 500, 1));
  cases.back().table.missing = Missing::kColumn;
  cases.push_back(Large("equal or missing", 500, 4));
  cases.back().table.values = Values::kOnes;
  cases.back().table.missing = Missing::kMixed;
  for (auto const& given : cases) EXPECT_EQ(ExpectSame(given).error, "");
}

TEST_F(HistExtremes, NoColumns) {
  for (auto const* method : {"hist", "approx"}) {
    HistCase given;
    given.params = {{"tree_method", method}};
    std::vector<Outcome> outcomes;
    for (auto const* device : {"cpu", kDevice}) {
      std::shared_ptr<DataMatrix> const data = DataMatrix::FromDense({}, 40, 0);
      data->MutableInfo()->labels.assign(40, 1.5F);
      outcomes.push_back(TrainOn(device, given, data));
    }
    EXPECT_TRUE(SameOutcome(outcomes[0], outcomes[1])) << method;
  }
}

/// Compares two runs, and different numbers of host threads.
TEST_F(HistExtremes, RunsAreEqual) {
  std::vector<HistCase> cases{Large("plain", 120000, 9, {{"max_depth", "9"}}),
                              Large("words", 30000, 9, {{"max_bin", "999"}}),
                              Large("leaves", 50000, 33, {{"grow_policy", "lossguide"}, {"max_leaves", "40"}}),
                              Large("drawn", 50000, 9, {{"subsample", "0.4"}, {"sampling_method", "gradient_based"}})};
  for (auto& given : cases) {
    given.table.missing = Missing::kSome;
    auto const first = TrainOn(kDevice, given);
    EXPECT_EQ(first.error, "") << Text(given);
    for (auto const* threads : {"1", "2", "5"}) {
      auto again = given;
      again.params.push_back({"nthread", threads});
      EXPECT_TRUE(SameOutcome(first, TrainOn(kDevice, again))) << Text(again);
    }
  }
}

}  // namespace
}  // namespace kauri::testing
