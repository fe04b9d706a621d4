/// Calls of xgboost4j and older clients: predictions with a mask, matrices from batches in a callback.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

TEST(PredictMask, IsThePredictionOfThatKind) {
  Problem const problem;
  auto const booster = Train(problem.data, {{"objective", "binary:logistic"}, {"num_parallel_tree", "2"}}, 3);
  for (auto const& [mask, type] :
       std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {2, 6}, {4, 2}, {12, 3}, {16, 4}, {24, 5}}) {
    for (unsigned const n_trees : {0U, 2U, 4U}) {
      bst_ulong length = 0;
      float const* values = nullptr;
      ASSERT_OK(XGBoosterPredict(booster.get(), problem.data.get(), mask, n_trees, 0, &length, &values)) << mask;
      std::vector<float> const got(values, values + length);
      auto const expected =
          Predict(booster, problem.data, PredictConfig(type, false, 0, static_cast<int>(n_trees / 2)));
      EXPECT_EQ(got, expected.values) << mask << ", " << n_trees;
    }
  }
}

TEST(PredictMask, RefusesWhatItCannotMean) {
  Problem const problem;
  auto const booster = Train(problem.data, {{"num_parallel_tree", "2"}}, 2);
  bst_ulong length = 7;
  float const* values = nullptr;
  EXPECT_EQ(XGBoosterPredict(booster.get(), problem.data.get(), 3, 0, 0, &length, &values), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("option_mask=3"), std::string::npos);
  EXPECT_EQ(XGBoosterPredict(booster.get(), problem.data.get(), 0, 1, 0, &length, &values), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("ntree_limit=1"), std::string::npos);
  EXPECT_EQ(XGBoosterPredict(booster.get(), problem.data.get(), 0, 99, 0, &length, &values), -1);
  EXPECT_EQ(XGBoosterPredict(booster.get(), problem.data.get(), 0, 0, 0, nullptr, &values), -1);
  EXPECT_EQ(XGBoosterPredict(booster.get(), problem.data.get(), 0, 0, 0, &length, nullptr), -1);
  EXPECT_EQ(XGBoosterPredict(booster.get(), nullptr, 0, 0, 0, &length, &values), -1);
  EXPECT_EQ(length, 7U);
}

/// Two rows of three columns each, the second without its middle value, at an offset in longer arrays.
struct Batches {
  std::int64_t offsets[3] = {2, 5, 7};
  int columns[7] = {-9, -9, 0, 1, 2, 0, 2};
  float values[7] = {-9, -9, 1, 2, 3, 4, 6};
  float labels[2] = {0.5F, 1.5F};
  float weights[2] = {1, 2};
  std::vector<XGBoostBatchCSR> batches{3, {2, 3, offsets, labels, weights, columns + 2, values + 2}};
  std::size_t given = 0;
  int at_end = 0;

  static int Next(DataIterHandle handle, XGBCallbackSetData* set, DataHolderHandle holder) {
    auto& self = *static_cast<Batches*>(handle);
    if (self.given == self.batches.size()) return self.at_end;
    return set(holder, self.batches[self.given++]) == 0 ? 1 : -1;
  }
  DMatrixHandle Make(int* status) {
    DMatrixHandle made = nullptr;
    *status = XGDMatrixCreateFromDataIter(this, &Next, nullptr, std::numeric_limits<float>::quiet_NaN(), &made);
    return made;
  }
};

TEST(DataIter, StacksBatches) {
  Batches batches;
  int status = -1;
  Data const data(batches.Make(&status));
  ASSERT_OK(status);
  bst_ulong count = 0;
  ASSERT_OK(XGDMatrixNumRow(data.get(), &count));
  EXPECT_EQ(count, 6U);
  ASSERT_OK(XGDMatrixNumCol(data.get(), &count));
  EXPECT_EQ(count, 3U);
  ASSERT_OK(XGDMatrixNumNonMissing(data.get(), &count));
  EXPECT_EQ(count, 15U);
  float const* labels = nullptr;
  ASSERT_OK(XGDMatrixGetFloatInfo(data.get(), "label", &count, &labels));
  EXPECT_EQ(std::vector<float>(labels, labels + count), (std::vector<float>{0.5F, 1.5F, 0.5F, 1.5F, 0.5F, 1.5F}));
  auto const nan = std::nanf("");
  auto const same = MakeData({1, 2, 3, 4, nan, 6, 1, 2, 3, 4, nan, 6, 1, 2, 3, 4, nan, 6}, 3, {0, 1, 0, 1, 0, 1});
  auto const booster = Train(same, {{"min_child_weight", "0"}}, 2);
  EXPECT_EQ(Predict(booster, data).values, Predict(booster, same).values);
}

TEST(DataIter, RefusesWhatIsNoMatrix) {
  struct Case {
    std::string part;
    void (*change)(Batches*);
  };
  for (auto const& c : std::vector<Case>{
           {"gave no batch", [](Batches* b) { b->batches.clear(); }},
           {"labels for 6 rows", [](Batches* b) { b->batches[1].label = nullptr; }},
           {"weights for 6 rows", [](Batches* b) { b->batches[2].weight = nullptr; }},
           {"ascending from 0", [](Batches* b) { b->offsets[1] = 9; }},
           {"ascending from 0", [](Batches* b) { b->offsets[0] = -1; }},
           {"'offset'", [](Batches* b) { b->batches[0].offset = nullptr; }},
           {"'index'", [](Batches* b) { b->batches[0].index = nullptr; }},
           {"'value'", [](Batches* b) { b->batches[0].value = nullptr; }},
           {"'size'", [](Batches* b) { b->batches[0].size = ~std::size_t{0}; }},
           {"-1", [](Batches* b) { b->columns[3] = -1; }},
           {"returned -5", [](Batches* b) { b->at_end = -5; }},
       }) {
    Batches batches;
    c.change(&batches);
    int status = 0;
    EXPECT_EQ(batches.Make(&status), nullptr) << c.part;
    EXPECT_EQ(status, -1) << c.part;
    EXPECT_NE(std::string(XGBGetLastError()).find(c.part), std::string::npos) << XGBGetLastError();
  }
  DMatrixHandle made = nullptr;
  EXPECT_EQ(XGDMatrixCreateFromDataIter(nullptr, nullptr, nullptr, 0.0F, &made), -1);
}

}  // namespace
}  // namespace kauri::testing
