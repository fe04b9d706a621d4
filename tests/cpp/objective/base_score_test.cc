/// Estimated intercepts compared with XGBoost's, and their conversion to margins.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "objective_fixture.h"

namespace kauri {
namespace {

std::vector<float> EstimateOf(std::string const& name, ParamMap const& params, MetaInfo const& info, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  return MakeObjective(name, params)->EstimateBaseScore(ctx, info);
}

/// Returns value(i) for 1000 rows.
std::vector<float> Rows(std::function<float(int)> const& value) {
  std::vector<float> result(1000);
  for (int i = 0; i < 1000; ++i) result[i] = value(i);
  return result;
}

float Number(int i) { return static_cast<float>(i * 37 % 101) / 8.0F; }
float Count(int i) { return std::floor(Number(i)); }
float Binary(int i) { return i % 25 < 6 ? 1.0F : 0.0F; }
float Class(int i) { return static_cast<float>(i * i % 11 % 4); }
float Weight(int i) { return static_cast<float>(i * 53 % 17 + 1) / 4.0F; }

struct Example {
  std::string objective;
  ParamMap params;
  float (*label)(int);
  bool weighted;
  std::vector<float> base_score;  ///< printed by XGBoost 3.2.0; for absolute and expectile errors by 3.4.1
};

float Positive(int i) { return Number(i) + 0.5F; }
float MostlyOnes(int i) { return 1.0F - Binary(i); }
/// Returns times without ties, about every fourth censored.
float Time(int i) { return static_cast<float>(i * 37 % 1000 + 1) * (Binary(i) > 0.0F ? -1.0F : 1.0F); }

ParamMap const kScaled{{"scale_pos_weight", "3"}};
std::vector<Example> const kExamples{
    {"reg:squarederror", {}, Number, false, {6.25124979F}},
    {"reg:squarederror", kScaled, Number, false, {6.14828444F}},
    {"reg:squarederror", {}, Number, true, {6.25777674F}},
    {"reg:squarederror", kScaled, Number, true, {6.15226555F}},
    {"count:poisson", {}, Count, false, {5.82299995F}},
    {"count:poisson", {}, Count, true, {5.82971621F}},
    {"reg:logistic", {}, Binary, false, {0.239999995F}},
    {"reg:logistic", kScaled, Binary, false, {0.486489803F}},
    {"binary:logistic", {}, Binary, true, {0.235392317F}},
    {"binary:logistic", kScaled, Binary, true, {0.480146676F}},
    {"binary:logitraw", {}, Binary, false, {0.239999995F}},
    {"binary:logitraw", kScaled, Binary, false, {-0.0540540554F}},
    {"binary:logitraw", kScaled, Binary, true, {-0.0794551671F}},
    {"reg:squaredlogerror", {}, Number, false, {0.6435685F}},
    {"reg:squaredlogerror", {}, Number, true, {0.64370424F}},
    {"reg:pseudohubererror", {}, Number, false, {10.910657F}},
    {"reg:pseudohubererror", {}, Number, true, {10.974611F}},
    {"reg:pseudohubererror", {{"huber_slope", "2.5"}}, Number, false, {10.237324F}},
    {"reg:absoluteerror", {}, Number, false, {6.2512984F}},
    {"reg:absoluteerror", {}, Number, true, {6.259474F}},
    {"reg:expectileerror", {{"expectile_alpha", "[0.1,0.5,0.9]"}}, Number, false, {3.7444942F, 6.25125F, 8.798437F}},
    {"reg:expectileerror", {{"expectile_alpha", "[0.1,0.5,0.9]"}}, Number, true, {3.7517953F, 6.2577767F, 8.809238F}},
    {"reg:quantileerror", {{"quantile_alpha", "0.3"}}, Number, false, {3.75F}},
    {"reg:quantileerror", {{"quantile_alpha", "[0.1,0.5,0.9]"}}, Number, false, {1.25F, 6.25F, 11.25F}},
    {"reg:quantileerror", {{"quantile_alpha", "[0.1,0.5,0.9]"}}, Number, true, {1.25F, 6.25F, 11.25F}},
    {"reg:gamma", {}, Positive, false, {6.75125F}},
    {"reg:gamma", {}, Positive, true, {6.7577767F}},
    {"reg:gamma", {{"scale_pos_weight", "2"}}, Positive, false, {2.3410962F}},
    {"reg:gamma", {{"scale_pos_weight", "2"}}, Positive, true, {2.3411667F}},
    {"reg:tweedie", {}, Number, false, {6.25125F}},
    {"reg:tweedie", {}, Number, true, {6.2577767F}},
    {"binary:hinge", {}, Binary, false, {0.0F}},
    {"binary:hinge", {}, MostlyOnes, true, {1.0F}},
    {"survival:cox", {}, Time, false, {1.0F}},
    {"survival:cox", {}, Time, true, {1.0096133F}},
    {"multi:softprob", {{"num_class", "4"}}, Class, false, {3.05784559F, 3.74915791F, -9.45938492F, 2.65238237F}},
    {"multi:softprob", {{"num_class", "4"}}, Class, true, {3.05627537F, 3.74962473F, -9.45936203F, 2.65346241F}},
    {"multi:softmax",
     {{"num_class", "6"}},
     Class,
     true,
     {6.20939636F, 6.90274572F, -6.30624151F, 5.8065834F, -6.30624151F, -6.30624151F}}};

TEST(BaseScore, AsXGBoostEstimatesIt) {
  for (auto const& example : kExamples) {
    auto const info = MakeInfo(Rows(example.label), example.weighted ? Rows(Weight) : std::vector<float>());
    auto const scores = EstimateOf(example.objective, example.params, info);
    ASSERT_EQ(scores.size(), example.base_score.size());
    for (std::size_t k = 0; k < scores.size(); ++k) {
      EXPECT_FLOAT_EQ(scores[k], example.base_score[k]) << example.objective << " " << example.weighted << " " << k;
    }
  }
}

TEST(BaseScore, OneClassOnly) {
  // XGBoost 3.2.0 writes [9.210341E0,-4.6051702E0,-4.6051702E0].
  auto const scores = EstimateOf("multi:softprob", {{"num_class", "3"}}, MakeInfo(std::vector<float>(50, 0.0F)));
  EXPECT_FLOAT_EQ(scores[0], 9.210341F);
  EXPECT_FLOAT_EQ(scores[1], -4.6051702F);
  EXPECT_FLOAT_EQ(scores[2], -4.6051702F);
  EXPECT_EQ(EstimateOf("binary:logistic", {}, MakeInfo({0, 0, 0}))[0], 0.0F);
  EXPECT_EQ(EstimateOf("binary:logistic", {}, MakeInfo({1, 1, 1}))[0], 1.0F);
  EXPECT_EQ(EstimateOf("binary:logitraw", {}, MakeInfo({1, 1, 1}))[0], 1.0F);
  EXPECT_EQ(EstimateOf("count:poisson", {}, MakeInfo({0, 0, 0}))[0], 0.0F);
}

TEST(BaseScore, NewtonStepWithoutHessianStaysAtZero) {
  // With all labels 1 and scale_pos_weight 0, XGBoost 3.2.0 gives -0 and 0.5.
  EXPECT_EQ(EstimateOf("reg:squarederror", {{"scale_pos_weight", "0"}}, MakeInfo({1, 1}))[0], 0.0F);
  EXPECT_EQ(EstimateOf("binary:logistic", {{"scale_pos_weight", "0"}}, MakeInfo({1, 1}))[0], 0.5F);
}

TEST(BaseScore, EachTargetHasItsOwn) {
  auto const labels = RandomValues(3 * 1000, 0.0F, 1.0F, 1);
  auto const weights = RandomValues(1000, 0.0F, 1.0F, 2);
  for (auto const& params : {ParamMap{}, kScaled}) {
    for (auto const* name : {"reg:squarederror", "binary:logistic", "reg:absoluteerror", "reg:pseudohubererror"}) {
      auto const together = EstimateOf(name, params, MakeInfo(labels, weights, 3));
      ASSERT_EQ(together.size(), 3U);
      for (std::size_t target = 0; target < 3; ++target) {
        std::vector<float> own;
        for (std::size_t i = target; i < labels.size(); i += 3) own.push_back(labels[i]);
        EXPECT_EQ(together[target], EstimateOf(name, params, MakeInfo(own, weights))[0]) << name;
      }
    }
  }
}

TEST(BaseScore, SameBitsForAnyThreadCount) {
  std::size_t const n = 100003;
  auto const labels = RandomValues(n, 0.0F, 1.0F, 1);
  auto const weights = RandomValues(n, 0.0F, 1.0F, 2);
  for (auto const& params : {ParamMap{}, kScaled}) {
    for (auto const* name : {"reg:squarederror", "binary:logistic", "count:poisson", "reg:absoluteerror", "reg:gamma",
                             "reg:pseudohubererror", "survival:cox"}) {
      EXPECT_EQ(EstimateOf(name, params, MakeInfo(labels, weights), 1),
                EstimateOf(name, params, MakeInfo(labels, weights), 8));
    }
  }
}

TEST(BaseScore, WeightsThatAreAllZeroAreAnError) {
  for (auto const* name :
       {"reg:squarederror", "binary:logistic", "count:poisson", "multi:softprob", "reg:absoluteerror",
        "reg:quantileerror", "reg:expectileerror", "reg:gamma", "reg:tweedie"}) {
    auto const message = MessageOf(ErrorKind::kData, [&] {
      ParamMap const params{{"num_class", "2"}, {"quantile_alpha", "0.5"}, {"expectile_alpha", "0.5"}};
      EstimateOf(name, params, MakeInfo({0, 1}, {0, 0}));
    });
    EXPECT_NE(message.find("weight above 0"), std::string::npos) << message;
  }
}

TEST(BaseScore, LabelsOfZeroAloneAreAnErrorWhereTheirLogarithmIsNeeded) {
  auto const message = MessageOf(ErrorKind::kData, [] { EstimateOf("reg:tweedie", {}, MakeInfo({0, 0, 0})); });
  EXPECT_NE(message.find("reg:tweedie: every label is 0"), std::string::npos) << message;
  EXPECT_NE(message.find("set base_score"), std::string::npos) << message;
  EXPECT_EQ(EstimateOf("count:poisson", {}, MakeInfo({0, 0, 0})), std::vector<float>{0.0F});
}

TEST(BaseScore, TheTargetWhoseLabelsAreZeroIsNamed) {
  auto info = MakeInfo({1, 0, 2, 0});
  info.n_rows = 2;
  info.n_targets = 2;
  auto const message = MessageOf(ErrorKind::kData, [&] { EstimateOf("reg:tweedie", {}, info); });
  EXPECT_NE(message.find("every label of target 1 is 0"), std::string::npos) << message;
}

TEST(BaseScore, RowsWithAMarginNeedNoLogarithmOfTheMean) {
  auto info = MakeInfo({0, 0});
  info.base_margin = {0.5F, 0.5F};
  EXPECT_EQ(EstimateOf("reg:tweedie", {}, info), std::vector<float>{0.0F});
  EXPECT_EQ(EstimateOf("reg:tweedie", {}, MakeInfo({})), std::vector<float>{0.0F});
}

TEST(BaseScore, NoRowsAtAll) {
  EXPECT_EQ(EstimateOf("reg:squarederror", {}, MakeInfo({})), std::vector<float>{0.0F});
  EXPECT_EQ(EstimateOf("multi:softprob", {{"num_class", "2"}}, MakeInfo({})), (std::vector<float>{0.0F, 0.0F}));
}

TEST(BaseScoreToMargin, Logistic) {
  auto const objective = MakeObjective("binary:logistic");
  EXPECT_EQ(objective->BaseScoreToMargin(0.5F), 0.0F);
  EXPECT_FLOAT_EQ(objective->BaseScoreToMargin(0.24F), std::log(0.24F / 0.76F));
  // XGBoost 3.2.0 clamps to [1e-6, 1 - 1e-6].
  EXPECT_NEAR(objective->BaseScoreToMargin(0.0F), -13.81551F, 2e-6F);
  EXPECT_NEAR(objective->BaseScoreToMargin(1.0F), 13.74516F, 2e-6F);
  for (float bad : {-0.1F, 2.0F, std::numeric_limits<float>::quiet_NaN()}) {
    auto const message = MessageOf(ErrorKind::kParameter, [&] { objective->BaseScoreToMargin(bad); });
    EXPECT_NE(message.find("(0, 1)"), std::string::npos) << message;
  }
}

TEST(BaseScoreToMargin, PoissonAndIdentity) {
  auto const poisson = MakeObjective("count:poisson");
  EXPECT_FLOAT_EQ(poisson->BaseScoreToMargin(2.5F), std::log(2.5F));
  EXPECT_EQ(poisson->BaseScoreToMargin(0.0F), -std::numeric_limits<float>::infinity());
  auto const message = MessageOf(ErrorKind::kParameter, [&] { poisson->BaseScoreToMargin(-1.0F); });
  EXPECT_NE(message.find("base_score='-1'"), std::string::npos) << message;
  for (auto const* name : {"reg:gamma", "reg:tweedie", "survival:cox", "survival:aft"}) {
    auto const objective = MakeObjective(name);
    EXPECT_FLOAT_EQ(objective->BaseScoreToMargin(2.5F), std::log(2.5F)) << name;
    EXPECT_EQ(objective->StartMargins({1.0F, 1.0F}), (std::vector<float>{0.0F, 0.0F})) << name;
    auto const refused = MessageOf(ErrorKind::kParameter, [&] { objective->BaseScoreToMargin(-1.0F); });
    EXPECT_NE(refused.find(name), std::string::npos) << refused;
  }
  for (auto const* name : {"reg:squarederror", "binary:logitraw", "multi:softprob", "reg:absoluteerror",
                           "reg:squaredlogerror", "reg:pseudohubererror", "binary:hinge"}) {
    EXPECT_EQ(MakeObjective(name, {{"num_class", "2"}})->BaseScoreToMargin(-7.25F), -7.25F) << name;
  }
}

}  // namespace
}  // namespace kauri
