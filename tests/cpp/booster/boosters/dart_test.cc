#include "booster/boosters/dart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "booster/booster_fixture.h"
#include "booster/model_io/model_fixture.h"
#include "support/learner_predict.h"
#include "support/same_tree.h"

namespace kauri {
namespace {

using testing::Bytes;
using testing::LeafValue;
using testing::MakeLabelled;
using testing::MatrixSpec;
using testing::Params;
using testing::Predicting;
using testing::Train;
using testing::With;

constexpr std::int64_t kCols = 5;

MatrixSpec Spec(std::uint64_t seed) {
  MatrixSpec spec;
  spec.n_rows = 400;
  spec.n_cols = kCols;
  spec.missing = 0.1;
  spec.seed = seed;
  return spec;
}

Params Dart() {
  return {{"booster", "dart"},          {"max_depth", "3"},       {"seed", "5"},   {"rate_drop", "0.3"},
          {"validate_parameters", "1"}, {"tree_method", "exact"}, {"nthread", "1"}};
}

DartParam Param(ParamMap const& map) { return ParseParameters<DartParam>(map); }

/// Returns base score plus the weighted leaves of the trees that are not dropped, added in order.
std::vector<float> NaiveMargins(Model const& model, std::vector<float> const& values,
                                std::set<std::int64_t> const& dropped) {
  std::vector<float> margins;
  for (std::size_t cell = 0; cell < values.size(); cell += kCols) {
    std::vector<float> const row(values.begin() + static_cast<std::ptrdiff_t>(cell),
                                 values.begin() + static_cast<std::ptrdiff_t>(cell + kCols));
    auto margin = model.base_score[0];
    for (std::size_t tree = 0; tree < model.trees.size(); ++tree) {
      if (dropped.count(static_cast<std::int64_t>(tree)) > 0) continue;
      margin += LeafValue(model.trees[tree], row) * model.tree_weights[tree];
    }
    margins.push_back(margin);
  }
  return margins;
}

TEST(Dart, ATreeIsTheOneThatGbtreeGrowsFromTheMarginsOfTheTreesThatStay) {
  auto const values = testing::MakeValues(Spec(1));
  auto const data = MakeLabelled(Spec(1), 0);
  auto const learner = Train(data, Dart(), 6);
  auto const& model = learner->GetModel();
  ParamMap map;
  for (auto const& [name, value] : Dart()) map[name] = value;
  Context ctx;
  ctx.seed = 5;
  auto const dropped = MakeDart(TrainingParams(map))->DroppedTrees(ctx, model);
  ASSERT_FALSE(dropped.empty());
  ASSERT_LT(dropped.size(), 6U);
  auto const reference = MakeLabelled(Spec(1), 0);
  reference->MutableInfo()->base_margin = NaiveMargins(model, values, {dropped.begin(), dropped.end()});
  auto const gbtree = Train(reference, {{"max_depth", "3"}, {"tree_method", "exact"}}, 1);
  auto const before = model.tree_weights;
  learner->BoostRound(data, 6);
  testing::ExpectSameTree(learner->GetModel().trees.back(), gbtree->GetModel().trees.back());

  auto const n_dropped = static_cast<float>(dropped.size());
  auto const& after = learner->GetModel().tree_weights;
  ASSERT_EQ(after.size(), 7U);
  EXPECT_FLOAT_EQ(after[6], 1.0F / (n_dropped + 0.3F));
  std::set<std::int64_t> const was_dropped(dropped.begin(), dropped.end());
  for (std::int64_t tree = 0; tree < 6; ++tree) {
    auto const factor = was_dropped.count(tree) > 0 ? n_dropped / (n_dropped + 0.3F) : 1.0F;
    EXPECT_FLOAT_EQ(after[tree], factor * before[tree]) << tree;
  }
}

TEST(Dart, PredictsTheWeightedSumOfItsTrees) {
  auto const values = testing::MakeValues(Spec(2));
  auto const data = MakeLabelled(Spec(2), 0);
  auto const learner = Train(data, Dart(), 9);
  auto const naive = NaiveMargins(learner->GetModel(), values, {});
  EXPECT_EQ(PredictData(*learner, *data, Predicting(PredictKind::kMargin)).values, naive);
  double squares = 0.0;
  for (std::size_t row = 0; row < naive.size(); ++row) squares += std::pow(naive[row] - data->Info().labels[row], 2);
  auto const rmse = std::sqrt(squares / static_cast<double>(naive.size()));
  EXPECT_NEAR(learner->Evaluate({{"train", data}}).at(0).value, rmse, 1e-6);  // over all trees, whatever was dropped
}

TEST(Dart, TheMarginsOfTrainingLackWhatTheNextRoundDrops) {
  auto const values = testing::MakeValues(Spec(2));
  auto const data = MakeLabelled(Spec(2), 0);
  auto const learner = Train(data, With(Dart(), {{"rate_drop", "1"}}), 4);
  auto const base = learner->GetModel().base_score[0];
  EXPECT_EQ(learner->PredictTraining(data, Predicting(PredictKind::kMargin)).values, std::vector<float>(400, base));
  learner->Evaluate({{"train", data}});
  EXPECT_EQ(learner->PredictTraining(data, Predicting(PredictKind::kMargin)).values, std::vector<float>(400, base));
}

TEST(Dart, GradientsFromOutsideSeeTheSameTreesDropped) {
  auto const data = MakeLabelled(Spec(3), 0);
  auto const built_in = Train(data, With(Dart(), {{"base_score", "0.5"}}), 6);
  auto const outside = testing::MakeLearner(With(Dart(), {{"base_score", "0.5"}}));
  for (int round = 0; round < 6; ++round) {
    auto const margins = outside->PredictTraining(data, Predicting(PredictKind::kMargin)).values;
    std::vector<GradientPair> pairs;
    for (std::size_t row = 0; row < margins.size(); ++row) {
      pairs.push_back({margins[row] - data->Info().labels[row], 1.0F});
    }
    outside->BoostRound(data, round, pairs);
  }
  EXPECT_EQ(Bytes(built_in.get()), Bytes(outside.get()));
}

TEST(Dart, WithoutDropsItIsGbtree) {
  auto const data = MakeLabelled(Spec(4), 3);
  Params const params{{"objective", "multi:softprob"}, {"num_class", "3"}, {"subsample", "0.8"}, {"max_depth", "3"}};
  auto const gbtree = Train(data, params, 4);
  auto const dart = Train(data, With(params, {{"booster", "dart"}, {"rate_drop", "0.9"}, {"skip_drop", "1"}}), 4);
  ASSERT_EQ(dart->GetModel().trees.size(), 12U);
  for (std::size_t tree = 0; tree < 12; ++tree) {
    testing::ExpectSameTree(dart->GetModel().trees[tree], gbtree->GetModel().trees[tree]);
  }
  EXPECT_EQ(dart->GetModel().tree_weights, std::vector<float>(12, 1.0F));
}

TEST(Dart, SameBytesForAnyThreadCountAndAfterASnapshot) {
  auto const data = MakeLabelled(Spec(5), 3);
  auto const params = With(Dart(), {{"objective", "multi:softprob"},
                                    {"num_class", "3"},
                                    {"subsample", "0.8"},
                                    {"num_parallel_tree", "2"},
                                    {"sample_type", "weighted"},
                                    {"tree_method", "hist"}});
  std::set<std::string> models;
  for (auto const* threads : {"1", "2", "8"}) {
    models.insert(Bytes(Train(data, With(params, {{"nthread", threads}}), 6).get()));
  }
  auto const first = Train(data, With(params, {{"nthread", "8"}}), 3);
  auto const snapshot = first->SaveSnapshot();
  Learner second;
  second.LoadSnapshot({snapshot.data(), snapshot.size()});
  for (int round = 3; round < 6; ++round) second.BoostRound(data, round);
  models.insert(Bytes(&second));
  EXPECT_EQ(models.size(), 1U);
}

TEST(Dart, RoundsAndSlicesKeepTheirWeights) {
  auto const data = MakeLabelled(Spec(6), 0);
  auto const learner = Train(data, Dart(), 8);
  auto const slice = learner->Slice({2, 6}, 1);
  auto const some = PredictData(*learner, *data, Predicting(PredictKind::kMargin, {2, 6}));
  EXPECT_EQ(PredictData(*slice, *data, Predicting(PredictKind::kMargin)).values, some.values);
  EXPECT_NE(some.values, PredictData(*learner, *data, Predicting(PredictKind::kMargin)).values);
}

TEST(Dart, ALoadedModelGoesOnAsDart) {
  auto const data = MakeLabelled(Spec(7), 0);
  auto const learner = Train(data, Dart(), 5);
  auto const file = Bytes(learner.get());
  auto const loaded = testing::MakeLearner({{"rate_drop", "1"}, {"max_depth", "2"}});
  loaded->LoadModel({file.data(), file.size()});
  loaded->BoostRound(data, 5);
  EXPECT_EQ(loaded->GetModel().booster, "dart");
  EXPECT_FLOAT_EQ(loaded->GetModel().tree_weights.back(), 1.0F / (5.0F + 0.3F));
}

/// Returns dart's parameters without booster=dart.
Params Dropping(Params const& more) {
  return With({{"max_depth", "3"}, {"seed", "5"}, {"tree_method", "exact"}}, more);
}

TEST(Dart, IsWhatGbtreeBecomesByParametersThatDrop) {
  auto const data = MakeLabelled(Spec(9), 0);
  auto const plain = Bytes(Train(data, Dropping({}), 5).get());
  for (Params const& drops : {Params{{"rate_drop", "0.4"}}, Params{{"one_drop", "1"}}, Params{{"skip_drop", "0.5"}},
                              Params{{"rate_drop", "0.6"}, {"skip_drop", "0.3"}, {"normalize_type", "forest"}},
                              Params{{"one_drop", "1"}, {"sample_type", "weighted"}}}) {
    auto const dart = Bytes(Train(data, Dropping(With(drops, {{"booster", "dart"}})), 5).get());
    EXPECT_EQ(Bytes(Train(data, Dropping(drops), 5).get()), dart) << drops[0].first;
    EXPECT_EQ(Bytes(Train(data, Dropping(With(drops, {{"booster", "gbtree"}})), 5).get()), dart) << drops[0].first;
    EXPECT_NE(dart, plain);
  }
  for (Params const& idle : {Params{{"rate_drop", "0"}}, Params{{"sample_type", "weighted"}},
                             Params{{"normalize_type", "forest"}}, Params{{"one_drop", "0"}, {"skip_drop", "0"}}}) {
    EXPECT_EQ(Bytes(Train(data, Dropping(idle), 5).get()), plain) << idle[0].first;
  }
  EXPECT_NE(MessageOf([&] { Train(data, Dropping({{"rate_drop", "1.5"}}), 1); }).find("rate_drop"), std::string::npos);
}

std::unique_ptr<Learner> Loaded(std::string const& file, Params const& params) {
  auto learner = testing::MakeLearner(params);
  learner->LoadModel({file.data(), file.size()});
  return learner;
}

/// Old weights stay until their trees are dropped; trees of rounds without dropout have weight 1.
TEST(Dart, ModelsGoOnWithAndWithoutDropout) {
  auto const data = MakeLabelled(Spec(10), 0);
  auto const dropped = Train(data, Dropping({{"rate_drop", "0.9"}}), 3);
  auto const weights = dropped->GetModel().tree_weights;
  ASSERT_EQ(weights.size(), 3U);
  auto const file = Bytes(dropped.get());
  for (auto const* booster : {"", "gbtree", "dart"}) {
    auto const on = Loaded(file, Dropping({}));
    if (*booster != '\0') on->SetParam("booster", booster);
    for (int round = 3; round < 5; ++round) on->BoostRound(data, round);
    for (std::int64_t tree = 0; tree < 5; ++tree) {
      auto const expected = tree < 3 ? weights[tree] : 1.0F;
      EXPECT_EQ(on->GetModel().TreeWeight(tree), expected) << booster << " " << tree;
    }
    auto const again = Loaded(Bytes(on.get()), {});
    EXPECT_EQ(PredictData(*again, *data, Predicting(PredictKind::kMargin)).values,
              PredictData(*on, *data, Predicting(PredictKind::kMargin)).values);
  }
  auto const plain = Loaded(Bytes(Train(data, Dropping({}), 3).get()), Dropping({{"rate_drop", "1"}}));
  plain->BoostRound(data, 3);
  EXPECT_EQ(plain->GetModel().tree_weights, (std::vector<float>{3 / 3.3F, 3 / 3.3F, 3 / 3.3F, 1 / 3.3F}));
  plain->SetParam("rate_drop", "0");
  plain->BoostRound(data, 4);
  EXPECT_EQ(plain->GetModel().TreeWeight(0), 3 / 3.3F);
  EXPECT_EQ(plain->GetModel().TreeWeight(4), 1.0F);
}

TEST(Dart, RefreshedTreesAreDroppedAndWeighedAsNewOnes) {
  auto const data = MakeLabelled(Spec(11), 0);
  auto const file = Bytes(Train(data, Dropping({}), 3).get());
  auto const learner = Loaded(file, Dropping({{"rate_drop", "1"}, {"process_type", "update"}, {"updater", "refresh"}}));
  for (int round = 0; round < 3; ++round) learner->BoostRound(data, round);
  auto const grown = Train(data, Dropping({{"rate_drop", "1"}}), 3);
  EXPECT_EQ(learner->GetModel().tree_weights, grown->GetModel().tree_weights);
  EXPECT_EQ(learner->GetModel().trees.size(), 3U);
}

TEST(Dart, WeightsAfterDroppingAllTreesFollowTheirRecurrence) {
  // Three rounds with rate_drop=1 and eta=0.3, by hand: k / (k + 0.3) for each later round, 1 / (k + 0.3) when new.
  for (auto const* type : {"tree", "forest"}) {
    auto const tree = std::string(type) == "tree";
    auto const data = MakeLabelled(Spec(8), 0);
    auto const model =
        Train(data, With(Dart(), {{"rate_drop", "1"}, {"normalize_type", type}}), 3)->GetModel().tree_weights;
    auto const first = tree ? 1.0 / 1.3 * (2.0 / 2.3) : 1.0 / (1.3 * 1.3);
    EXPECT_NEAR(model.at(0), first, 1e-6);
    EXPECT_NEAR(model.at(1), first, 1e-6);
    EXPECT_NEAR(model.at(2), tree ? 1.0 / 2.3 : 1.0 / 1.3, 1e-6);
  }
}

/// Tests XGBoost's rule since 3.4: all trees of a round get the same weight, each with the whole step. Three classes,
/// all trees dropped: 3 trees after the first round, 6 after the second.
TEST(Dart, WeighsSeveralTreesOfARoundAsOne) {
  auto const data = MakeLabelled(Spec(8), 3);
  Params const classes{{"objective", "multi:softprob"}, {"num_class", "3"}, {"rate_drop", "1"}};
  auto const tree = Train(data, With(Dart(), classes), 3)->GetModel().tree_weights;
  auto const forest = Train(data, With(Dart(), With(classes, {{"normalize_type", "forest"}})), 3)->GetModel();
  ASSERT_EQ(tree.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(tree[i], i < 3 ? 3.0 / 3.3 * (6.0 / 6.3) : i < 6 ? 1.0 / 3.3 * (6.0 / 6.3) : 1.0 / 6.3, 1e-6) << i;
    EXPECT_NEAR(forest.tree_weights[i], i < 6 ? 1.0 / (1.3 * 1.3) : 1.0 / 1.3, 1e-6) << i;
  }
}

/// Returns the share of 20,000 rounds in which each tree is dropped.
std::vector<double> DropShares(ParamMap const& map, std::vector<float> const& weights) {
  constexpr int kRounds = 20000;
  std::vector<double> shares(weights.size());
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    auto const dropped = DrawDroppedTrees(Param(map), weights, MixBits(round));
    EXPECT_TRUE(std::is_sorted(dropped.begin(), dropped.end()));
    for (auto const tree : dropped) shares[tree] += 1.0 / kRounds;
  }
  return shares;
}

TEST(Dart, UniformDrawsHaveTheirRate) {
  for (auto const share : DropShares({{"rate_drop", "0.2"}}, {0.1F, 2.0F, 1.0F})) EXPECT_NEAR(share, 0.2, 0.012);
  for (auto const share : DropShares({{"rate_drop", "0.2"}, {"skip_drop", "0.5"}}, {0.1F, 2.0F, 1.0F})) {
    EXPECT_NEAR(share, 0.1, 0.009);
  }
}

TEST(Dart, WeightedDrawsAreInProportion) {
  auto const shares = DropShares({{"rate_drop", "0.2"}, {"sample_type", "weighted"}}, {0.5F, 1.0F, 1.5F});
  EXPECT_NEAR(shares[0], 0.1, 0.009);
  EXPECT_NEAR(shares[1], 0.2, 0.012);
  EXPECT_NEAR(shares[2], 0.3, 0.013);
}

TEST(Dart, OneDropTakesExactlyOneWhereTheRateTakesNone) {
  auto const uniform = DropShares({{"one_drop", "1"}}, {0.5F, 1.0F, 1.5F});
  for (auto const share : uniform) EXPECT_NEAR(share, 1.0 / 3.0, 0.014);
  auto const weighted = DropShares({{"one_drop", "1"}, {"sample_type", "weighted"}}, {0.5F, 1.0F, 1.5F});
  EXPECT_NEAR(weighted[0], 1.0 / 6.0, 0.011);
  EXPECT_NEAR(weighted[2], 0.5, 0.015);
  EXPECT_NEAR(weighted[0] + weighted[1] + weighted[2], 1.0, 1e-9);
  EXPECT_TRUE(DrawDroppedTrees(Param({{"one_drop", "1"}}), {}, 3).empty());
  EXPECT_TRUE(DrawDroppedTrees(Param({{"one_drop", "1"}, {"skip_drop", "1"}}), {1.0F}, 3).empty());
}

TEST(Dart, BadParametersAreNamed) {
  auto const data = MakeLabelled(Spec(9), 0);
  auto const message = [&](Params const& params) {
    return MessageOf([&] { Train(data, With({{"booster", "dart"}}, params), 1); });
  };
  EXPECT_NE(message({{"rate_drop", "1.5"}}).find("rate_drop"), std::string::npos);
  EXPECT_NE(message({{"skip_drop", "-0.1"}}).find("skip_drop"), std::string::npos);
  EXPECT_NE(message({{"rate_drop", "nan"}}).find("rate_drop"), std::string::npos);
  EXPECT_NE(message({{"sample_type", "some"}}).find("uniform"), std::string::npos);
  EXPECT_NE(message({{"normalize_type", "wood"}}).find("forest"), std::string::npos);
}

}  // namespace
}  // namespace kauri
