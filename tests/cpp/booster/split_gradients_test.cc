/// Trees whose split gradients differ from their leaf gradients.
#include "booster/booster_fixture.h"
#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

using testing::Bytes;
using testing::MakeLearner;
using testing::Params;
using testing::Random;
using testing::With;

constexpr std::int64_t kRows = 300;
constexpr std::int64_t kOutputs = 3;
Params const kVectors = {{"multi_strategy", "multi_output_tree"}, {"num_target", "3"}, {"max_depth", "4"}};

std::shared_ptr<DataMatrix> MakeData(std::int64_t n_rows = kRows) {
  return testing::MakeMatrix({n_rows, 4, 0.1, 0, false, 5});
}

/// Returns [n_rows, n_columns].
std::vector<GradientPair> MakePairs(std::int64_t n_columns, std::uint64_t seed, std::int64_t n_rows = kRows) {
  Random random(seed);
  std::vector<GradientPair> pairs;
  for (std::int64_t i = 0; i < n_rows * n_columns; ++i) {
    pairs.push_back({random.Normal(), static_cast<float>(0.5 + random.Uniform())});
  }
  return pairs;
}

/// The gain and weight of a leaf with these rows for one column of pairs; lambda is 1.
struct Leaf {
  double gradient = 0.0;
  double hessian = 0.0;

  void Add(GradientPair pair) {
    gradient += static_cast<double>(pair.gradient);
    hessian += static_cast<double>(pair.hessian);
  }
  double Gain() const { return gradient * gradient / (hessian + 1.0); }
  double Value() const { return -0.3 * gradient / (hessian + 1.0); }
};

/// Returns the loss change of a split by its definition, summed over the columns.
double LossChange(std::vector<GradientPair> const& pairs, std::int64_t n_columns, std::vector<bool> const& goes_left) {
  double change = 0.0;
  for (std::int64_t column = 0; column < n_columns; ++column) {
    Leaf all;
    Leaf left;
    Leaf right;
    for (std::size_t row = 0; row < goes_left.size(); ++row) {
      auto const pair = pairs[row * static_cast<std::size_t>(n_columns) + static_cast<std::size_t>(column)];
      all.Add(pair);
      (goes_left[row] ? left : right).Add(pair);
    }
    change += left.Gain() + right.Gain() - all.Gain();
  }
  return change;
}

TEST(SplitGradients, AStumpIsTheBestSplitOfOnesAndHasLeavesOfOthers) {
  constexpr std::int64_t kFew = 60;
  auto const values = testing::MakeValues({kFew, 3, 0.0, 0, false, 8});
  std::shared_ptr<DataMatrix> const data = testing::MakeMatrix(values, 3, false);
  for (std::int64_t const n_columns : {1, 2, 3}) {
    auto const splits = MakePairs(n_columns, 1, kFew);
    auto const leaves = MakePairs(kOutputs, 2, kFew);
    auto learner = MakeLearner(With(kVectors, {{"max_depth", "1"}, {"min_child_weight", "0"}}));
    learner->BoostRound(data, 0, SplitGradients{splits, n_columns, leaves});
    auto const& tree = learner->GetModel().trees.at(0);
    ASSERT_EQ(tree.NumNodes(), 3);
    auto best = 0.0;
    for (std::size_t cell = 0; cell < values.size(); ++cell) {  // tries every value of every feature as threshold
      std::vector<bool> goes_left;
      for (std::size_t row = 0; row < kFew; ++row) goes_left.push_back(values[row * 3 + cell % 3] < values[cell]);
      best = std::max(best, LossChange(splits, n_columns, goes_left));
    }
    EXPECT_NEAR(tree.loss_change[0], best, 1e-5 * best);
    std::vector<Leaf> expected(3 * kOutputs);
    for (std::int64_t row = 0; row < kFew; ++row) {
      auto const leaf = FindLeaf(tree, *data, row);
      for (std::int64_t i = 0; i < kOutputs; ++i) expected[leaf * kOutputs + i].Add(leaves[row * kOutputs + i]);
    }
    for (std::int32_t const leaf : {1, 2}) {
      for (std::int64_t i = 0; i < kOutputs; ++i) {
        EXPECT_NEAR(tree.LeafValues(leaf)[i], expected[leaf * kOutputs + i].Value(), 1e-6);
      }
    }
    EXPECT_EQ(tree.base_weight.size(), 3U * static_cast<std::size_t>(n_columns));
    tree.Validate(3);
  }
}

/// A root with less hessian than min_child_weight has weight 0, for scalar and for vector leaves.
TEST(SplitGradients, ALightRootIsThatOfAnOrdinaryRound) {
  constexpr std::int64_t kFew = 2;
  auto const data = MakeData(kFew);
  for (std::int64_t const n_outputs : {std::int64_t{1}, kOutputs}) {
    std::vector<GradientPair> const pairs(kFew * n_outputs, {0.15F, 0.2F});
    for (auto const* const least : {"0.3", "0.5"}) {
      Params const params{{"num_target", std::to_string(n_outputs)},
                          {"multi_strategy", "multi_output_tree"},
                          {"min_child_weight", least}};
      auto plain = MakeLearner(params);
      auto split = MakeLearner(params);
      plain->BoostRound(data, 0, pairs);
      split->BoostRound(data, 0, SplitGradients{pairs, n_outputs, pairs});
      auto const& tree = split->GetModel().trees.at(0);
      ASSERT_EQ(tree.NumNodes(), 1);
      EXPECT_EQ(Bytes(plain.get()), Bytes(split.get()));
      EXPECT_EQ(tree.LeafValues(0)[0] == 0.0F, std::string(least) == "0.5") << n_outputs;
    }
  }
}

/// Equal split and leaf gradients give the bits of an ordinary round, for all kinds of random draws.
class SameGradients : public ::testing::TestWithParam<Params> {};

TEST_P(SameGradients, AreAnOrdinaryRound) {
  auto const data = MakeData();
  auto const params = With(kVectors, GetParam());
  for (auto const* threads : {"1", "8"}) {
    auto plain = MakeLearner(params);
    auto split = MakeLearner(With(params, {{"nthread", threads}}));
    for (int round = 0; round < 3; ++round) {
      auto const pairs = MakePairs(kOutputs, 10 + static_cast<std::uint64_t>(round));
      plain->BoostRound(data, round, pairs);
      split->BoostRound(data, round, SplitGradients{pairs, kOutputs, pairs});
    }
    EXPECT_EQ(Bytes(plain.get()), Bytes(split.get()));
    PredictOptions const margins = testing::Predicting(PredictKind::kMargin);
    EXPECT_EQ(plain->PredictTraining(data, margins).values, split->PredictTraining(data, margins).values);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SameGradients,
                         ::testing::Values(Params{}, Params{{"subsample", "0.5"}},
                                           Params{{"subsample", "0.5"}, {"sampling_method", "gradient_based"}},
                                           Params{{"bagging_temperature", "1"}},
                                           Params{{"subsample", "0.5"}, {"bagging_temperature", "0.4"}},
                                           Params{{"num_parallel_tree", "2"}, {"subsample", "0.7"}},
                                           Params{{"gamma", "1e9"}}, Params{{"booster", "dart"}, {"rate_drop", "0.5"}},
                                           Params{{"max_delta_step", "0.05"}},
                                           Params{{"grow_policy", "lossguide"}, {"max_leaves", "5"}, {"alpha", "2"}}));

TEST(SplitGradients, RoundsOfAllKindsFollowEachOther) {
  auto const data = MakeData();
  auto plain = MakeLearner(kVectors);
  auto mixed = MakeLearner(kVectors);
  for (int round = 0; round < 4; ++round) {
    auto const pairs = MakePairs(kOutputs, 20 + static_cast<std::uint64_t>(round));
    plain->BoostRound(data, round, pairs);
    if (round % 2 == 0) {
      mixed->BoostRound(data, round, SplitGradients{pairs, kOutputs, pairs});
    } else {
      mixed->BoostRound(data, round, pairs);
    }
  }
  EXPECT_EQ(Bytes(plain.get()), Bytes(mixed.get()));
}

TEST(SplitGradients, OneOutputHasItsLeavesFromTheOthersToo) {
  auto const data = MakeData();
  auto const splits = MakePairs(1, 3);
  auto const leaves = MakePairs(1, 4);
  Params const params = {{"multi_strategy", "multi_output_tree"}, {"max_depth", "2"}};
  auto learner = MakeLearner(params);
  learner->BoostRound(data, 0, SplitGradients{splits, 1, leaves});
  auto grown = MakeLearner(params);
  grown->BoostRound(data, 0, splits);
  auto const& tree = learner->GetModel().trees[0];
  EXPECT_EQ(tree.left, grown->GetModel().trees[0].left);
  EXPECT_EQ(tree.split_feature, grown->GetModel().trees[0].split_feature);
  std::vector<Leaf> expected(static_cast<std::size_t>(tree.NumNodes()));
  for (std::int64_t row = 0; row < kRows; ++row) expected[FindLeaf(tree, *data, row)].Add(leaves[row]);
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    EXPECT_NEAR(tree.LeafValues(node)[0], expected[node].Value(), 1e-6);
  }
}

TEST(SplitGradients, ModelsAreReadBackAsTheyAre) {
  auto learner = MakeLearner(kVectors);
  learner->BoostRound(MakeData(), 0, SplitGradients{MakePairs(1, 3), 1, MakePairs(kOutputs, 4)});
  auto const bytes = Bytes(learner.get());
  Learner other;
  other.LoadModel({bytes.data(), bytes.size()});
  EXPECT_EQ(Bytes(&other), bytes);
}

TEST(SplitGradients, WhatCannotBeIsRefusedAndLeavesAllAsItWas) {
  auto const data = MakeData();
  auto const one = MakePairs(1, 3);
  auto const all = MakePairs(kOutputs, 4);
  auto const message_of = [&](Params const& params, SplitGradients const& gradients) {
    return MessageOf([&] { MakeLearner(params)->BoostRound(data, 0, gradients); });
  };
  SplitGradients const right{one, 1, all};
  auto const reduced = "Reduced gradient must be used with vector leaf trees";
  ExpectParts(message_of({{"num_target", "3"}}, right), {reduced, "multi_strategy=multi_output_tree"});
  ExpectParts(message_of({{"booster", "gblinear"}, {"num_target", "3"}}, right), {reduced, "booster=gbtree"});
  ExpectParts(message_of(With(kVectors, {{"tree_method", "approx"}}), right), {"approx", "tree_method=hist"});
  ExpectParts(message_of(With(kVectors, {{"tree_method", "exact"}}), right), {"exact", "tree_method=hist"});
  ExpectParts(message_of(With(kVectors, {{"monotone_constraints", "(1,0,0,0)"}}), right),
              {"Monotonic constraints are not supported with reduced gradients", "(1,0,0,0)"});
  ExpectParts(message_of(kVectors, {MakePairs(4, 3), 4, all}), {"have 4 columns for 3 outputs"});
  ExpectParts(message_of(kVectors, {{}, 0, all}), {"have 0 columns for 3 outputs"});
  ExpectParts(message_of(kVectors, {one, 1, one}), {"300 gradient pairs", "3 outputs", "expected 900"});
  ExpectParts(message_of(kVectors, {one, 2, all}), {"300 gradient pairs", "2 outputs", "expected 600"});

  auto learner = MakeLearner(kVectors);
  learner->BoostRound(data, 0, right);
  auto const before = Bytes(learner.get());
  auto bad = all;
  bad[7].gradient = std::numeric_limits<float>::infinity();
  ExpectParts(MessageOf([&] { learner->BoostRound(data, 1, SplitGradients{one, 1, bad}); }), {"row 2"});
  EXPECT_EQ(Bytes(learner.get()), before);
  learner->BoostRound(data, 1, right);
  auto straight = MakeLearner(kVectors);
  for (int round = 0; round < 2; ++round) straight->BoostRound(data, round, right);
  EXPECT_EQ(Bytes(learner.get()), Bytes(straight.get()));
}

}  // namespace
}  // namespace kauri
