#include "booster/model/trained_model.h"

#include <gtest/gtest.h>

#include "booster/config/configuration.h"
#include "support/error.h"

namespace kauri {
namespace {

std::shared_ptr<Components const> Resolved(ParamMap const& params = {}) {
  Configuration configuration;
  for (auto const& [name, value] : params) configuration.Set(name, value);
  return configuration.Resolve();
}

/// Returns a round of single-leaf trees.
Round RoundOf(std::size_t n_trees) {
  Round round;
  round.trees.resize(n_trees);
  round.output_of_tree.resize(n_trees);
  return round;
}

/// Trains some rounds of one tree each.
TrainedModel& Trained(int n_rounds, std::shared_ptr<Components const> const& parts, TrainedModel* trained) {
  for (int round = 0; round < n_rounds; ++round) trained->Commit(trained->MakeDraft(parts), RoundOf(1));
  return *trained;
}

TEST(TrainedModel, RoundsAreAppendedWithoutACopy) {
  auto const parts = Resolved();
  TrainedModel memory;
  auto& trained = Trained(1, parts, &memory);
  auto const* const model = &trained.AsTrained();
  trained.Commit(trained.MakeDraft(parts), RoundOf(2));
  EXPECT_EQ(&trained.AsTrained(), model);
  EXPECT_EQ(&trained.Ready(parts)->GetModel(), model);
  EXPECT_EQ(model->iteration_ptr, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(model->trees.size(), 3U);
  EXPECT_EQ(model->output_of_tree.size(), 3U);
}

TEST(TrainedModel, ADraftThatIsNotCommittedChangesNothing) {
  auto const parts = Resolved();
  TrainedModel memory;
  auto& trained = Trained(2, parts, &memory);
  {
    auto draft = trained.MakeDraft(parts);
    draft.Edit()->base_score = {7.0F};
    draft.SetHasIntercept(true);
    draft.BeginUpdate();
    EXPECT_EQ(draft.Get().base_score, std::vector<float>{7.0F});
    EXPECT_TRUE(draft.Get().trees.empty());
  }
  EXPECT_EQ(trained.AsTrained().base_score, std::vector<float>{0.5F});
  EXPECT_EQ(trained.AsTrained().trees.size(), 2U);
  EXPECT_FALSE(trained.MakeDraft(parts).HasIntercept());
}

TEST(TrainedModel, AnOpenInterceptIsTheGivenBaseScore) {
  TrainedModel trained;
  Trained(2, Resolved(), &trained);
  auto const given = Resolved({{"base_score", "1.5"}});
  trained.SetHasIntercept(true);
  EXPECT_EQ(trained.Ready(given)->GetModel().base_score, std::vector<float>{0.5F});
  trained.SetHasIntercept(false);
  EXPECT_EQ(trained.Ready(given)->GetModel().base_score, std::vector<float>{1.5F});
  EXPECT_EQ(trained.Ready(Resolved())->GetModel().base_score, std::vector<float>{0.5F});
  auto const two = Resolved({{"base_score", "[1,2]"}});
  ExpectParts(MessageOf(ErrorKind::kParameter, [&] { trained.Ready(two); }), {"base_score has 2 values for 1 outputs"});
}

TEST(TrainedModel, ConstCallsWriteNothing) {
  TrainedModel memory;
  auto const& trained = Trained(1, Resolved(), &memory);
  auto const logistic = Resolved({{"objective", "binary:logistic"}, {"scale_pos_weight", "3"}});
  auto const ready = trained.Ready(logistic);
  EXPECT_EQ(ready->GetModel().objective, "binary:logistic");
  EXPECT_EQ(ready->GetModel().objective_params.at("scale_pos_weight"), "3");
  EXPECT_EQ(trained.AsTrained().objective, "reg:squarederror");
  EXPECT_EQ(trained.Ready(logistic), ready);
  memory.Commit(memory.MakeDraft(logistic), RoundOf(1));
  EXPECT_EQ(trained.AsTrained().objective, "binary:logistic");
  EXPECT_EQ(trained.AsTrained().trees.size(), 2U);
}

TEST(TrainedModel, UpdatesTakeRoundsBack) {
  auto const parts = Resolved();
  TrainedModel memory;
  auto& trained = Trained(3, parts, &memory);
  auto draft = trained.MakeDraft(parts);
  draft.BeginUpdate();
  trained.Commit(std::move(draft), RoundOf(1));
  EXPECT_EQ(trained.AsTrained().NumIterations(), 1);
  auto next = trained.MakeDraft(parts);
  EXPECT_FALSE(next.IsUntrained());
  EXPECT_EQ(next.Updated()->NumIterations(), 3);
  next.EndUpdate();
  trained.Commit(std::move(next), RoundOf(1));
  EXPECT_EQ(trained.MakeDraft(parts).Updated(), nullptr);
}

TEST(TrainedModel, ParametersOfAnotherKindOfModelAreRefused) {
  TrainedModel memory;
  auto const& trained = Trained(1, Resolved(), &memory);
  auto const message = MessageOf([&] { trained.Ready(Resolved({{"booster", "gblinear"}})); });
  EXPECT_NE(message.find("consists of trees"), std::string::npos) << message;
}

TEST(TrainedModel, ARoundOfALinearModelReplacesItsWeights) {
  auto const parts = Resolved({{"booster", "gblinear"}});
  TrainedModel trained;
  Round round;
  round.linear = LinearPart{{1.0F, 2.0F}, 1};
  trained.Commit(trained.MakeDraft(parts), std::move(round));
  EXPECT_EQ(trained.AsTrained().linear.weights, (std::vector<float>{1.0F, 2.0F}));
  EXPECT_EQ(trained.AsTrained().NumIterations(), 1);
}

}  // namespace
}  // namespace kauri
