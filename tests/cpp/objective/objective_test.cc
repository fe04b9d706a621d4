/// Labels, parameters, predictions and names of the objectives.
#include "kauri/objective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "objective_fixture.h"
#include "support/error.h"

namespace kauri {
namespace {

float const kNaN = std::numeric_limits<float>::quiet_NaN();

std::string LabelError(std::string const& name, MetaInfo const& info) {
  return MessageOf(ErrorKind::kData, [&] { MakeObjective(name, {{"num_class", "3"}})->ValidateInfo(Context(), info); });
}

TEST(Labels, GoodOnesPass) {
  EXPECT_NO_THROW(
      MakeObjective("reg:squarederror")->ValidateInfo(Context(), MakeInfo({-1e30F, 0.0F, 1e30F}, {0.0F, 1.0F, 2.0F})));
  EXPECT_NO_THROW(MakeObjective("reg:logistic")->ValidateInfo(Context(), MakeInfo({0.0F, 0.3F, 1.0F, 1e-30F}, {}, 2)));
  EXPECT_NO_THROW(MakeObjective("binary:logistic")->ValidateInfo(Context(), MakeInfo({0.0F, 1.0F})));
  EXPECT_NO_THROW(MakeObjective("count:poisson")->ValidateInfo(Context(), MakeInfo({0.0F, 2.5F, 1e9F})));
  EXPECT_NO_THROW(
      MakeObjective("multi:softmax", {{"num_class", "3"}})->ValidateInfo(Context(), MakeInfo({0.0F, 2.0F, 1.0F})));
  EXPECT_NO_THROW(MakeObjective("reg:squarederror")->ValidateInfo(Context(), MakeInfo({})));
}

TEST(Labels, NaN) {
  for (auto const* name : {"reg:squarederror", "reg:logistic", "binary:logistic", "binary:logitraw", "count:poisson",
                           "multi:softmax", "multi:softprob"}) {
    ExpectParts(LabelError(name, MakeInfo({0.0F, 1.0F, kNaN, kNaN})), {name, "label nan", "row 2"});
  }
}

TEST(Labels, Infinite) {
  auto const infinity = std::numeric_limits<float>::infinity();
  ExpectParts(LabelError("reg:squarederror", MakeInfo({0.0F, infinity})), {"label inf", "row 1", "finite"});
  ExpectParts(LabelError("count:poisson", MakeInfo({infinity})), {"label inf", "row 0"});
}

TEST(Labels, NotAProbability) {
  ExpectParts(LabelError("binary:logistic", MakeInfo({0.0F, 1.0F, 2.0F})), {"label 2", "row 2", "[0, 1]"});
  ExpectParts(LabelError("reg:logistic", MakeInfo({-0.25F})), {"label -0.25", "row 0", "[0, 1]"});
}

TEST(Labels, NotAClass) {
  ExpectParts(LabelError("multi:softmax", MakeInfo({0.0F, 3.0F})), {"label 3", "row 1", "0 to 2", "num_class"});
  ExpectParts(LabelError("multi:softprob", MakeInfo({0.5F})), {"label 0.5", "row 0", "whole number"});
  ExpectParts(LabelError("multi:softprob", MakeInfo({-1.0F})), {"label -1", "row 0"});
}

TEST(Constraints, BindTheOutputsThatMoveTheMean) {
  using Free = std::vector<std::uint8_t>;
  EXPECT_EQ(MakeObjective("reg:squarederror")->FreeOutputs(), Free());
  EXPECT_EQ(MakeObjective("dist:student_t")->FreeOutputs(), (Free{0, 1, 1}));
  EXPECT_EQ(MakeObjective("dist:lognormal")->FreeOutputs(), (Free{0, 0}));
  EXPECT_EQ(MakeObjective("dist:zero_inflated_gamma")->FreeOutputs(), (Free{0, 1, 0}));
}

TEST(Labels, NegativeCount) {
  ExpectParts(LabelError("count:poisson", MakeInfo({0.0F, -1.0F})), {"label -1", "row 1", "0 or more"});
}

TEST(Labels, TheFirstOfManyThatAreWrongIsReported) {
  constexpr std::size_t kLabels = 500'000;  // several blocks
  auto const objective = MakeObjective("binary:logistic");
  for (std::size_t const first : {std::size_t{0}, std::size_t{65'535}, std::size_t{65'536}, kLabels - 1}) {
    std::vector<float> labels(kLabels, 1.0F);
    labels[kLabels - 1] = 7.0F;
    labels[std::max(first, std::size_t{400'000})] = 6.0F;
    labels[first] = 5.0F;
    auto const info = MakeInfo(std::move(labels));
    for (int const threads : {1, 3, 8}) {
      Context ctx;
      ctx.threads = threads;
      ExpectParts(MessageOf(ErrorKind::kData, [&] { objective->ValidateInfo(ctx, info); }),
                  {"label 5 of row " + std::to_string(first)});
    }
  }
}

TEST(Labels, OutsideOfTheNewDomains) {
  ParamMap const params{{"quantile_alpha", "0.5"}, {"expectile_alpha", "0.5"}};
  struct Bad {
    char const* name;
    float label;
    char const* domain;
  };
  auto const infinity = std::numeric_limits<float>::infinity();
  for (auto const& bad : std::vector<Bad>{{"reg:squaredlogerror", -1.0F, "above -1"},
                                          {"reg:squaredlogerror", infinity, "above -1"},
                                          {"reg:gamma", 0.0F, "above 0"},
                                          {"reg:gamma", -2.0F, "above 0"},
                                          {"reg:tweedie", -0.5F, "0 or more"},
                                          {"binary:hinge", 0.5F, "0 or 1"},
                                          {"binary:hinge", -1.0F, "0 or 1"},
                                          {"reg:absoluteerror", infinity, "finite"},
                                          {"reg:pseudohubererror", kNaN, "finite"},
                                          {"reg:huber", infinity, "finite"},
                                          {"reg:fair", kNaN, "finite"},
                                          {"reg:mape", infinity, "finite"},
                                          {"binary:focal", 0.5F, "0 or 1"},
                                          {"binary:exponential", 0.5F, "0 or 1"},
                                          {"reg:quantileerror", kNaN, "finite"},
                                          {"reg:expectileerror", infinity, "finite"},
                                          {"survival:cox", kNaN, "finite"}}) {
    auto const objective = MakeObjective(bad.name, params);
    objective->ValidateInfo(Context(), MakeInfo({1.0F, 1.0F}));
    auto const message = MessageOf(ErrorKind::kData, [&] {
      objective->ValidateInfo(Context(), MakeInfo({1.0F, bad.label, bad.label}));
    });
    ExpectParts(message, {bad.name, "row 1", bad.domain});
  }
  for (auto const* name : {"reg:quantileerror", "reg:expectileerror", "reg:mape", "survival:cox"}) {
    auto const message = MessageOf(ErrorKind::kData, [&] {
      MakeObjective(name, params)->ValidateInfo(Context(), MakeInfo({1.0F, 1.0F}, {}, 2));
    });
    ExpectParts(message, {name, "2 label columns"});
  }
}

TEST(Labels, RowAndTargetOfSeveral) {
  ExpectParts(LabelError("binary:logistic", MakeInfo({0, 1, 0, 1, 0, 7}, {}, 2)), {"label 7", "row 2", "target 1"});
}

TEST(Labels, SeveralTargetsForClasses) {
  ExpectParts(LabelError("multi:softmax", MakeInfo({0, 1}, {}, 2)), {"2 label columns"});
}

TEST(Labels, Missing) {
  auto info = MakeInfo({});
  info.n_rows = 5;
  ExpectParts(LabelError("reg:squarederror", info), {"no labels", "5 rows"});
}

TEST(Labels, WrongCounts) {
  auto info = MakeInfo({0.0F, 1.0F, 0.0F});
  info.n_rows = 2;
  ExpectParts(LabelError("binary:logistic", info), {"3 labels", "2 rows"});
  ExpectParts(LabelError("binary:logistic", MakeInfo({0.0F, 1.0F}, {1.0F})), {"1 weights", "2 rows"});
}

TEST(ObjectiveParameters, NumClassIsRequired) {
  for (auto const& params : {ParamMap{}, ParamMap{{"num_class", "1"}}, ParamMap{{"num_class", "0"}}}) {
    for (auto const* name : {"multi:softmax", "multi:softprob"}) {
      ExpectParts(MessageOf(ErrorKind::kParameter, [&] { MakeObjective(name, params); }), {"num_class", "2 or more"});
    }
  }
}

TEST(ObjectiveParameters, Bounds) {
  for (auto const* bad : {"-1", "nan", "inf", "x"}) {
    ExpectParts(MessageOf(ErrorKind::kParameter,
                          [&] {
                            MakeObjective("binary:logistic", {{"scale_pos_weight", bad}});
                          }),
                {"scale_pos_weight", bad});
    ExpectParts(MessageOf(ErrorKind::kParameter,
                          [&] {
                            MakeObjective("count:poisson", {{"max_delta_step", bad}});
                          }),
                {"max_delta_step", bad});
  }
}

TEST(ObjectiveParameters, SavedAsXGBoostSavesThem) {
  using Saved = std::map<std::string, std::string>;
  auto const logistic = MakeObjective("binary:logistic");
  EXPECT_EQ(logistic->ParamKey(), "reg_loss_param");
  EXPECT_EQ(logistic->SaveParams(), (Saved{{"scale_pos_weight", "1"}}));
  EXPECT_EQ(MakeObjective("reg:squarederror")->ParamKey(), "reg_loss_param");
  auto const softprob = MakeObjective("multi:softprob", {{"num_class", "3"}});
  EXPECT_EQ(softprob->ParamKey(), "softmax_multiclass_param");
  EXPECT_EQ(softprob->SaveParams(), (Saved{{"num_class", "3"}}));
  auto const poisson = MakeObjective("count:poisson");
  EXPECT_EQ(poisson->ParamKey(), "poisson_regression_param");
  EXPECT_EQ(poisson->SaveParams(), (Saved{{"max_delta_step", "0.699999988"}}));
  EXPECT_EQ(poisson->ParameterDefaults(), (Saved{{"max_delta_step", "0.7"}}));
  EXPECT_EQ(MakeObjective("count:poisson", {{"max_delta_step", "0"}})->SaveParams(), (Saved{{"max_delta_step", "0"}}));
}

TEST(ObjectiveParameters, OfRegressionAreSavedAsXGBoostSavesThem) {
  using Saved = std::map<std::string, std::string>;
  struct Line {
    std::string name;
    ParamMap params;
    std::string key;
    Saved saved;
  };
  for (auto const& line : std::vector<Line>{
           {"reg:squaredlogerror", {}, "", {}},
           {"reg:absoluteerror", {}, "", {}},
           {"binary:hinge", {}, "", {}},
           {"survival:cox", {}, "", {}},
           {"reg:pseudohubererror", {{"huber_slope", "2.5"}}, "pseudo_huber_param", {{"huber_slope", "2.5"}}},
           {"reg:gamma", {}, "reg_loss_param", {{"scale_pos_weight", "1"}}},
           {"reg:tweedie",
            {{"tweedie_variance_power", "1.2"}},
            "tweedie_regression_param",
            {{"tweedie_variance_power", "1.20000005"}}},
           {"reg:quantileerror",
            {{"quantile_alpha", "(0.1, 0.25)"}},
            "quantile_loss_param",
            {{"quantile_alpha", "[1E-1,2.5E-1]"}}},
           {"reg:expectileerror",
            {{"expectile_alpha", "0.3"}},
            "expectile_loss_param",
            {{"expectile_alpha", "[3E-1]"}}},
           {"survival:aft",
            {{"aft_loss_distribution", "logistic"}, {"aft_loss_distribution_scale", "1.5"}},
            "aft_loss_param",
            {{"aft_loss_distribution", "logistic"}, {"aft_loss_distribution_scale", "1.5"}}}}) {
    auto const objective = MakeObjective(line.name, line.params);
    EXPECT_EQ(objective->ParamKey(), line.key) << line.name;
    EXPECT_EQ(objective->SaveParams(), line.saved) << line.name;
    EXPECT_EQ(MakeObjective(line.name, line.saved)->SaveParams(), line.saved) << line.name;
  }
  for (auto const* bad : {"2", "0.75", "nan"}) {
    ExpectParts(MessageOf(ErrorKind::kParameter,
                          [&] {
                            MakeObjective("reg:tweedie", {{"tweedie_variance_power", bad}});
                          }),
                {"tweedie_variance_power", bad});
  }
}

TEST(ObjectiveParameters, TablesAndNames) {
  Registry<ObjectiveFactory> registry("objective");
  RegisterObjectives(&registry);
  std::map<std::string, std::size_t> parameter_counts{
      {"reg:squarederror", 1},  {"reg:logistic", 1},        {"binary:logistic", 1},
      {"binary:logitraw", 1},   {"multi:softmax", 1},       {"multi:softprob", 1},
      {"count:poisson", 1},     {"reg:squaredlogerror", 0}, {"reg:absoluteerror", 0},
      {"reg:quantileerror", 1}, {"reg:expectileerror", 1},  {"reg:pseudohubererror", 1},
      {"reg:gamma", 1},         {"reg:tweedie", 1},         {"binary:hinge", 0},
      {"survival:cox", 0},      {"reg:huber", 1},           {"reg:fair", 1},
      {"reg:mape", 0},          {"binary:focal", 2},        {"binary:exponential", 1},
      {"survival:aft", 2},      {"rank:pairwise", 7},       {"rank:ndcg", 7},
      {"rank:map", 7}};
  for (auto const* const family :
       {"normal", "lognormal", "laplace", "student_t", "gamma", "poisson", "negative_binomial", "zero_inflated_poisson",
        "zero_inflated_negative_binomial", "zero_inflated_gamma"}) {
    parameter_counts[std::string("dist:") + family] = 0;
  }
  EXPECT_EQ(registry.Names().size(), parameter_counts.size());
  for (auto const& entry : registry.Entries()) {
    EXPECT_FALSE(entry.description.empty());
    ASSERT_EQ(parameter_counts.count(entry.name), 1U) << entry.name;
    auto const n_parameters = entry.parameters == nullptr ? 0U : entry.parameters().size();
    EXPECT_EQ(n_parameters, parameter_counts[entry.name]) << entry.name;
  }
}

TEST(ObjectiveParameters, DefaultMetrics) {
  std::map<std::string, std::string> const expected{{"reg:squarederror", "rmse"},
                                                    {"reg:logistic", "rmse"},
                                                    {"binary:logistic", "logloss"},
                                                    {"binary:logitraw", "logloss"},
                                                    {"multi:softmax", "mlogloss"},
                                                    {"multi:softprob", "mlogloss"},
                                                    {"count:poisson", "poisson-nloglik"},
                                                    {"reg:squaredlogerror", "rmsle"},
                                                    {"reg:pseudohubererror", "mphe"},
                                                    {"reg:absoluteerror", "mae"},
                                                    {"reg:huber", "huber"},
                                                    {"reg:fair", "fair"},
                                                    {"reg:mape", "mape"},
                                                    {"binary:focal", "focal"},
                                                    {"binary:exponential", "error"},
                                                    {"reg:quantileerror", "quantile"},
                                                    {"reg:expectileerror", "expectile"},
                                                    {"reg:gamma", "gamma-deviance"},
                                                    {"reg:tweedie", "tweedie-nloglik@1.2"},
                                                    {"binary:hinge", "error"},
                                                    {"survival:cox", "cox-nloglik"},
                                                    {"survival:aft", "aft-nloglik"}};
  ParamMap const params{
      {"num_class", "2"}, {"quantile_alpha", "0.5"}, {"expectile_alpha", "0.5"}, {"tweedie_variance_power", "1.2"}};
  for (auto const& [name, metric] : expected) {
    EXPECT_EQ(MakeObjective(name, params)->DefaultMetric(), metric) << name;
    EXPECT_EQ(MakeObjective(name, params)->Name(), name);
  }
}

std::vector<float> Transformed(Objective const& objective, std::vector<float> values, std::int64_t n_outputs,
                               int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  objective.TransformMargins(ctx, values, n_outputs);
  return values;
}

TEST(Predictions, Transforms) {
  std::vector<float> const margins{-200.0F, -1.5F, 0.0F, 0.75F, 20.0F};
  EXPECT_EQ(Transformed(*MakeObjective("reg:squarederror"), margins, 1), margins);
  EXPECT_EQ(Transformed(*MakeObjective("binary:logitraw"), margins, 1), margins);
  auto const probabilities = Transformed(*MakeObjective("binary:logistic"), margins, 1);
  auto const rates = Transformed(*MakeObjective("count:poisson"), margins, 1);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    auto const m = static_cast<long double>(margins[i]);
    EXPECT_EQ(probabilities[i], static_cast<float>(1.0L / (1.0L + std::exp(-m))));
    EXPECT_EQ(rates[i], static_cast<float>(std::exp(m)));
  }
}

TEST(Predictions, SoftmaxAndItsClass) {
  std::vector<float> const margins{1.0F, 3.0F, 2.0F, 0.0F, 0.0F, 0.0F, -1e4F, 5.0F, 5.0F, 1e4F, 0.0F, -1e4F};
  auto const softprob = MakeObjective("multi:softprob", {{"num_class", "3"}});
  auto const softmax = MakeObjective("multi:softmax", {{"num_class", "3"}});
  auto const probabilities = Transformed(*softprob, margins, 3);
  EXPECT_EQ(probabilities, Transformed(*softmax, margins, 3));
  EXPECT_FLOAT_EQ(probabilities[1], 0.66524096F);
  EXPECT_FLOAT_EQ(probabilities[4], 1.0F / 3.0F);
  EXPECT_EQ((std::vector<float>(probabilities.begin() + 6, probabilities.end())),
            (std::vector<float>{0.0F, 0.5F, 0.5F, 1.0F, 0.0F, 0.0F}));

  EXPECT_EQ(softprob->ValueWidth(3), 3);
  std::vector<float> all(12);
  softprob->PickValues(Context{}, probabilities, 3, all);
  EXPECT_EQ(all, probabilities);
  EXPECT_EQ(softmax->ValueWidth(3), 1);
  std::vector<float> classes(4);
  softmax->PickValues(Context{}, probabilities, 3, classes);
  EXPECT_EQ(classes, (std::vector<float>{1.0F, 0.0F, 1.0F, 0.0F}));  // ties go to the first class
}

TEST(Predictions, SameBitsForAnyThreadCount) {
  auto const margins = RandomValues(3 * 20001, -30.0F, 30.0F, 1);
  for (auto const* name : {"binary:logistic", "count:poisson", "multi:softprob"}) {
    auto const objective = MakeObjective(name, {{"num_class", "3"}});
    EXPECT_EQ(Transformed(*objective, margins, 3, 1), Transformed(*objective, margins, 3, 8)) << name;
  }
}

TEST(Predictions, PickValuesChecksItsSizes) {
  std::vector<float> out(2);
  std::vector<float> const values(3);
  ExpectParts(MessageOf(ErrorKind::kInternal,
                        [&] { MakeObjective("reg:squarederror")->PickValues(Context{}, values, 1, out); }),
              {"size 2; expected 3"});
}

TEST(Predictions, Outputs) {
  EXPECT_EQ(MakeObjective("reg:squarederror")->NumOutputs(MakeInfo({1, 2, 3, 4}, {}, 2)), 2);
  auto const softmax = MakeObjective("multi:softmax", {{"num_class", "5"}});
  EXPECT_EQ(softmax->NumOutputs(MakeInfo({1.0F})), 5);
  EXPECT_EQ(softmax->NumClasses(), 5);
  EXPECT_EQ(MakeObjective("binary:logistic")->NumClasses(), 0);
}

}  // namespace
}  // namespace kauri
