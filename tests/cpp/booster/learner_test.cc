#include "booster/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include "booster/model_io/model_io.h"
#include "kauri/error.h"
#include "support/error.h"
#include "support/learner_predict.h"

namespace kauri {
namespace {

constexpr std::int64_t kRows = 600;
constexpr std::int64_t kCols = 7;
constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

ArrayView AsArray(std::vector<float> const& values, std::int64_t n_cols) {
  ArrayView array;
  array.data = values.data();
  array.shape = {static_cast<std::int64_t>(values.size()) / n_cols, n_cols};
  array.strides = {n_cols * 4, 4};
  array.n_dims = 2;
  return array;
}

/// Returns features with missing values, ties and a signal. classes 0: real labels, else labels 0 .. classes - 1.
std::shared_ptr<DataMatrix> MakeData(std::int64_t n_rows, int classes, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n_rows * kCols);
  std::vector<float> labels;
  for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
    auto* x = values.data() + row * kCols;
    for (std::int64_t col = 0; col < kCols; ++col)
      x[col] = col % 2 == 0 ? normal(generator) : std::round(2 * normal(generator));
    auto const signal = x[0] + x[1] * x[2] + 0.3F * normal(generator);
    auto const label = std::clamp(static_cast<int>(signal + 1.0F), 0, std::max(classes, 1) - 1);
    labels.push_back(classes == 0 ? signal : static_cast<float>(label));
    x[generator() % kCols] = kMissing;
  }
  auto data = DataMatrix::FromView(Context(), *MakeDenseView(AsArray(values, kCols), kMissing));
  data->MutableInfo()->labels = labels;
  return std::shared_ptr<DataMatrix>(std::move(data));
}

using Params = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<Learner> Train(std::shared_ptr<DataMatrix const> const& data, Params const& params, int rounds) {
  auto learner = std::make_unique<Learner>();
  for (auto const& [name, value] : params) learner->SetParam(name, value);
  for (int round = 0; round < rounds; ++round) learner->BoostRound(data, round);
  return learner;
}

std::string Bytes(Learner* learner) { return SerialiseModel(learner->GetModel(), ModelFormat::kUbjson); }

PredictOptions MarginsOf(IterationRange iterations = {}) {
  PredictOptions options;
  options.kind = PredictKind::kMargin;
  options.iterations = iterations;
  return options;
}

Params Sampled() {
  return {{"subsample", "0.7"}, {"colsample_bytree", "0.8"}, {"colsample_bylevel", "0.8"}, {"colsample_bynode", "0.8"},
          {"seed", "7"},        {"validate_parameters", "1"}};
}

class EveryMethodAndObjective : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::string Objective() const { return std::get<1>(GetParam()); }
  bool IsMulti() const { return Objective().rfind("multi:", 0) == 0; }
  std::shared_ptr<DataMatrix> Data(unsigned seed) const {
    return MakeData(kRows, IsMulti() ? 3 : Objective() == "reg:squarederror" ? 0 : 2, seed);
  }
  Params WithMethod(Params params) const {
    params.emplace_back("tree_method", std::get<0>(GetParam()));
    params.emplace_back("objective", Objective());
    if (IsMulti()) params.emplace_back("num_class", "3");
    return params;
  }
};

TEST_P(EveryMethodAndObjective, SameBytesForAnyThreadCountAndRun) {
  auto const data = Data(1);
  std::set<std::string> models;
  for (auto const* threads : {"1", "2", "3", "8", "1"}) {
    auto params = WithMethod(Sampled());
    params.emplace_back("nthread", threads);
    models.insert(Bytes(Train(data, params, 5).get()));
  }
  EXPECT_EQ(models.size(), 1U);
}

TEST_P(EveryMethodAndObjective, CachedMarginsAreThoseOfThePredictorToTheBit) {
  auto const data = Data(2);
  auto params = WithMethod(Sampled());
  params.emplace_back("num_parallel_tree", "2");
  auto const learner = Train(data, params, 4);
  auto const cached = learner->PredictTraining(data, MarginsOf());
  auto const fresh = PredictData(*learner, *data, MarginsOf());
  EXPECT_EQ(cached.values, fresh.values);
  EXPECT_EQ(cached.shape, fresh.shape);
}

TEST_P(EveryMethodAndObjective, LossFalls) {
  auto const data = Data(3);
  auto params = WithMethod({});
  if (!IsMulti()) params.emplace_back("eval_metric", Objective() == "binary:logitraw" ? "error@0" : "rmse");
  auto const learner = Train(data, params, 1);
  auto const before = learner->Evaluate({{"train", data}}).at(0).value;
  for (int round = 1; round < 10; ++round) learner->BoostRound(data, round);
  EXPECT_LT(learner->Evaluate({{"train", data}}).at(0).value, 0.9 * before);
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethodAndObjective,
                         ::testing::Combine(::testing::Values("exact", "hist"),
                                            ::testing::Values("reg:squarederror", "reg:logistic", "binary:logistic",
                                                              "binary:logitraw", "multi:softmax", "multi:softprob",
                                                              "count:poisson")));

TEST(Learner, ContinuesFromASnapshotToTheSameBytes) {
  auto const data = MakeData(kRows, 2, 4);
  auto params = Sampled();
  params.emplace_back("objective", "binary:logistic");
  auto const whole = Train(data, params, 6);
  auto const snapshot = Train(data, params, 3)->SaveSnapshot();
  Learner resumed;
  resumed.LoadSnapshot({snapshot.data(), snapshot.size()});
  for (int round = 3; round < 6; ++round) resumed.BoostRound(data, round);
  EXPECT_EQ(Bytes(&resumed), Bytes(whole.get()));
}

TEST(Learner, TruncatedSnapshotsAreRefused) {
  auto const snapshot = Train(MakeData(60, 2, 4), {{"objective", "binary:logistic"}}, 1)->SaveSnapshot();
  for (std::size_t length = 0; length < snapshot.size(); ++length) {
    Learner learner;
    EXPECT_THROW(learner.LoadSnapshot({snapshot.data(), length}), Error) << length;
  }
}

TEST(Learner, GradientsFromOutsideGiveTheBuiltInModel) {
  auto const data = MakeData(kRows, 0, 5);
  auto const built_in = Train(data, {{"base_score", "0.5"}}, 3);
  Learner custom;
  custom.SetParam("base_score", "0.5");
  for (int round = 0; round < 3; ++round) {
    auto const margins = custom.PredictTraining(data, MarginsOf()).values;
    std::vector<GradientPair> gradients;
    for (std::size_t row = 0; row < margins.size(); ++row)
      gradients.push_back({margins[row] - data->Info().labels[row], 1.0F});
    custom.BoostRound(data, round, gradients);
  }
  EXPECT_EQ(Bytes(&custom), Bytes(built_in.get()));
}

TEST(Learner, PredictingBeforeTheFirstRoundChangesNothing) {
  auto const data = MakeData(kRows, 0, 5);
  Learner learner;
  learner.PredictTraining(data, MarginsOf());
  for (int round = 0; round < 3; ++round) learner.BoostRound(data, round);
  EXPECT_EQ(Bytes(&learner), Bytes(Train(data, {}, 3).get()));
}

TEST(Learner, SlicesPredictTheirRounds) {
  auto const data = MakeData(kRows, 0, 6);
  auto const learner = Train(data, {}, 6);
  auto const slice = learner->Slice({1, 4}, 1);
  EXPECT_EQ(slice->NumIterations(), 3);
  EXPECT_EQ(PredictData(*slice, *data, MarginsOf()).values, PredictData(*learner, *data, MarginsOf({1, 4})).values);
  EXPECT_EQ(learner->Slice({0, 0}, 2)->NumIterations(), 3);
  EXPECT_THROW(learner->Slice({2, 9}, 1), Error);
  EXPECT_THROW(learner->Slice({0, 0}, 0), Error);
}

TEST(Learner, NewBaseMarginsReplaceCachedMargins) {
  auto const data = MakeData(kRows, 0, 7);
  auto const learner = Train(data, {}, 2);
  data->MutableInfo()->base_margin.assign(kRows, 100.0F);
  EXPECT_EQ(learner->PredictTraining(data, MarginsOf()).values, PredictData(*learner, *data, MarginsOf()).values);
}

TEST(Learner, EvaluationLine) {
  EXPECT_EQ(Learner::FormatEvaluation(12, {{"train", "rmse", 0.5, false}, {"val", "auc", 1e9, true}}),
            "[12]\ttrain-rmse:0.50000000000000000\tval-auc:1000000000.00000000000000000");
  EXPECT_EQ(Learner::FormatEvaluation(3, {}), "[3]");
}

TEST(Learner, AfterAnErrorTrainingGoesOn) {
  auto const data = MakeData(kRows, 0, 8);
  auto const expected = Train(data, {{"base_score", "0"}}, 3);
  Learner learner;
  learner.SetParam("base_score", "0");
  learner.BoostRound(data, 0);
  std::vector<GradientPair> const bad(kRows, {kMissing, 1.0F});
  EXPECT_THROW(learner.BoostRound(data, 1, bad), Error);
  for (int round = 1; round < 3; ++round) learner.BoostRound(data, round);
  EXPECT_EQ(Bytes(&learner), Bytes(expected.get()));
}

struct BadParam {
  char const* name;
  char const* value;
  char const* in_message;
};

class BadParameters : public ::testing::TestWithParam<BadParam> {};

TEST_P(BadParameters, SayWhatAndHow) {
  auto const& bad = GetParam();
  Learner learner;
  learner.SetParam("validate_parameters", "1");
  learner.SetParam(bad.name, bad.value);
  auto const message = MessageOf([&] { learner.BoostRound(MakeData(50, 0, 9), 0); });
  EXPECT_NE(message.find(bad.in_message), std::string::npos) << message;
  EXPECT_NE(message.find(bad.value), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadParameters,
    ::testing::Values(BadParam{"max_dept", "3", "max_depth"}, BadParam{"eta", "nan", "parameter eta="},
                      BadParam{"learning_rate", "-1", "parameter learning_rate="},
                      BadParam{"max_depth", "-1", "[0, 1048576]"}, BadParam{"subsample", "0", "(0, 1]"},
                      BadParam{"subsample", "1.5", "[0, 1]"}, BadParam{"tree_method", "exactly", "exact"},
                      BadParam{"objective", "reg:square", "reg:squarederror"}, BadParam{"eval_metric", "rms", "rmse"},
                      BadParam{"booster", "gbtre", "gbtree"}, BadParam{"device", "tpu", "cpu, cuda"},
                      BadParam{"device", "cuda:x", "cpu, cuda"}, BadParam{"base_score", "[1,2", "base_score"},
                      BadParam{"base_score", "inf", "finite"}, BadParam{"base_score", "1 2", "base_score"},
                      BadParam{"seed", "1.5", "parameter seed="}, BadParam{"nthread", "many", "parameter nthread="}));

TEST(Learner, UnknownNamesAreReportedOnceAndForgotten) {
  auto const data = MakeData(kRows, 0, 9);
  Learner learner;
  learner.SetParam("validate_parameters", "1");
  learner.BoostRound(data, 0);
  learner.SetParam("max_dept", "3");
  EXPECT_THROW(learner.BoostRound(data, 1), Error);
  learner.BoostRound(data, 1);
  learner.SetParam("eval_metric", "rms");
  EXPECT_THROW(learner.Evaluate({{"train", data}}), Error);
  EXPECT_EQ(learner.Evaluate({{"train", data}}).at(0).metric, "rmse");
}

TEST(Learner, BaseScoresPerOutput) {
  auto const data = MakeData(kRows, 3, 10);
  Params params{{"objective", "multi:softprob"}, {"num_class", "3"}, {"base_score", "[0.5, 0.25, -1]"}};
  EXPECT_EQ(Train(data, params, 1)->GetModel().base_score, (std::vector<float>{0.5F, 0.25F, -1.0F}));
  params[2].second = "[1, 2]";
  EXPECT_NE(MessageOf([&] { Train(data, params, 1); }).find("base_score has 2 values for 3 outputs"),
            std::string::npos);
}

TEST(Learner, DataThatDoesNotFit) {
  auto const data = MakeData(kRows, 0, 11);
  auto const learner = Train(data, {}, 1);
  std::vector<float> const wide(8, 1.0F);
  auto const view = MakeDenseView(AsArray(wide, 8), kMissing);
  EXPECT_NE(MessageOf([&] {
              Predict(*learner->Ready(), {*view, {}}, {});
            }).find("8 features, the model 7"),
            std::string::npos);
  Learner untrained;
  EXPECT_NE(MessageOf([&] { Predict(*untrained.Ready(), {*view, {}}, {}); }).find("no model yet"), std::string::npos);
  EXPECT_THROW(PredictData(*learner, *data, MarginsOf({0, 2})), Error);
}

}  // namespace
}  // namespace kauri
