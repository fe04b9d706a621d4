/// process_type=update through a learner: its starting model, its result, and its refusals.
#include <gtest/gtest.h>

#include "booster/booster_fixture.h"
#include "support/learner_predict.h"

namespace kauri {
namespace {

using testing::Bytes;
using testing::MakeLabelled;
using testing::MakeLearner;
using testing::Params;
using testing::Train;
using testing::With;

constexpr int kRounds = 3;
Params const kTree{{"max_depth", "4"}, {"nthread", "2"}};
Params const kRefresh{{"process_type", "update"}, {"updater", "refresh"}};

std::shared_ptr<DataMatrix> MakeData(std::uint64_t seed, std::int64_t n_cols = 4) {
  testing::MatrixSpec spec;
  spec.n_rows = 500;
  spec.n_cols = n_cols;
  spec.missing = 0.1;
  spec.seed = seed;
  return MakeLabelled(spec, 0);
}

void Load(Learner* learner, std::string const& bytes) { learner->LoadModel({bytes.data(), bytes.size()}); }

std::unique_ptr<Learner> Loaded(Params const& params, Params const& training = kTree) {
  auto learner = MakeLearner(params);
  Load(learner.get(), Bytes(Train(MakeData(1), training, kRounds).get()));
  return learner;
}

void Update(Learner* learner, int rounds, std::shared_ptr<DataMatrix> const& data) {
  for (int round = 0; round < rounds; ++round) learner->BoostRound(data, round);
}

/// Returns the refusal of the next round.
std::string RefusalOf(Learner* learner) {
  return MessageOf([&] { Update(learner, 1, MakeData(2)); });
}

TEST(TreeUpdates, RefreshOnTheSameDataChangesNothing) {
  auto const trained = Train(MakeData(1), kTree, kRounds);
  auto const learner = MakeLearner(With(kTree, kRefresh));
  Load(learner.get(), Bytes(trained.get()));
  Update(learner.get(), kRounds, MakeData(1));
  auto const& before = trained->GetModel().trees;
  auto const& after = learner->GetModel().trees;
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t tree = 0; tree < after.size(); ++tree) {
    EXPECT_EQ(after[tree].split_value, before[tree].split_value);
    EXPECT_EQ(after[tree].sum_hessian, before[tree].sum_hessian);
  }
}

TEST(TreeUpdates, ThreadsDoNotMatter) {
  std::vector<std::string> bytes;
  for (auto const* threads : {"1", "8"}) {
    auto const learner = Loaded({{"process_type", "update"}, {"updater", "refresh,prune"}, {"gamma", "1"}});
    learner->SetParam("nthread", threads);
    Update(learner.get(), kRounds, MakeData(2));
    bytes.push_back(Bytes(learner.get()));
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST(TreeUpdates, CachedMarginsAreThoseOfThePrediction) {
  auto const learner = Loaded(kRefresh);
  auto const data = MakeData(2);
  auto const options = testing::Predicting(PredictKind::kMargin);
  auto const first = PredictData(*learner, *data, options).values;
  for (int round = 0; round < kRounds; ++round) {
    learner->BoostRound(data, round);
    EXPECT_EQ(learner->NumIterations(), round + 1);
    EXPECT_EQ(learner->PredictTraining(data, options).values, PredictData(*learner, *data, options).values);
  }
  EXPECT_NE(first, PredictData(*learner, *data, options).values);
}

TEST(TreeUpdates, RoundsBeyondTheModelAreRefused) {
  auto const learner = Loaded(kRefresh);
  Update(learner.get(), kRounds, MakeData(2));
  auto const before = Bytes(learner.get());
  EXPECT_NE(RefusalOf(learner.get()).find("has changed all 3 rounds of the model"), std::string::npos);
  EXPECT_EQ(Bytes(learner.get()), before);
  Load(learner.get(), before);
  EXPECT_EQ(RefusalOf(learner.get()), "no error");
}

TEST(TreeUpdates, AFirstRoundThatFailsLeavesTheModel) {
  auto const learner = Loaded(kRefresh);
  auto const before = Bytes(learner.get());
  EXPECT_NE(MessageOf([&] { Update(learner.get(), 1, MakeData(2, 3)); }).find("have 3 features, the booster 4"),
            std::string::npos);
  EXPECT_EQ(Bytes(learner.get()), before);
  EXPECT_EQ(RefusalOf(learner.get()), "no error");
}

TEST(TreeUpdates, BoostingGoesOnFromWhatWasUpdated) {
  auto const learner = Loaded(kRefresh);
  Update(learner.get(), 2, MakeData(2));
  learner->SetParam("process_type", "default");
  learner->SetParam("updater", "");
  Update(learner.get(), 2, MakeData(2));
  EXPECT_EQ(learner->NumIterations(), 4);
  learner->SetParam("process_type", "update");
  learner->SetParam("updater", "prune");
  Update(learner.get(), 4, MakeData(2));
  EXPECT_EQ(learner->NumIterations(), 4);
}

TEST(TreeUpdates, WhatCannotBeUpdatedIsRefused) {
  auto const message = [](Params const& params, Params const& training = kTree) {
    return MessageOf([&] { Update(Loaded(params, training).get(), 1, MakeData(2)); });
  };
  auto const has = [](std::string const& text, char const* part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(has, RefusalOf(MakeLearner(kRefresh).get()), "the booster has none; load a model first");
  EXPECT_PRED2(has, message({{"process_type", "update"}}), "set updater=refresh, updater=prune or");
  EXPECT_PRED2(has, message({{"process_type", "update"}, {"updater", "refersh"}}), "did you mean 'refresh'?");
  EXPECT_PRED2(has, message({{"process_type", "update"}, {"updater", "refresh,"}}), "Unknown updater ''");
  EXPECT_PRED2(has, message({{"updater", "prune"}}), "set process_type=update to change the trees of a model");
  EXPECT_PRED2(has, message(kRefresh, With(kTree, {{"booster", "dart"}})), "booster=gbtree only");
  EXPECT_PRED2(has, message({{"process_type", "renew"}}), "'renew'");
}

}  // namespace
}  // namespace kauri
