#include "booster/boosters/gblinear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "booster/linear_fixture.h"
#include "booster/predict/explanation.h"
#include "support/learner_predict.h"

namespace kauri {
namespace {

using testing::Bytes;
using testing::Linear;
using testing::LinearSpec;
using testing::MakeLabelled;
using testing::Params;
using testing::Predicting;
using testing::Train;
using testing::With;

constexpr auto kRows = testing::kLinearRows;
constexpr auto kCols = testing::kLinearCols;

TEST(GbLinear, ShuffleAndRandomFollowTheSeed) {
  auto const data = MakeLabelled(LinearSpec(0.2, false), 0);
  for (auto const* selector : {"shuffle", "random"}) {
    std::set<std::string> models;
    for (auto const* seed : {"1", "2", "1"}) {
      models.insert(Bytes(
          Train(data, With(Linear(), {{"updater", "coord_descent"}, {"feature_selector", selector}, {"seed", seed}}), 2)
              .get()));
    }
    EXPECT_EQ(models.size(), 2U) << selector;
  }
}

TEST(GbLinear, SameBytesForAnyThreadCount) {
  auto spec = LinearSpec(0.1, false, 4);
  spec.n_rows = 150000;  // several blocks of a column
  for (auto const* objective : {"reg:squarederror", "multi:softprob"}) {
    auto const multi = std::string(objective) == "multi:softprob";
    auto const data = MakeLabelled(spec, multi ? 3 : 0);
    for (auto const* selector : {"cyclic", "greedy"}) {
      std::set<std::string> models;
      for (auto const* threads : {"1", "3", "8"}) {
        auto params = With(Linear(), {{"nthread", threads}, {"objective", objective}, {"feature_selector", selector}});
        params.emplace_back("updater", "coord_descent");
        if (multi) params.emplace_back("num_class", "3");
        models.insert(Bytes(Train(data, params, 2).get()));
      }
      EXPECT_EQ(models.size(), 1U) << objective << selector;
    }
  }
}

TEST(GbLinear, ContinuesFromASnapshotToTheSameBytes) {
  auto const data = MakeLabelled(LinearSpec(0.1, true), 3);
  auto const params =
      With(Linear(), {{"objective", "multi:softmax"}, {"num_class", "3"}, {"feature_selector", "shuffle"}});
  auto const first = Train(data, params, 3);
  auto const snapshot = first->SaveSnapshot();
  Learner second;
  second.LoadSnapshot({snapshot.data(), snapshot.size()});
  for (int round = 3; round < 6; ++round) second.BoostRound(data, round);
  EXPECT_EQ(Bytes(&second), Bytes(Train(data, params, 6).get()));
  EXPECT_EQ(second.NumIterations(), 6);
}

TEST(GbLinear, HasNoMoreRoundsThanAFileCanTell) {
  auto const data = MakeLabelled(LinearSpec(0.1, true), 0);
  auto text = SerialiseModel(Train(data, Linear(), 3)->GetModel(), ModelFormat::kJson);
  std::string const rounds = "\"boosted_rounds\":3";
  ASSERT_NE(text.find(rounds), std::string::npos);
  text.replace(text.find(rounds), rounds.size(), "\"boosted_rounds\":2147483647");
  Learner learner;
  learner.LoadModel({text.data(), text.size()});
  auto const before = Bytes(&learner);
  EXPECT_NE(MessageOf([&] { learner.BoostRound(data, 0); }).find("2147483647 rounds"), std::string::npos);
  EXPECT_EQ(Bytes(&learner), before);
}

TEST(GbLinear, CachedMarginsAreThoseOfThePredictor) {
  auto const data = MakeLabelled(LinearSpec(0.6, true), 2);
  auto const other = MakeLabelled(LinearSpec(0.1, false, 9), 2);
  auto const learner = testing::MakeLearner(With(Linear(), {{"objective", "binary:logistic"}}));
  auto loss = 1e9;
  for (int round = 0; round < 4; ++round) {
    learner->BoostRound(data, round);
    auto const now = learner->Evaluate({{"other", other}, {"train", data}});
    EXPECT_LT(now[1].value, loss);
    loss = now[1].value;
    EXPECT_EQ(learner->PredictTraining(data, Predicting(PredictKind::kMargin)).values,
              PredictData(*learner, *data, Predicting(PredictKind::kMargin)).values);
  }
}

TEST(GbLinear, ABaseMarginTakesThePlaceOfTheBaseScore) {
  auto const data = MakeLabelled(LinearSpec(0.1, false), 0);
  auto const learner = Train(data, With(Linear(), {{"base_score", "2"}}), 3);
  auto const plain = PredictData(*learner, *data, Predicting(PredictKind::kMargin)).values;
  data->MutableInfo()->base_margin.assign(kRows, 5.0F);
  auto const moved = PredictData(*learner, *data, Predicting(PredictKind::kMargin)).values;
  for (std::size_t row = 0; row < kRows; ++row) EXPECT_NEAR(moved[row] - plain[row], 3.0F, 1e-5);
}

TEST(GbLinear, ToleranceEndsTheMoves) {
  auto const data = MakeLabelled(LinearSpec(0.0, false), 0);
  auto const learner = Train(data, With(Linear(), {{"tolerance", "0.001"}}), 60);
  auto const weights = learner->GetModel().linear.weights;
  learner->BoostRound(data, 60);
  EXPECT_EQ(learner->GetModel().linear.weights, weights);
  EXPECT_EQ(learner->NumIterations(), 61);
  auto const moving = Train(data, With(Linear(), {{"tolerance", "0.001"}}), 3);
  EXPECT_NE(moving->GetModel().linear.weights, Train(data, Linear(), 2)->GetModel().linear.weights);
}

TEST(GbLinear, ANegativeHessianTakesARowOut) {
  auto const data = MakeLabelled(LinearSpec(0.0, false), 0);
  std::vector<GradientPair> pairs;
  for (std::int64_t row = 0; row < kRows; ++row) pairs.push_back({row < 150 ? 1.0F : 7.0F, row < 150 ? 1.0F : -1.0F});
  auto const some = testing::MakeLearner(Linear());
  some->BoostRound(data, 0, pairs);
  for (std::int64_t row = 150; row < kRows; ++row) pairs[row] = {0.0F, 0.0F};
  auto const none = testing::MakeLearner(Linear());
  none->BoostRound(data, 0, pairs);
  EXPECT_EQ(Bytes(some.get()), Bytes(none.get()));
  for (auto& pair : pairs) pair = {1.0F, 0.0F};
  auto const flat = testing::MakeLearner(Linear());
  flat->BoostRound(data, 0, pairs);
  EXPECT_EQ(flat->GetModel().linear.weights, std::vector<float>(kCols + 1, 0.0F));
  pairs[3].gradient = std::numeric_limits<float>::infinity();
  EXPECT_NE(MessageOf([&] { flat->BoostRound(data, 1, pairs); }).find("row 3"), std::string::npos);
}

TEST(GbLinear, ContributionsAreValueTimesWeight) {
  auto const spec = LinearSpec(0.3, false);
  auto const values = testing::MakeValues(spec);
  auto const data = MakeLabelled(spec, 3);
  auto const learner = Train(data, With(Linear(), {{"objective", "multi:softprob"}, {"num_class", "3"}}), 3);
  auto const margins = PredictData(*learner, *data, Predicting(PredictKind::kMargin)).values;
  auto const& weights = learner->GetModel().linear.weights;
  for (auto const kind : {PredictKind::kContribution, PredictKind::kApproxContribution, PredictKind::kBanzhaf}) {
    auto const phi = PredictData(*learner, *data, Predicting(kind)).values;
    ASSERT_EQ(phi.size(), static_cast<std::size_t>(kRows * 3 * (kCols + 1)));
    for (std::size_t block = 0; block < phi.size() / (kCols + 1); ++block) {
      auto const* cells = phi.data() + block * (kCols + 1);
      EXPECT_NEAR(std::accumulate(cells, cells + kCols + 1, 0.0F), margins[block], 1e-5);
      for (std::size_t f = 0; f < kCols; ++f) {
        auto const value = values[block / 3 * kCols + f];
        EXPECT_EQ(cells[f], std::isnan(value) ? 0.0F : value * weights[f * 3 + block % 3]);
      }
    }
  }
}

TEST(GbLinear, PairsHaveNothingBesideTheDiagonal) {
  auto const data = MakeLabelled(LinearSpec(0.3, true), 0);
  auto const learner = Train(data, Linear(), 3);
  auto const phi = PredictData(*learner, *data, Predicting(PredictKind::kContribution)).values;
  constexpr std::size_t kColumns = kCols + 1;
  for (auto const kind : {PredictKind::kInteraction, PredictKind::kApproxInteraction, PredictKind::kTaylorInteraction,
                          PredictKind::kBanzhafInteraction}) {
    auto const pairs = PredictData(*learner, *data, Predicting(kind)).values;
    ASSERT_EQ(pairs.size(), phi.size() * kColumns);
    for (std::size_t cell = 0; cell < pairs.size(); ++cell) {
      auto const row = cell / (kColumns * kColumns);
      auto const a = cell / kColumns % kColumns;
      auto const b = cell % kColumns;
      EXPECT_EQ(pairs[cell], a == b ? phi[row * kColumns + a] : 0.0F);
    }
  }
}

TEST(GbLinear, InterventionalContributionsCountFromTheBackgroundsMean) {
  auto const spec = LinearSpec(0.3, false);
  auto const values = testing::MakeValues(spec);
  auto const data = MakeLabelled(spec, 0);
  auto const background = MakeLabelled(LinearSpec(0.2, true, 8), 0);
  auto const learner = Train(data, Linear(), 3);
  auto const rows = data->View();
  auto const others = background->View();
  ExplainTask const task{*rows, {}, others.get()};
  auto const phi = Explain(*learner->Ready(), task, {}).values;
  auto const margins = PredictData(*learner, *data, Predicting(PredictKind::kMargin)).values;
  auto const of_background = PredictData(*learner, *background, Predicting(PredictKind::kMargin)).values;
  auto const mean = std::accumulate(of_background.begin(), of_background.end(), 0.0) / kRows;
  for (std::size_t row = 0; row < kRows; ++row) {
    auto const* cells = phi.data() + row * (kCols + 1);
    EXPECT_NEAR(cells[kCols], mean, 1e-5);
    EXPECT_NEAR(std::accumulate(cells, cells + kCols + 1, 0.0F), margins[row], 2e-5);
  }
  constexpr std::size_t kColumns = kCols + 1;
  ExplainOptions options;
  options.kind = PredictKind::kBanzhafInteraction;
  auto const pairs = Explain(*learner->Ready(), task, options).values;
  ASSERT_EQ(pairs.size(), phi.size() * kColumns);
  for (std::size_t cell = 0; cell < pairs.size(); ++cell) {
    auto const a = cell / kColumns % kColumns;
    auto const value = phi[cell / (kColumns * kColumns) * kColumns + a];
    ASSERT_EQ(pairs[cell], a == cell % kColumns ? value : 0.0F);
  }
}

TEST(GbLinear, ManyOutputsAreIndependent) {
  auto const spec = LinearSpec(0.1, false);
  auto const data = MakeLabelled(spec, 0);
  auto const one = Train(data, With(Linear(), {{"base_score", "0.5"}}), 4);
  auto& info = *data->MutableInfo();
  auto const labels = info.labels;
  info.labels.clear();
  for (auto const label : labels) {
    info.labels.push_back(label);
    info.labels.push_back(2.0F * label);
  }
  info.n_targets = 2;
  auto const two = Train(data, With(Linear(), {{"base_score", "0.5"}}), 4);
  auto const& weights = two->GetModel().linear.weights;
  ASSERT_EQ(weights.size(), static_cast<std::size_t>(2 * (kCols + 1)));
  for (std::size_t i = 0; i <= kCols; ++i) EXPECT_EQ(weights[2 * i], one->GetModel().linear.weights[i]);
}

TEST(GbLinear, BadParametersAreNamed) {
  auto const data = MakeLabelled(LinearSpec(0.1, false), 0);
  auto const message = [&](Params const& params) { return MessageOf([&] { Train(data, With(Linear(), params), 1); }); };
  EXPECT_NE(message({{"updater", "sgd"}}).find("coord_descent"), std::string::npos);
  EXPECT_NE(message({{"feature_selector", "best"}}).find("thrifty"), std::string::npos);
  for (auto const* selector : {"random", "greedy", "thrifty"}) {
    EXPECT_NE(message({{"feature_selector", selector}}).find("use updater=coord_descent"), std::string::npos);
  }
  EXPECT_NE(message({{"top_k", "-1"}}).find("top_k"), std::string::npos);
  EXPECT_NE(message({{"lambda", "-1"}}).find("lambda"), std::string::npos);
  EXPECT_NE(message({{"eta", "nan"}}).find("eta"), std::string::npos);
  EXPECT_NE(message({{"tolerance", "-1"}}).find("tolerance"), std::string::npos);
}

TEST(GbLinear, WhatOnlyTreesHaveIsRefused) {
  auto const data = MakeLabelled(LinearSpec(0.1, false), 0);
  auto const learner = Train(data, Linear(), 3);
  auto const predict = [&](PredictKind kind, IterationRange rounds) {
    return MessageOf([&] { PredictData(*learner, *data, Predicting(kind, rounds)); });
  };
  EXPECT_NE(predict(PredictKind::kLeaf, {}).find("no leaves"), std::string::npos);
  EXPECT_NE(predict(PredictKind::kMargin, {0, 2}).find("leave the range out"), std::string::npos);
  EXPECT_EQ(predict(PredictKind::kMargin, {0, 3}), "no error");
  EXPECT_NE(MessageOf([&] { learner->Slice({0, 2}, 1); }).find("slice"), std::string::npos);
  learner->SetParam("booster", "gbtree");
  EXPECT_NE(MessageOf([&] { learner->BoostRound(data, 3); }).find("is linear"), std::string::npos);
  auto const trees = Train(data, {}, 2);
  trees->SetParam("booster", "gblinear");
  EXPECT_NE(MessageOf([&] { trees->BoostRound(data, 2); }).find("consists of trees"), std::string::npos);
}

}  // namespace
}  // namespace kauri
