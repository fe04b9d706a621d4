/// Feature costs: parsing, the costs that trees pay, and trees grown with costs. The comparison with definitions is in
/// the tests of each method.
#include "tree/feature_cost.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/error.h"
#include "tree/categorical_job.h"

namespace kauri {
namespace {

using Costs = std::vector<float>;

Costs Parse(std::string const& text) {
  auto param = DefaultParam();
  param.feature_cost = text;
  return ParseFeatureCost(param);
}

TEST(FeatureCost, Texts) {
  EXPECT_EQ(Parse("(0,2.5,1e-3)"), (Costs{0.0F, 2.5F, 1e-3F}));
  EXPECT_EQ(Parse(" [0, 2.5, 0] "), (Costs{0.0F, 2.5F, 0.0F}));
  for (auto const* none : {"", "()", "[]"}) EXPECT_EQ(Parse(none), Costs());
}

TEST(FeatureCost, TextsThatAreNone) {
  for (auto const* text : {"(1,nan)", "(1,inf)", "(1,x)", "1,2", "(1", "(1,)", "(1e99)"}) {
    ExpectParts(MessageOf(ErrorKind::kParameter, [&] { Parse(text); }),
                {std::string("feature_cost='") + text + "'", "cannot be read",
                 "one finite number of 0 or more for each feature, as in (0,2.5,0)"});
  }
  ExpectParts(MessageOf(ErrorKind::kParameter, [] { Parse("(0,1,-0.5)"); }),
              {"feature_cost has -0.5 for feature 2", "0 or more"});
}

/// Returns a tree whose root splits on the feature.
Tree SplitAt(std::uint32_t feature) {
  Tree tree;
  tree.ExpandNode(0, {feature, 0.5F, false, 1.0F});
  return tree;
}

Costs Of(OpenCosts const& costs) { return {costs.Get().begin(), costs.Get().end()}; }

TEST(FeatureCost, WhatAModelUsesIsPaid) {
  Model model;
  model.trees = {Tree(), SplitAt(2)};  // the leaf of the first tree has column 0 but splits nothing
  OpenCosts costs({1.0F, 2.0F, 3.0F, 0.0F}, model, 4);
  EXPECT_EQ(Of(costs), (Costs{1.0F, 2.0F, 0.0F, 0.0F}));
  costs.Pay(SplitAt(3));
  costs.Pay(SplitAt(2));
  EXPECT_EQ(Of(costs), (Costs{1.0F, 2.0F, 0.0F, 0.0F}));
  costs.Pay(SplitAt(7));  // a tree of data with more columns
  costs.Pay(SplitAt(1));
  EXPECT_EQ(Of(costs), (Costs{1.0F, 0.0F, 0.0F, 0.0F}));
  costs.Pay(SplitAt(0));
  EXPECT_EQ(Of(costs), Costs());
  EXPECT_EQ(Of(OpenCosts({}, model, 4)), Costs());
  EXPECT_EQ(Of(OpenCosts({0.0F, 0.0F, 0.0F, 0.0F}, model, 4)), Costs());
}

TEST(FeatureCost, IsGivenForEveryColumn) {
  for (std::size_t const n : {1U, 3U, 5U}) {
    ExpectParts(MessageOf(ErrorKind::kParameter, [&] { OpenCosts(Costs(n, 1.0F), {}, 4); }),
                {"feature_cost has " + std::to_string(n) + " values, the data have 4 features", "0 for those"});
  }
}

/// If two columns have the same values, the free one is used although the other one comes first.
TEST(FeatureCost, TwinsOfWhichOneCosts) {
  for (auto const method : {Method::kExact, Method::kHist, Method::kApprox}) {
    CategoricalJob job;
    job.n_cols = 2;
    for (int row = 0; row < 300; ++row) job.values.insert(job.values.end(), 2, static_cast<float>(row * 7 % 50));
    job.types = {"q", "q"};
    job.gradients = MakeGradients(300, 3);
    auto const free = BuildWith(method, job);
    EXPECT_EQ(std::count(free.tree.split_feature.begin(), free.tree.split_feature.end(), 1U), 0);
    job.costs = {1e-3F, 0.0F};
    auto const built = BuildWith(method, job);
    for (std::int32_t node = 0; node < built.tree.NumNodes(); ++node) {
      EXPECT_TRUE(built.tree.IsLeaf(node) || built.tree.split_feature[node] == 1U);
    }
    EXPECT_EQ(built.leaf_of_row, free.leaf_of_row);
    EXPECT_EQ(built.tree.loss_change, free.tree.loss_change);
    job.costs = {0.0F, 0.0F};
    ExpectSame(BuildWith(method, job), free, "costs of 0");
  }
}

/// If one column costs c, the root's gain is reduced by c, and all other gains stay the same.
TEST(FeatureCost, IsPaidOnceInATree) {
  for (auto const method : {Method::kExact, Method::kHist, Method::kApprox}) {
    auto job = RandomJob(5, 500, 0);
    job.param = DefaultParam();
    job.n_cols = 1;
    job.values.resize(500);
    job.types = {"q"};
    job.sampled.clear();
    job.gradients = MakeGradients(500, 9);
    auto const free = BuildWith(method, job);
    ASSERT_GT(free.tree.NumLeaves(), 4);
    auto const gain = free.tree.loss_change[0];
    job.costs = {gain / 2.0F};
    auto built = BuildWith(method, job);
    EXPECT_FLOAT_EQ(built.tree.loss_change[0], gain / 2.0F);
    built.tree.loss_change[0] = gain;
    ExpectSame(built, free, "below the root");
    job.param.gamma = gain * 0.75F;
    job.param.max_depth = 1;
    EXPECT_EQ(BuildWith(method, job).tree.NumLeaves(), 1);
    job.param.gamma = 0.0F;
    job.costs = {gain * 1.01F};
    EXPECT_EQ(BuildWith(method, job).tree.NumLeaves(), 1);
  }
}

TEST(FeatureCost, ThreadsDoNotMatter) {
  for (auto const method : {Method::kExact, Method::kHist, Method::kApprox}) {
    for (bool const lossguide : {false, true}) {
      auto job = RandomJob(11, 30000, 1);
      job.param.max_depth = 6;
      if (lossguide) job.param.grow_policy = TreeParam::kLossGuide;
      auto const free = BuildWith(method, job, 1);
      job.costs.assign(job.n_cols, free.tree.loss_change[0] * 0.9F);
      job.costs[0] = 0.0F;
      auto const expected = BuildWith(method, job, 1);
      EXPECT_NE(expected.leaf_of_row, free.leaf_of_row);
      for (int const threads : {2, 3, 8}) ExpectSame(BuildWith(method, job, threads), expected, "threads");
    }
  }
}

}  // namespace
}  // namespace kauri
