/// KauriBoosterExplain and KauriBoosterExplainSparse: bit for bit the same as parts of the predictions.
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

using Shape = std::vector<bst_ulong>;

Predicted Explain(Booster const& booster, Data const& data, int type, std::string const& more = "",
                  DMatrixHandle background = nullptr) {
  auto const config = R"({"type": )" + std::to_string(type) +
                      R"(, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false)" + more + "}";
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  auto const status = KauriBoosterExplain(booster.get(), data.get(), background, config.c_str(), &shape, &dim, &values);
  EXPECT_OK(status);
  return status == 0 ? Copy(shape, dim, values) : Predicted();
}

TEST(Explanation, IsThePredictionOfItsType) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  for (int type : {2, 3, 4, 5, 100, 101}) {
    auto const expected = Predict(booster, problem.data, PredictConfig(type));
    for (auto const* more : {"", R"(, "features": [], "reduce": "none", "unknown": 1)"}) {
      auto const result = Explain(booster, problem.data, type, more);
      EXPECT_EQ(result.shape, expected.shape) << type;
      EXPECT_EQ(result.values, expected.values) << type;
    }
  }
}

TEST(Explanation, OfSomeFeaturesInTheirOrder) {
  Problem const problem(3);
  auto const booster = Train(problem.data, {{"objective", "multi:softprob"}, {"num_class", "3"}}, 2);
  auto const whole = Predict(booster, problem.data, PredictConfig(2)).values;
  auto const some = Explain(booster, problem.data, 2, R"(, "features": [3, 0])");
  EXPECT_EQ(some.shape, (Shape{200, 3, 3}));
  for (std::size_t block = 0; block < 600; ++block) {
    EXPECT_EQ(some.values[block * 3], whole[block * 5 + 3]);
    EXPECT_EQ(some.values[block * 3 + 1], whole[block * 5]);
    EXPECT_EQ(some.values[block * 3 + 2], whole[block * 5 + 4]);
  }
}

TEST(Explanation, MeansHaveNoAxisOfRows) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  auto const whole = Predict(booster, problem.data, PredictConfig(4)).values;
  auto const means = Explain(booster, problem.data, 4, R"(, "reduce": "mean_abs")");
  EXPECT_EQ(means.shape, (Shape{5, 5}));
  for (std::size_t i = 0; i < 25; ++i) {
    double sum = 0;
    for (std::size_t row = 0; row < 200; ++row) sum += std::abs(static_cast<double>(whole[row * 25 + i]));
    EXPECT_EQ(means.values[i], static_cast<float>(sum / 200)) << i;
  }
}

TEST(Explanation, AgainstABackgroundAndFromABaseMargin) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  auto const data = MakeData(problem.values, 4);
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "base_margin", Vector(Features(200, 1, 9)).c_str()));
  auto const margins = Predict(booster, data, PredictConfig(1)).values;
  auto const background = MakeData(Features(7, 4, 5), 4);
  for (auto* against : {static_cast<void*>(nullptr), background.get()}) {
    auto const phi = Explain(booster, data, 2, "", against);
    for (std::size_t row = 0; row < 200; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < 5; ++i) sum += phi.values[row * 5 + i];
      EXPECT_NEAR(sum, margins[row], 1e-5) << row;
    }
  }
}

TEST(Explanation, SparseCellsAreThoseOfTheMatrix) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  auto const whole = Predict(booster, problem.data, PredictConfig(4, false, 1, 3)).values;
  bst_ulong n_outputs = 0;
  int64_t const* begin = nullptr;
  uint32_t const* first = nullptr;
  uint32_t const* second = nullptr;
  float const* values = nullptr;
  for (int top_k : {0, 1}) {
    auto const config = R"({"iteration_begin": 1, "iteration_end": 3, "top_k": )" + std::to_string(top_k) + "}";
    ASSERT_OK(KauriBoosterExplainSparse(booster.get(), problem.data.get(), config.c_str(), &n_outputs, &begin, &first,
                                        &second, &values));
    EXPECT_EQ(n_outputs, 1U);
    EXPECT_EQ(begin[0], 0);
    for (int row = 0; row < 200; ++row) {
      ASSERT_LE(begin[row], begin[row + 1]);
      if (top_k == 1) {
        ASSERT_EQ(begin[row + 1], row + 1);
      }
      for (auto i = begin[row]; i < begin[row + 1]; ++i) {
        EXPECT_LE(first[i], second[i]);
        EXPECT_EQ(values[i], whole[static_cast<std::size_t>(row) * 25 + first[i] * 5 + second[i]]);
      }
    }
  }
}

TEST(Explanation, SetsOfTwoAreTheInteractions) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  auto const whole = Predict(booster, problem.data, PredictConfig(4, false, 1, 3)).values;
  bst_ulong n_outputs = 0;
  bst_ulong n_sets = 0;
  int64_t const* set_begin = nullptr;
  uint32_t const* members = nullptr;
  int64_t const* begin = nullptr;
  uint32_t const* sets = nullptr;
  float const* values = nullptr;
  float const* base_values = nullptr;
  auto const* config = R"({"iteration_begin": 1, "iteration_end": 3, "index": "k-SII", "max_order": 2, "top_k": 0})";
  ASSERT_OK(KauriBoosterExplainInteractions(booster.get(), problem.data.get(), config, &n_outputs, &n_sets, &set_begin,
                                            &members, &begin, &sets, &values, &base_values));
  EXPECT_EQ(n_outputs, 1U);
  EXPECT_GT(n_sets, 2U);
  for (std::size_t row = 0; row < 200; ++row) {
    auto const* cells = whole.data() + row * 25;
    EXPECT_NEAR(base_values[row], cells[24], 1e-6F);
    for (auto i = begin[row]; i < begin[row + 1]; ++i) {
      auto const* set = members + set_begin[sets[i]];
      auto const is_pair = set_begin[sets[i] + 1] - set_begin[sets[i]] == 2;
      EXPECT_NEAR(values[i], is_pair ? 2 * cells[set[0] * 5 + set[1]] : cells[set[0] * 6], 1e-6F);
    }
  }
}

TEST(Explanation, ManyThreadsEqualOne) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 6);
  auto const background = MakeData(Features(7, 4, 5), 4);
  auto const run = [&](int i) {
    if (i % 3 == 0) return Explain(booster, problem.data, 100, R"(, "features": [1])").values;
    if (i % 3 == 1) return Explain(booster, problem.data, 4, R"(, "reduce": "mean_abs")").values;
    return Explain(booster, problem.data, 2, "", background.get()).values;
  };
  std::vector<std::vector<float>> expected;
  for (int i = 0; i < 3; ++i) expected.push_back(run(i));
  std::vector<int> differences(4, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < t + 12; ++i) differences[t] += run(i) != expected[i % 3] ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(differences, (std::vector<int>{0, 0, 0, 0}));
}

TEST(Explanation, AnUntrainedBoosterHasAllItsClasses) {
  Problem const problem(3);
  auto const booster = MakeBooster(problem.data, {{"objective", "multi:softprob"}, {"num_class", "3"}});
  EXPECT_EQ(Predict(booster, problem.data).shape, (Shape{200, 3}));
  EXPECT_EQ(Explain(booster, problem.data, 2).shape, (Shape{200, 3, 5}));
}

/// Explains all rows and takes ownership of the result.
struct Taken {
  Taken(Booster const& booster, Data const& data, int type = 2) {
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    EXPECT_OK(
        XGBoosterPredictFromDMatrix(booster.get(), data.get(), PredictConfig(type).c_str(), &shape, &dim, &values));
    EXPECT_OK(KauriBoosterTakeExplanation(booster.get(), &handle));
  }
  std::vector<float> Copy(std::size_t size) const { return {values, values + size}; }

  float const* values = nullptr;
  KauriHostArrayHandle handle = nullptr;
};

TEST(Explanation, MayBeTaken) {
  Problem const problem;
  auto booster = Train(problem.data, Logistic(), 4);
  auto const expected = Predict(booster, problem.data, PredictConfig(2)).values;
  Taken const taken(booster, problem.data);
  KauriHostArrayHandle none = nullptr;
  EXPECT_EQ(KauriBoosterTakeExplanation(booster.get(), &none), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("has already taken it"), std::string::npos) << XGBGetLastError();
  EXPECT_EQ(Predict(booster, problem.data, PredictConfig(2)).values, expected);
  EXPECT_EQ(Explain(booster, problem.data, 2).values, expected);
  EXPECT_EQ(taken.Copy(1000), expected) << "no later call writes to it";
  booster.reset();
  EXPECT_EQ(taken.Copy(1000), expected) << "it outlives its booster";
  EXPECT_OK(KauriHostArrayFree(taken.handle));
  EXPECT_EQ(KauriHostArrayFree(nullptr), -1);
}

/// Predicts in place; rows that are not float32 are checked for infinite values while they are read.
int PredictRows(Booster const& booster, std::vector<double> const& rows, float const** values) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  auto const table = Interface(rows, "<f8", "[" + std::to_string(rows.size() / 4) + ", 4]");
  return XGBoosterPredictFromDense(booster.get(), table.c_str(), PredictConfig(1).c_str(), nullptr, &shape, &dim,
                                   values);
}

TEST(Explanation, LargePredictionsMayBeTakenUnlessTheyFail) {
  Problem const problem;
  auto booster = Train(problem.data, Logistic(), 4);
  constexpr std::size_t kRows = 70'000;
  auto const given = Features(kRows, 4, 9);
  auto const data = MakeData(given, 4);
  auto const expected = Predict(booster, data, PredictConfig(1)).values;
  std::vector<double> rows(given.begin(), given.end());
  float const* values = nullptr;
  KauriHostArrayHandle taken = nullptr;
  KauriHostArrayHandle none = nullptr;
  ASSERT_OK(PredictRows(booster, rows, &values));
  Predict(booster, problem.data, PredictConfig(1));  // a small one is elsewhere
  ASSERT_OK(KauriBoosterTakeExplanation(booster.get(), &taken));
  EXPECT_EQ(std::vector<float>(values, values + kRows), expected);
  EXPECT_EQ(KauriBoosterTakeExplanation(booster.get(), &none), -1);

  auto bad = rows;
  bad[4 * kRows - 3] = std::numeric_limits<double>::infinity();
  float const* unset = nullptr;
  for (bool const with_result : {false, true}) {
    if (with_result) {
      ASSERT_OK(PredictRows(booster, rows, &values));
    }
    ASSERT_EQ(PredictRows(booster, bad, &unset), -1);
    EXPECT_EQ(KauriBoosterTakeExplanation(booster.get(), &none), -1) << "numbers of a call that failed";
  }
  EXPECT_EQ(unset, nullptr);
  Taken const leaves(booster, data, 6);
  EXPECT_EQ(leaves.Copy(4 * kRows), Predict(booster, data, PredictConfig(6)).values);
  EXPECT_OK(KauriHostArrayFree(leaves.handle));
  EXPECT_OK(KauriHostArrayFree(taken));
}

TEST(Explanation, MemoryThatIsFreedIsUsedAgain) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  auto const expected = Predict(booster, problem.data, PredictConfig(2)).values;
  Taken const first(booster, problem.data);
  Taken const second(booster, problem.data);
  ASSERT_NE(first.values, second.values);
  ASSERT_OK(KauriHostArrayFree(first.handle));
  Taken const third(booster, problem.data, 100);
  EXPECT_EQ(third.values, first.values);
  EXPECT_EQ(second.Copy(1000), expected);
  ASSERT_OK(KauriHostArrayFree(second.handle));
  ASSERT_OK(KauriHostArrayFree(third.handle));
  Taken const larger(booster, problem.data, 4);
  EXPECT_EQ(larger.Copy(5000), Predict(booster, problem.data, PredictConfig(4)).values);
  ASSERT_OK(KauriHostArrayFree(larger.handle));
}

TEST(Explanation, ThreadsTakeTheirOwn) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  std::vector<std::vector<float>> const expected{Predict(booster, problem.data, PredictConfig(2)).values,
                                                 Predict(booster, problem.data, PredictConfig(4)).values};
  std::vector<int> differences(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < differences.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 12; ++i) {
        Taken const taken(booster, problem.data, t % 2 == 0 ? 2 : 4);
        differences[t] += taken.Copy(expected[t % 2].size()) != expected[t % 2] ? 1 : 0;
        EXPECT_OK(KauriHostArrayFree(taken.handle));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(differences, (std::vector<int>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace kauri::testing
