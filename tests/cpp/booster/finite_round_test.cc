/// A round that produces a number that is not finite reports it and leaves the model unchanged.
#include <gtest/gtest.h>

#include <limits>

#include "booster/booster_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 300;

std::shared_ptr<DataMatrix> Data() { return MakeLabelled({kRows, 3, 0.0, 0, false, 2}, 0); }

struct Case {
  char const* name;
  Params params;
  int n_outputs = 1;
};

std::vector<Case> Boosters() {
  return {{"exact", {{"tree_method", "exact"}}},
          {"hist", {{"tree_method", "hist"}}},
          {"approx", {{"tree_method", "approx"}}},
          {"forest", {{"num_parallel_tree", "3"}}},
          {"dart", {{"booster", "dart"}, {"rate_drop", "0.5"}, {"one_drop", "1"}}},
          {"linear", {{"booster", "gblinear"}, {"lambda", "0"}}},
          {"shotgun", {{"booster", "gblinear"}, {"updater", "shotgun"}, {"lambda", "0"}}},
          {"vectors", {{"multi_strategy", "multi_output_tree"}}, 2}};
}

/// Returns finite gradients whose step exceeds float32.
std::vector<GradientPair> Endless(int n_outputs) {
  std::vector<GradientPair> pairs;
  for (std::int64_t i = 0; i < kRows * n_outputs; ++i) pairs.push_back({i % 2 == 0 ? 1e30F : 2e30F, 1e-20F});
  return pairs;
}

std::vector<GradientPair> Moderate(int n_outputs) {
  std::vector<GradientPair> pairs;
  for (std::int64_t i = 0; i < kRows * n_outputs; ++i) pairs.push_back({i % 3 == 0 ? 1.0F : -0.5F, 1.0F});
  return pairs;
}

void ExpectSays(std::string const& message, char const* what, std::string const& name) {
  EXPECT_NE(message.find(what), std::string::npos) << name << ": " << message;
}

TEST(FiniteRounds, TheFailedRoundLeavesTheModelAsItWas) {
  Params const shared{{"lambda", "0"}, {"min_child_weight", "0"}};
  for (auto const& one : Boosters()) {
    auto const data = Data();
    if (one.n_outputs == 2) {
      auto* const info = data->MutableInfo();
      info->n_targets = 2;
      info->labels.insert(info->labels.end(), info->labels.begin(), info->labels.end());
    }
    auto const learner = MakeLearner(With(shared, one.params));
    for (int round = 0; round < 2; ++round) learner->BoostRound(data, round, Moderate(one.n_outputs));
    auto const before = Bytes(learner.get());
    auto const message = MessageOf([&] { learner->BoostRound(data, 2, Endless(one.n_outputs)); });
    ExpectSays(message, "round 2 ended in", one.name);
    ExpectSays(message, "Lower eta", one.name);
    EXPECT_EQ(Bytes(learner.get()), before) << one.name;
    EXPECT_EQ(learner->NumIterations(), 2) << one.name;

    learner->BoostRound(data, 2, Moderate(one.n_outputs));
    auto const straight = MakeLearner(With(shared, one.params));
    for (int round = 0; round < 3; ++round) straight->BoostRound(data, round, Moderate(one.n_outputs));
    EXPECT_EQ(Bytes(learner.get()), Bytes(straight.get())) << one.name;
  }
}

TEST(FiniteRounds, AFirstRoundToo) {
  for (auto const& one : Boosters()) {
    if (one.n_outputs > 1) continue;
    auto const learner = MakeLearner(With({{"lambda", "0"}, {"min_child_weight", "0"}}, one.params));
    ExpectSays(MessageOf([&] { learner->BoostRound(Data(), 0, Endless(1)); }), "round 0 ended in", one.name);
    EXPECT_EQ(learner->NumIterations(), 0) << one.name;
  }
}

TEST(FiniteRounds, LeavesOfLargeResiduals) {
  for (auto const* objective : {"reg:absoluteerror", "reg:quantileerror"}) {
    auto const data = Data();
    for (auto& label : data->MutableInfo()->labels) label = 2e38F;
    auto const learner = MakeLearner(
        {{"objective", objective}, {"quantile_alpha", "0.5"}, {"base_score", "-2e38"}, {"eta", "1"}, {"lambda", "0"}});
    auto const message = MessageOf([&] { learner->BoostRound(data, 0); });
    ExpectSays(message, "round 0 ended in a leaf of value ", objective);
    EXPECT_EQ(learner->NumIterations(), 0);
  }
}

TEST(FiniteRounds, RefreshedLeaves) {
  auto const model = Bytes(Train(Data(), {{"max_depth", "2"}}, 2).get());
  auto const learner = MakeLearner({{"process_type", "update"}, {"updater", "refresh"}, {"eta", "1e38"}});
  learner->LoadModel(Span<char const>(model.data(), model.size()));
  auto const data = Data();
  for (auto& label : data->MutableInfo()->labels) label *= 1e6F;
  ExpectSays(MessageOf([&] { learner->BoostRound(data, 0); }), "round 0 ended in a leaf", "refresh");
  auto const unchanged = MakeLearner({});
  unchanged->LoadModel(Span<char const>(model.data(), model.size()));
  EXPECT_EQ(Bytes(learner.get()), Bytes(unchanged.get()));
}

TEST(FiniteRounds, ALargeLearningRateIsNamed) {
  auto const data = Data();
  for (auto& label : data->MutableInfo()->labels) label *= 1e10F;
  auto const learner = MakeLearner({{"eta", "1e35"}});
  ExpectSays(MessageOf([&] { learner->BoostRound(data, 0); }), "round 0 ended in a leaf of value", "eta");
}

}  // namespace
}  // namespace kauri::testing
