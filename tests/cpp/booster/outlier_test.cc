/// The log warns once about a row that dwarfs all others, and names it.
#include <gtest/gtest.h>

#include <limits>

#include "booster/booster_fixture.h"
#include "common/text/log.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 2000;
constexpr std::size_t kOutlier = 1234;

std::vector<std::string>& Lines() {
  static std::vector<std::string> lines;
  return lines;
}

class Outliers : public ::testing::Test {
 protected:
  void SetUp() override {
    Lines().clear();
    SetLogCallback([](char const* line) { Lines().emplace_back(line); });
  }
  void TearDown() override { SetLogCallback(nullptr); }
  static std::shared_ptr<DataMatrix> Data(int classes = 0) {
    return MakeLabelled({kRows, 4, 0.0, 0, false, 5}, classes);
  }
  static void ExpectWarningOf(std::size_t row) {
    ASSERT_EQ(Lines().size(), 1U);
    EXPECT_EQ(Lines()[0].find("row " + std::to_string(row) + " has gradient "), 0U) << Lines()[0];
    EXPECT_NE(Lines()[0].find("clip the label or weight of that row"), std::string::npos);
  }
};

TEST_F(Outliers, LabelsAreReportedOnce) {
  for (auto const* method : {"hist", "exact"}) {
    Lines().clear();
    auto const data = Data();
    data->MutableInfo()->labels[kOutlier] = 1e12F;
    Train(data, {{"tree_method", method}}, 20);
    ExpectWarningOf(kOutlier);
  }
}

TEST_F(Outliers, WeightsAreReported) {
  auto const data = Data();
  data->MutableInfo()->weights.assign(kRows, 1.0F);
  data->MutableInfo()->weights[kOutlier] = 1e25F;
  Train(data, {}, 2);
  ExpectWarningOf(kOutlier);
}

TEST_F(Outliers, OfOneOutputOfSeveral) {
  for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
    Lines().clear();
    auto const data = Data();
    auto* const info = data->MutableInfo();
    auto const labels = info->labels;
    info->labels.clear();
    for (auto const label : labels) info->labels.insert(info->labels.end(), {label, -label, 2 * label});
    info->n_targets = 3;
    info->labels[3 * kOutlier + 2] = 1e12F;
    Train(data, {{"multi_strategy", strategy}}, 20);
    ExpectWarningOf(kOutlier);
  }
}

/// Missing labels are not compared with others, and a target without labels has no outlier.
TEST_F(Outliers, BesideMissingLabels) {
  auto const data = Data();
  auto* const info = data->MutableInfo();
  auto const labels = info->labels;
  info->labels.clear();
  for (auto const label : labels) info->labels.insert(info->labels.end(), {label, label, label});
  info->n_targets = 3;
  for (std::size_t i = 0; i < info->labels.size(); ++i) {
    auto const is_missing_label = i % 3 == 2 || (i % 3 == 1 && i % 5 < 3);
    if (is_missing_label) info->labels[i] = std::numeric_limits<float>::quiet_NaN();
  }
  Train(data, {{"base_score", "0.5"}}, 20);
  EXPECT_TRUE(Lines().empty());
  info->labels[3 * kOutlier + 1] = 1e12F;
  Train(data, {{"base_score", "0.5"}}, 20);
  ExpectWarningOf(kOutlier);
}

TEST_F(Outliers, AppearingLateAreReported) {
  auto const data = Data();
  auto const learner = Train(data, {}, 5);
  auto const later = Data();
  EXPECT_TRUE(Lines().empty());
  later->MutableInfo()->labels[kOutlier] = 1e12F;
  for (int round = 5; round < 8; ++round) learner->BoostRound(later, round);
  ExpectWarningOf(kOutlier);
}

/// Covers all losses with an unbounded effect of one row's label, weight or base margin.
TEST_F(Outliers, OfManyLosses) {
  struct Loss {
    Params params;
    int classes;
    bool by_label;
  };
  std::vector<Loss> const losses{{{{"objective", "reg:squarederror"}}, 0, true},
                                 {{{"objective", "reg:expectileerror"}, {"expectile_alpha", "0.7"}}, 0, true},
                                 {{{"objective", "count:poisson"}}, 5, true},
                                 {{{"objective", "reg:tweedie"}}, 5, true},
                                 {{{"objective", "binary:logistic"}}, 2, false},
                                 {{{"objective", "multi:softprob"}, {"num_class", "3"}}, 3, false},
                                 {{{"objective", "reg:pseudohubererror"}}, 0, false}};
  for (auto const& loss : losses) {
    for (bool const by_label : {true, false}) {
      if (by_label && !loss.by_label) continue;
      Lines().clear();
      auto const data = Data(loss.classes);
      auto* const info = data->MutableInfo();
      if (by_label) {
        info->labels[kOutlier] = 1e12F;
      } else {
        info->weights.assign(kRows, 1.0F);
        info->weights[kOutlier] = 1e14F;
      }
      Train(data, With(loss.params, {{"base_score", "0.3"}}), 8);
      SCOPED_TRACE(loss.params[0].second + (by_label ? " label" : " weight"));
      ExpectWarningOf(kOutlier);
      EXPECT_NE(Lines()[0].find(by_label ? "its label is 1" : "its weight is 1"), std::string::npos) << Lines()[0];
    }
  }
}

TEST_F(Outliers, BaseMarginsAreReported) {
  auto const data = Data();
  data->MutableInfo()->base_margin.assign(kRows, 0.5F);
  data->MutableInfo()->base_margin[kOutlier] = -1e12F;
  Train(data, {}, 4);
  ExpectWarningOf(kOutlier);
}

/// Uses queries of ten rows, one with its own weight.
TEST_F(Outliers, WeightsOfQueriesAreReported) {
  auto const data = Data(3);
  auto* const info = data->MutableInfo();
  for (std::int64_t row = 0; row <= kRows; row += 10) info->group_ptr.push_back(row);
  info->weights.assign(kRows / 10, 1.0F);
  info->weights[kOutlier / 10] = 1e14F;
  Train(data, {{"objective", "rank:ndcg"}}, 4);
  ASSERT_EQ(Lines().size(), 1U);
  EXPECT_EQ(Lines()[0].find("row 123"), 0U) << Lines()[0];
  EXPECT_NE(Lines()[0].find("its weight is 1"), std::string::npos) << Lines()[0];
}

std::vector<GradientPair> Custom(float largest) {
  std::vector<GradientPair> pairs;
  Random random(3);
  for (std::int64_t row = 0; row < kRows; ++row) pairs.push_back({random.Normal(), 1.0F});
  pairs[kOutlier].gradient = largest;
  return pairs;
}

/// Outliers among user gradients, whose origin is unknown, are reported only in the first rounds.
TEST_F(Outliers, GradientsFromOutsideAreReportedInTheFirstRounds) {
  for (bool const late : {false, true}) {
    Lines().clear();
    auto const data = Data();
    auto const learner = MakeLearner({});
    for (int round = 0; round < 16; ++round) {
      learner->BoostRound(data, round, Custom(late && round < 4 ? 1.0F : 1e12F));
    }
    if (late) {
      EXPECT_TRUE(Lines().empty()) << Lines().front();
    } else {
      ExpectWarningOf(kOutlier);
    }
  }
}

/// Returns well-separated blobs with a few wrong classes, whose gradients stay large while all others vanish.
std::shared_ptr<DataMatrix> Blobs(int classes, bool imbalanced, bool weighted) {
  Random random(12);
  std::vector<float> values;
  std::vector<float> labels;
  std::vector<float> weights;
  for (std::int64_t row = 0; row < kRows; ++row) {
    auto const drawn = random.Uniform();
    auto const label = static_cast<int>((imbalanced ? drawn * drawn * drawn * drawn : drawn) * classes);
    for (int col = 0; col < 3; ++col)
      values.push_back(static_cast<float>((label * (col + 3)) % 29) + 0.02F * random.Normal());
    labels.push_back(static_cast<float>(row % 997 == 5 ? (label + 1) % classes : label));
    weights.push_back(0.5F + static_cast<float>(random.Uniform()));
  }
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, 3, false);
  data->MutableInfo()->labels = labels;
  if (weighted) data->MutableInfo()->weights = weights;
  return data;
}

Params Fast(Params const& more) {
  return With({{"eta", "1"}, {"min_child_weight", "0"}, {"lambda", "0"}, {"max_depth", "4"}}, more);
}

TEST_F(Outliers, ManyClassesThatAreToldApartAreNotReported) {
  Params const classes{{"objective", "multi:softprob"}, {"num_class", "3"}};
  for (bool const weighted : {false, true}) {
    for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
      Train(Blobs(3, false, weighted), Fast(With(classes, {{"multi_strategy", strategy}})), 200);
    }
  }
  Train(Blobs(23, true, false), Fast({{"objective", "multi:softprob"}, {"num_class", "23"}}), 200);
  EXPECT_TRUE(Lines().empty()) << Lines().front();
}

TEST_F(Outliers, ModelsThatHaveConvergedAreNotReported) {
  for (bool const weighted : {false, true}) {
    auto const two = Blobs(2, false, weighted);
    for (auto const* objective : {"binary:logistic", "reg:logistic", "binary:hinge", "reg:squarederror",
                                  "reg:squaredlogerror", "reg:absoluteerror"}) {
      Train(two, Fast({{"objective", objective}}), 200);
    }
    for (auto const* objective : {"count:poisson", "reg:tweedie"}) {
      Train(two, Fast({{"objective", objective}, {"lambda", "0.01"}}), 200);
    }
    auto const ranked = Blobs(3, false, false);
    for (std::int64_t row = 0; row <= kRows; row += 20) ranked->MutableInfo()->group_ptr.push_back(row);
    for (auto const* objective : {"rank:ndcg", "rank:pairwise"}) Train(ranked, Fast({{"objective", objective}}), 64);
    auto const times = Blobs(3, false, weighted);
    for (auto& label : times->MutableInfo()->labels) label += 1.0F;
    Train(times, Fast({{"objective", "survival:cox"}, {"lambda", "1"}}), 64);
    Train(times, Fast({{"objective", "reg:gamma"}}), 64);
    times->MutableInfo()->label_lower_bound = times->Info().labels;
    times->MutableInfo()->label_upper_bound = times->Info().labels;
    Train(times, Fast({{"objective", "survival:aft"}, {"lambda", "0.01"}}), 64);
  }
  EXPECT_TRUE(Lines().empty()) << Lines().front();
}

/// Continues a model that has converged.
TEST_F(Outliers, ContinuedModelsThatHaveConvergedAreNotReported) {
  auto const data = Blobs(3, false, false);
  Params const fast{{"objective", "multi:softprob"}, {"num_class", "3"}, {"eta", "1"}, {"min_child_weight", "0"}};
  auto const learner = Train(data, fast, 100);
  auto const bytes = Bytes(learner.get());
  auto const on = MakeLearner(fast);
  on->LoadModel({bytes.data(), bytes.size()});
  for (int round = 100; round < 110; ++round) on->BoostRound(data, round);
  EXPECT_TRUE(Lines().empty()) << Lines().front();
}

TEST_F(Outliers, WhatIsLearntIsNotReported) {
  for (auto const factor : {1.0F, 1e5F, 1e8F}) {  // the range of fixed-point gradients
    auto const data = Data();
    data->MutableInfo()->labels[kOutlier] = factor;
    Train(data, {}, 40);
  }
  Train(Data(2), {{"objective", "binary:logistic"}, {"eta", "1"}, {"min_child_weight", "0"}, {"lambda", "0.01"}}, 60);
  Train(Data(3), {{"objective", "multi:softprob"}, {"num_class", "3"}}, 30);
  Train(Data(), {{"objective", "reg:absoluteerror"}}, 10);
  Train(Data(2), {{"objective", "binary:hinge"}}, 10);
  auto const rare = Data(0);
  for (std::size_t row = 0; row < kRows; ++row) rare->MutableInfo()->labels[row] = row == kOutlier ? 1.0F : 0.0F;
  Train(rare, {{"objective", "binary:logistic"}, {"min_child_weight", "0"}}, 60);
  EXPECT_TRUE(Lines().empty()) << Lines().front();
}

}  // namespace
}  // namespace kauri::testing
