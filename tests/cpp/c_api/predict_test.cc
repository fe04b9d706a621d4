/// Predictions: the shape for every type, in-place results equal to DMatrix, many threads equal to one.
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

using Shape = std::vector<bst_ulong>;

struct ShapeCase {
  int type;
  Shape loose;
  Shape strict;
};

void ExpectShapes(Booster const& booster, Data const& data, std::vector<ShapeCase> const& cases) {
  for (auto const& c : cases) {
    EXPECT_EQ(Predict(booster, data, PredictConfig(c.type, false)).shape, c.loose) << "type " << c.type;
    EXPECT_EQ(Predict(booster, data, PredictConfig(c.type, true)).shape, c.strict) << "type " << c.type << ", strict";
  }
}

TEST(Prediction, ShapesOfOneOutput) {
  Problem const problem;
  ExpectShapes(Train(problem.data, Logistic(), 3), problem.data,
               {{0, {200}, {200, 1}},
                {1, {200}, {200, 1}},
                {2, {200, 5}, {200, 1, 5}},
                {3, {200, 5}, {200, 1, 5}},
                {4, {200, 5, 5}, {200, 1, 5, 5}},
                {5, {200, 5, 5}, {200, 1, 5, 5}},
                {6, {200, 3}, {200, 3, 1, 1}},
                {100, {200, 5}, {200, 1, 5}},
                {101, {200, 5, 5}, {200, 1, 5, 5}}});
}

TEST(Prediction, ShapesOfSeveralOutputs) {
  Problem const problem(3);
  Params params{{"objective", "multi:softprob"}, {"num_class", "3"}, {"num_parallel_tree", "2"}, {"subsample", "0.5"}};
  ExpectShapes(Train(problem.data, params, 2), problem.data,
               {{0, {200, 3}, {200, 3}},
                {1, {200, 3}, {200, 3}},
                {2, {200, 3, 5}, {200, 3, 5}},
                {4, {200, 3, 5, 5}, {200, 3, 5, 5}},
                {6, {200, 12}, {200, 2, 3, 2}}});
  params[0].second = "multi:softmax";
  ExpectShapes(Train(problem.data, params, 1), problem.data, {{0, {200}, {200, 1}}, {1, {200, 3}, {200, 3}}});
}

TEST(Prediction, ContributionsAddUpToTheMargin) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  auto const margins = Predict(booster, problem.data, PredictConfig(1)).values;
  auto const contributions = Predict(booster, problem.data, PredictConfig(2)).values;
  for (std::size_t row = 0; row < 200; ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < 5; ++i) sum += contributions[row * 5 + i];
    EXPECT_NEAR(sum, margins[row], 1e-5F) << row;
  }
}

TEST(Prediction, RangesOfRounds) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  auto const margin = [&](int begin, int end) {
    return Predict(booster, problem.data, PredictConfig(1, false, begin, end)).values[7];
  };
  auto const nothing = margin(2, 2);
  EXPECT_NEAR(margin(0, 2) + margin(2, 4) - nothing, margin(0, 0), 1e-6F);
  EXPECT_EQ(margin(1, 0), margin(1, 4));
  EXPECT_NE(margin(0, 1), margin(0, 2));
}

/// Makes the three in-place predictions for the rows of `problem`, with an optional base margin.
std::vector<Predicted> InPlace(Booster const& booster, Problem const& problem, DMatrixHandle m, int type) {
  std::vector<std::int32_t> row_ptr{0};
  std::vector<std::int32_t> columns;
  std::vector<std::vector<double>> by_column(4);
  for (int row = 0; row < 200; ++row) {
    row_ptr.push_back(4 * (row + 1));
    for (int col = 0; col < 4; ++col) {
      columns.push_back(col);
      auto const cell = row * 4 + col;
      by_column[col].push_back(problem.values[cell]);
    }
  }
  std::string table = "[";
  for (auto const& column : by_column) table += (table.size() > 1 ? ", " : "") + Interface(column, "<f8", "[200]");
  table += "]";
  auto const config = PredictConfig(type);
  std::vector<Predicted> results;
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  EXPECT_OK(XGBoosterPredictFromDense(booster.get(), Table(problem.values, 4).c_str(), config.c_str(), m, &shape, &dim,
                                      &values));
  results.push_back(Copy(shape, dim, values));
  EXPECT_OK(XGBoosterPredictFromCSR(booster.get(), Interface(row_ptr, "<i4", "[201]").c_str(),
                                    Interface(columns, "<i4", "[800]").c_str(), Vector(problem.values).c_str(), 4,
                                    config.c_str(), m, &shape, &dim, &values));
  results.push_back(Copy(shape, dim, values));
  EXPECT_OK(XGBoosterPredictFromColumnar(booster.get(), table.c_str(), config.c_str(), m, &shape, &dim, &values));
  results.push_back(Copy(shape, dim, values));
  return results;
}

TEST(Prediction, InPlaceEqualsDMatrix) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  for (int type : {0, 1}) {
    auto const expected = Predict(booster, problem.data, PredictConfig(type));
    for (auto const& result : InPlace(booster, problem, nullptr, type)) {
      EXPECT_EQ(result.shape, expected.shape);
      EXPECT_EQ(result.values, expected.values);
    }
  }
}

Data WithTypes(Data data, std::vector<char const*> types) {
  EXPECT_OK(XGDMatrixSetStrFeatureInfo(data.get(), "feature_type", types.data(), types.size()));
  return data;
}

/// A booster without feature types knows from its trees which columns are categorical.
TEST(Prediction, NumbersForCategoriesAreRefused) {
  Problem problem;
  for (std::size_t row = 0; row < 200; ++row) problem.values[4 * row + 2] = static_cast<float>(row % 3);
  for (std::size_t row = 0; row < 200; ++row) problem.labels[row] = row % 3 == 1 ? 1.0F : 0.0F;
  auto const data = WithTypes(MakeData(problem.values, 4, problem.labels), {"q", "q", "c", "q"});
  auto const booster = Train(data, Logistic(), 3);
  auto const expected = Predict(booster, data, PredictConfig(1)).values;
  EXPECT_EQ(Predict(booster, MakeData(problem.values, 4), PredictConfig(1)).values, expected);
  for (auto const& result : InPlace(booster, problem, nullptr, 1)) EXPECT_EQ(result.values, expected);

  auto const numbers = WithTypes(MakeData(problem.values, 4, problem.labels), {"q", "q", "q", "q"});
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  char const* line = nullptr;
  char const* name = "held";
  auto handle = numbers.get();
  auto const table = Table(problem.values, 4);
  auto typed = PredictConfig(1);
  typed.pop_back();
  auto const config = typed + R"(, "feature_types": ["q", "q", "q", "q"]})";
  auto const categories = typed + R"(, "feature_types": ["q", "q", "c", "q"]})";
  EXPECT_OK(
      XGBoosterPredictFromDense(booster.get(), table.c_str(), categories.c_str(), nullptr, &shape, &dim, &values));
  auto const one = PredictConfig(1);
  auto const two = PredictConfig(2);
  std::vector<std::function<int()>> const calls{
      [&] { return XGBoosterPredictFromDMatrix(booster.get(), handle, one.c_str(), &shape, &dim, &values); },
      [&] {
        return XGBoosterPredictFromDense(booster.get(), table.c_str(), config.c_str(), nullptr, &shape, &dim, &values);
      },
      [&] { return KauriBoosterExplain(booster.get(), handle, nullptr, two.c_str(), &shape, &dim, &values); },
      [&] { return KauriBoosterExplain(booster.get(), data.get(), handle, two.c_str(), &shape, &dim, &values); },
      [&] { return KauriBoosterCountRows(booster.get(), handle); },
      [&] { return XGBoosterEvalOneIter(booster.get(), 0, &handle, &name, 1, &line); },
      [&] { return XGBoosterUpdateOneIter(booster.get(), 3, handle); }};
  for (std::size_t call = 0; call < calls.size(); ++call) {
    EXPECT_EQ(calls[call](), -1) << call;
    EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_DATA) << call;
    EXPECT_NE(std::string(XGBGetLastError()).find("column 2 holds categories in the model"), std::string::npos) << call;
  }
}

TEST(Prediction, BaseMarginThroughProxyAndDMatrix) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 2);
  auto const data = MakeData(problem.values, 4);
  auto const margins = Features(200, 1, 77);
  DMatrixHandle handle = nullptr;
  ASSERT_OK(XGProxyDMatrixCreate(&handle));
  Data const proxy(handle);
  ASSERT_OK(XGProxyDMatrixSetDataDense(handle, Table(problem.values, 4).c_str()));
  for (auto const* owner : {&data, &proxy}) {
    ASSERT_OK(XGDMatrixSetInfoFromInterface(owner->get(), "base_margin", Vector(margins).c_str()));
  }
  auto const expected = Predict(booster, data, PredictConfig(1)).values;
  EXPECT_NE(expected, Predict(booster, problem.data, PredictConfig(1)).values);
  for (auto const* owner : {&data, &proxy}) {
    for (auto const& result : InPlace(booster, problem, owner->get(), 1)) EXPECT_EQ(result.values, expected);
  }
}

TEST(Prediction, ManyThreadsEqualOne) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 10);
  std::vector<std::vector<float>> expected;
  for (int type = 0; type < 7; ++type) expected.push_back(Predict(booster, problem.data, PredictConfig(type)).values);
  std::vector<std::thread> threads;
  std::vector<int> differences(4, 0);
  for (std::size_t t = 0; t < differences.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        auto const type = static_cast<int>((static_cast<std::size_t>(i) + t) % 7);
        auto const result = Predict(booster, problem.data, PredictConfig(type));
        if (result.values != expected[type]) ++differences[t];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(differences, (std::vector<int>{0, 0, 0, 0}));
}

TEST(Prediction, ResultsLiveUntilTheThreadsNextCall) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 2);
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  ASSERT_OK(
      XGBoosterPredictFromDMatrix(booster.get(), problem.data.get(), PredictConfig(1).c_str(), &shape, &dim, &values));
  auto const mine = Copy(shape, dim, values);
  std::thread([&] { Predict(booster, problem.data, PredictConfig(6)); }).join();
  EXPECT_EQ(Copy(shape, dim, values).values, mine.values);
}

}  // namespace
}  // namespace kauri::testing
