/// One booster and one DMatrix used by many threads, some of which modify them. Calls may be slow, but every answer
/// matches one of the states that the booster goes through.
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

std::string Model(BoosterHandle booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  EXPECT_OK(XGBoosterSaveModelToBuffer(booster, R"({"format": "ubj"})", &length, &bytes));
  return {bytes, length};
}

float FirstPrediction(BoosterHandle booster, Problem const& problem) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  EXPECT_OK(XGBoosterPredictFromDense(booster, Table(problem.values, 4).c_str(), PredictConfig(1).c_str(), nullptr,
                                      &shape, &dim, &values));
  return values == nullptr ? -1.0F : values[0];
}

/// Returns the calls of one thread each. Calls may be refused (a slice of a removed round), but must not end otherwise.
std::vector<std::function<void()>> Callers(BoosterHandle booster, Problem const& problem, std::string const& model) {
  auto const data = problem.data.get();
  auto const predict = [=](int type) {
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    float const* values = nullptr;
    XGBoosterPredictFromDMatrix(booster, data, PredictConfig(type).c_str(), &shape, &dim, &values);
  };
  return {[=] { predict(0); },
          [=] { predict(2); },
          [=, &problem] { FirstPrediction(booster, problem); },
          [=] { Model(booster); },
          [=] {
            bst_ulong count = 0;
            char const** trees = nullptr;
            XGBoosterDumpModelEx(booster, "", 1, "json", &count, &trees);
          },
          [=] {
            bst_ulong size = 0;
            char const* text = nullptr;
            XGBoosterSaveJsonConfig(booster, &size, &text);
            XGBoosterSerializeToBuffer(booster, &size, &text);
          },
          [=] {
            BoosterHandle slice = nullptr;
            if (XGBoosterSlice(booster, 0, 1, 1, &slice) == 0) XGBoosterFree(slice);
          },
          [=] { XGBoosterUpdateOneIter(booster, 0, data); },
          [=, &model] { EXPECT_OK(XGBoosterLoadModelFromBuffer(booster, model.data(), model.size())); },
          [=] {
            EXPECT_OK(XGBoosterSetParam(booster, "max_depth", "2"));
            EXPECT_OK(XGBoosterReset(booster));
          },
          [=] {
            int success = 0;
            char const* text = nullptr;
            EXPECT_OK(XGBoosterSetAttr(booster, "note", "a text that is too long for a small string"));
            EXPECT_OK(XGBoosterGetAttr(booster, "note", &text, &success));
            EXPECT_OK(XGBoosterSetAttr(booster, "note", nullptr));
          },
          [=, &problem] {
            EXPECT_OK(XGDMatrixSetInfoFromInterface(data, "label", Vector(problem.labels).c_str()));
            EXPECT_OK(XGDMatrixSetFloatInfo(data, "weight", problem.labels.data(), problem.labels.size()));
            EXPECT_OK(XGDMatrixSetFloatInfo(data, "weight", nullptr, 0));
          }};
}

TEST(OneBooster, IsReadAndChangedByManyThreads) {
  Problem const problem;
  auto const booster = Train(problem.data, {{"nthread", "1"}, {"max_depth", "2"}}, 2);
  auto const model = Model(booster.get());
  std::vector<std::thread> threads;
  for (auto const& call : Callers(booster.get(), problem, model)) {
    threads.emplace_back([copy = call] {
      for (int i = 0; i < 60; ++i) copy();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_OK(XGBoosterLoadModelFromBuffer(booster.get(), model.data(), model.size()));
  EXPECT_EQ(Model(booster.get()), model);
}

/// A prediction comes from one of two models, never from a mixture.
TEST(OneBooster, PredictsWithWholeModels) {
  Problem const problem;
  auto const booster = Train(problem.data, {{"nthread", "1"}}, 1);
  auto const small = Model(booster.get());
  auto const of_small = FirstPrediction(booster.get(), problem);
  for (int round = 0; round < 20; ++round) ASSERT_OK(XGBoosterUpdateOneIter(booster.get(), 0, problem.data.get()));
  auto const large = Model(booster.get());
  auto const of_large = FirstPrediction(booster.get(), problem);
  std::atomic<bool> is_over{false};
  std::thread loader([&] {
    for (int i = 0; i < 200; ++i) {
      auto const& next = i % 2 == 0 ? small : large;
      EXPECT_OK(XGBoosterLoadModelFromBuffer(booster.get(), next.data(), next.size()));
    }
    is_over = true;
  });
  while (!is_over) {
    auto const value = FirstPrediction(booster.get(), problem);
    EXPECT_TRUE(value == of_small || value == of_large) << value;
  }
  loader.join();
}

/// Writers make progress although predictions never stop, and predictions although writers never do.
TEST(OneBooster, NeitherSideStarves) {
  Problem const problem;
  auto const booster = Train(problem.data, {{"nthread", "1"}}, 3);
  std::atomic<bool> is_over{false};
  std::atomic<int> n_predictions{0};
  std::atomic<int> n_changes{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      while (!is_over) FirstPrediction(booster.get(), problem), ++n_predictions;
    });
  }
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!is_over) XGBoosterSetParam(booster.get(), "eta", "0.1"), ++n_changes;
    });
  }
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while ((n_changes < 100 || n_predictions < 100) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  is_over = true;
  for (auto& thread : threads) thread.join();
  EXPECT_GE(n_changes, 100);
  EXPECT_GE(n_predictions, 100);
}

/// A user callback that runs in a call may read the booster; changing or freeing it is refused.
TEST(OneBooster, ACallFromACallNeverWaitsForItself) {
  static BoosterHandle g_booster = nullptr;
  static int g_n_lines = 0;
  Problem const problem;
  auto const booster = MakeBooster(problem.data, {{"nthread", "1"}, {"no_such_parameter", "1"}});
  g_booster = booster.get();
  ASSERT_OK(XGBSetGlobalConfig(R"({"verbosity": 3})"));
  ASSERT_OK(XGBRegisterLogCallback([](char const*) {
    ++g_n_lines;
    int rounds = -1;
    EXPECT_OK(XGBoosterBoostedRounds(g_booster, &rounds));
    EXPECT_EQ(rounds, 0);
    EXPECT_EQ(XGBoosterSetParam(g_booster, "eta", "0.5"), -1);
    EXPECT_NE(std::string(XGBGetLastError()).find("in use by a call"), std::string::npos) << XGBGetLastError();
    EXPECT_EQ(XGBoosterFree(g_booster), -1);
    EXPECT_NE(std::string(XGBGetLastError()).find("in use by a call"), std::string::npos) << XGBGetLastError();
  }));
  EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), 0, problem.data.get()));
  ASSERT_OK(XGBRegisterLogCallback(nullptr));
  ASSERT_OK(XGBSetGlobalConfig(R"({"verbosity": 1})"));
  EXPECT_GT(g_n_lines, 0);
}

}  // namespace
}  // namespace kauri::testing
