/// One row beside which the others vanish: the log says so, once, naming it.
#include <gtest/gtest.h>

#include "booster/booster_fixture.h"
#include "common/log.h"

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

TEST_F(Outliers, AppearingLateAreReported) {
  auto const data = Data();
  auto const learner = Train(data, {}, 5);
  auto const later = Data();
  EXPECT_TRUE(Lines().empty());
  later->MutableInfo()->labels[kOutlier] = 1e12F;
  for (int round = 5; round < 8; ++round) learner->UpdateOneIteration(later, round);
  ExpectWarningOf(kOutlier);
}

TEST_F(Outliers, WhatIsLearntIsNotReported) {
  for (auto const factor : {1.0F, 1e5F, 1e8F}) {  // as far as fixed point goes
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
