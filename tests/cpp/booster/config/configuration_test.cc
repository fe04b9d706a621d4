#include "booster/config/configuration.h"

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

/// Unknown names have no valid value, so without this every later call would fail.
TEST(Configuration, RefusedNamesAreForgotten) {
  Configuration configuration;
  configuration.Set("validate_parameters", "1");
  configuration.Set("max_dept", "3");
  configuration.Set("eval_metric", "goodness");
  EXPECT_THROW(configuration.Resolve(), Error);  // because of the parameter
  EXPECT_THROW(configuration.Resolve(), Error);  // because of the metric
  EXPECT_EQ(configuration.Resolve()->given, (ParamMap{{"validate_parameters", "1"}}));
}

Model Logistic() {
  Model model;
  model.objective = "binary:logistic";
  model.objective_params = {{"scale_pos_weight", "2"}};
  model.n_parallel_trees = 4;
  return model;
}

TEST(Configuration, TakesWhatAModelSays) {
  Configuration configuration;
  configuration.Set("eta", "0.5");
  configuration.TakeFrom(Logistic());
  auto const parts = configuration.Resolve();
  EXPECT_EQ(parts->given, (ParamMap{{"booster", "gbtree"},
                                    {"eta", "0.5"},
                                    {"num_parallel_tree", "4"},
                                    {"objective", "binary:logistic"},
                                    {"scale_pos_weight", "2"}}));
  EXPECT_EQ(parts->of_user, (ParamMap{{"eta", "0.5"}}));
  Model next;
  next.objective = "reg:squarederror";
  configuration.TakeFrom(next);  // nothing of the first metric stays
  EXPECT_EQ(configuration.Resolve()->given,
            (ParamMap{{"booster", "gbtree"}, {"eta", "0.5"}, {"objective", "reg:squarederror"}}));
}

TEST(Configuration, WhatIsSetHoldsBeforeAndAfterAModel) {
  ParamMap const own{{"objective", "binary:logitraw"}, {"scale_pos_weight", "3"}, {"booster", "dart"}};
  Configuration before;
  Configuration after;
  for (auto const& [name, value] : own) before.Set(name, value);
  for (auto* one : {&before, &after}) one->TakeFrom(Logistic());
  for (auto const& [name, value] : own) after.Set(name, value);
  auto expected = own;
  expected["num_parallel_tree"] = "4";
  for (auto* one : {&before, &after}) EXPECT_EQ(one->Resolve()->given, expected);
}

TEST(Configuration, ParametersOfAnotherObjectiveAreNotTaken) {
  Model poisson;
  poisson.objective = "count:poisson";
  poisson.objective_params = {{"max_delta_step", "0.7"}};
  Configuration configuration;
  configuration.TakeFrom(poisson);
  EXPECT_EQ(configuration.Resolve()->given.count("max_delta_step"), 1U);
  configuration.Set("objective", "reg:squarederror");
  EXPECT_EQ(configuration.Resolve()->given.count("max_delta_step"), 0U);
}

}  // namespace
}  // namespace kauri
