#include "booster/model/learnt_model.h"

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
LearntModel& Trained(int n_rounds, std::shared_ptr<Components const> const& parts, LearntModel* learnt) {
  for (int round = 0; round < n_rounds; ++round) learnt->Commit(learnt->MakeDraft(parts), RoundOf(1));
  return *learnt;
}

TEST(LearntModel, RoundsAreAppendedWithoutACopy) {
  auto const parts = Resolved();
  LearntModel memory;
  auto& learnt = Trained(1, parts, &memory);
  auto const* const model = &learnt.AsLearnt();
  learnt.Commit(learnt.MakeDraft(parts), RoundOf(2));
  EXPECT_EQ(&learnt.AsLearnt(), model);
  EXPECT_EQ(&learnt.Ready(parts)->GetModel(), model);
  EXPECT_EQ(model->iteration_ptr, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(model->trees.size(), 3U);
  EXPECT_EQ(model->output_of_tree.size(), 3U);
}

TEST(LearntModel, ADraftThatIsNotCommittedChangesNothing) {
  auto const parts = Resolved();
  LearntModel memory;
  auto& learnt = Trained(2, parts, &memory);
  {
    auto draft = learnt.MakeDraft(parts);
    draft.Edit()->base_score = {7.0F};
    draft.SetHasIntercept(true);
    draft.BeginUpdate();
    EXPECT_EQ(draft.Get().base_score, std::vector<float>{7.0F});
    EXPECT_TRUE(draft.Get().trees.empty());
  }
  EXPECT_EQ(learnt.AsLearnt().base_score, std::vector<float>{0.5F});
  EXPECT_EQ(learnt.AsLearnt().trees.size(), 2U);
  EXPECT_FALSE(learnt.MakeDraft(parts).HasIntercept());
}

TEST(LearntModel, ConstCallsWriteNothing) {
  LearntModel memory;
  auto const& learnt = Trained(1, Resolved(), &memory);
  auto const logistic = Resolved({{"objective", "binary:logistic"}, {"scale_pos_weight", "3"}});
  auto const ready = learnt.Ready(logistic);
  EXPECT_EQ(ready->GetModel().objective, "binary:logistic");
  EXPECT_EQ(ready->GetModel().objective_params.at("scale_pos_weight"), "3");
  EXPECT_EQ(learnt.AsLearnt().objective, "reg:squarederror");
  EXPECT_EQ(learnt.Ready(logistic), ready);
  memory.Commit(memory.MakeDraft(logistic), RoundOf(1));
  EXPECT_EQ(learnt.AsLearnt().objective, "binary:logistic");
  EXPECT_EQ(learnt.AsLearnt().trees.size(), 2U);
}

TEST(LearntModel, UpdatesTakeRoundsBack) {
  auto const parts = Resolved();
  LearntModel memory;
  auto& learnt = Trained(3, parts, &memory);
  auto draft = learnt.MakeDraft(parts);
  draft.BeginUpdate();
  learnt.Commit(std::move(draft), RoundOf(1));
  EXPECT_EQ(learnt.AsLearnt().NumIterations(), 1);
  auto next = learnt.MakeDraft(parts);
  EXPECT_FALSE(next.IsUntrained());
  EXPECT_EQ(next.Updated()->NumIterations(), 3);
  next.EndUpdate();
  learnt.Commit(std::move(next), RoundOf(1));
  EXPECT_EQ(learnt.MakeDraft(parts).Updated(), nullptr);
}

TEST(LearntModel, ParametersOfAnotherKindOfModelAreRefused) {
  LearntModel memory;
  auto const& learnt = Trained(1, Resolved(), &memory);
  auto const message = MessageOf([&] { learnt.Ready(Resolved({{"booster", "gblinear"}})); });
  EXPECT_NE(message.find("consists of trees"), std::string::npos) << message;
}

TEST(LearntModel, ARoundOfALinearModelReplacesItsWeights) {
  auto const parts = Resolved({{"booster", "gblinear"}});
  LearntModel learnt;
  Round round;
  round.linear = LinearPart{{1.0F, 2.0F}, 1};
  learnt.Commit(learnt.MakeDraft(parts), std::move(round));
  EXPECT_EQ(learnt.AsLearnt().linear.weights, (std::vector<float>{1.0F, 2.0F}));
  EXPECT_EQ(learnt.AsLearnt().NumIterations(), 1);
}

}  // namespace
}  // namespace kauri
