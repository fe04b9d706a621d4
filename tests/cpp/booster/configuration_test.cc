#include "booster/configuration.h"

#include <gtest/gtest.h>

#include "kauri/error.h"

namespace kauri {
namespace {

TEST(Configuration, IsResolvedOnceUntilSomethingIsSet) {
  Configuration configuration;
  EXPECT_EQ(configuration.Set("learning_rate", "0.5"), "eta");
  auto const first = configuration.Resolve();
  EXPECT_EQ(configuration.Resolve(), first);
  configuration.Set("seed", "7");
  auto const second = configuration.Resolve();
  EXPECT_EQ(first->ctx.seed, 0U);
  EXPECT_EQ(second->ctx.seed, 7U);
  EXPECT_EQ(second->given, (ParamMap{{"eta", "0.5"}, {"seed", "7"}}));
}

TEST(Configuration, WhatChangesNoResultIsNotSet) {
  Configuration configuration;
  EXPECT_EQ(configuration.Set("debug_synchronize", "1"), "");
  EXPECT_TRUE(configuration.Resolve()->given.empty());
}

TEST(Configuration, CopiesGoTheirOwnWay) {
  Configuration one;
  one.Set("seed", "1");
  one.Set("eval_metric", "auc");
  Configuration other(one);
  other.Set("seed", "2");
  EXPECT_EQ(one.Resolve()->ctx.seed, 1U);
  EXPECT_EQ(other.Resolve()->ctx.seed, 2U);
  EXPECT_EQ(other.Resolve()->metric_names, std::vector<std::string>{"auc"});
}

/// They have no right value, so every later call would fail.
TEST(Configuration, RefusedNamesAreForgotten) {
  Configuration configuration;
  configuration.Set("validate_parameters", "1");
  configuration.Set("max_dept", "3");
  configuration.Set("eval_metric", "goodness");
  EXPECT_THROW(configuration.Resolve(), Error);  // the parameter
  EXPECT_THROW(configuration.Resolve(), Error);  // the metric
  EXPECT_EQ(configuration.Resolve()->given, (ParamMap{{"validate_parameters", "1"}}));
}

TEST(Configuration, TakesWhatAModelSays) {
  Configuration configuration;
  configuration.Set("objective", "multi:softmax");
  configuration.Set("num_class", "3");
  Model model;
  model.objective = "binary:logistic";
  model.objective_params = {{"scale_pos_weight", "2"}};
  model.n_parallel_trees = 4;
  configuration.TakeFrom(model);
  EXPECT_EQ(configuration.Resolve()->given, (ParamMap{{"booster", "gbtree"},
                                                      {"num_parallel_tree", "4"},
                                                      {"objective", "binary:logistic"},
                                                      {"scale_pos_weight", "2"}}));
}

}  // namespace
}  // namespace kauri
