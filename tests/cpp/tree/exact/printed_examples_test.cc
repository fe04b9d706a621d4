/// Examples of split finding printed by Mitchell & Frank 2017: tables 1 and 2, figure 1.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/built_tree.h"
#include "support/random_matrix.h"
#include "tree/exact/exact_builder.h"
#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

FixedGradients Quantised(std::vector<GradientPair> const& pairs) {
  FixedGradients fixed;
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &fixed);
  return fixed;
}

Built BuildTree(std::vector<float> const& values, std::int64_t n_cols, FixedGradients const& gradients,
                TreeParam const& param) {
  auto const data = testing::MakeMatrix(values, n_cols, false);
  ExactBuilder const builder(param);
  auto const state = builder.MakeState({}, *data);
  TreeTask task;
  task.gradients = gradients.View();
  Built built;
  built.leaf_of_row.assign(data->NumRows(), kNoNode);
  built.tree = builder.Build({}, *data, task, state.get(), built.leaf_of_row);
  return built;
}

/// Table 2: the instances of a leaf in the order of their values, and the sums to the left of each. Hessians are 1.
struct Table2 {
  std::vector<float> values{0.1F, 0.4F, 0.5F, 0.6F, 0.9F, 1.1F};
  std::vector<float> gradients{0.1F, 0.8F, 0.2F, -1.1F, -0.2F, -0.5F};
  std::vector<double> left_gradient{0.0, 0.1, 0.9, 1.1, 0.0, -0.2};
  std::vector<double> left_hessian{0.0, 1.0, 2.0, 3.0, 4.0, 5.0};
  double all_gradient = -0.7;
  double all_hessian = 6.0;

  FixedGradients Fixed() const {
    std::vector<GradientPair> pairs;
    for (auto const gradient : gradients) pairs.push_back({gradient, 1.0F});
    return Quantised(pairs);
  }
  /// Returns twice equation 4 for the printed sums, because gains here lack its factor of one half.
  double Gain(std::size_t place, double lambda) const {
    auto const share = [lambda](double gradient, double hessian) { return gradient * gradient / (hessian + lambda); };
    auto const gradient = left_gradient[place];
    auto const hessian = left_hessian[place];
    return share(gradient, hessian) + share(all_gradient - gradient, all_hessian - hessian) -
           share(all_gradient, all_hessian);
  }
};

TEST(PrintedExamples, SumsToTheLeftOfSixValues) {
  Table2 const table;
  auto const fixed = table.Fixed();
  for (auto const lambda : {0.0F, 1.0F, 2.5F}) {
    auto param = DefaultParam();
    param.lambda = lambda;
    auto const gain = MakeGainParam(param, fixed.unit);
    FixedSum all;
    for (auto const pair : fixed.pairs) all += pair;
    EXPECT_NEAR(GradientOf(all, gain), table.all_gradient, 1e-7);
    EXPECT_EQ(HessianOf(all, gain), table.all_hessian);
    FixedSum left;
    for (std::size_t place = 0; place < fixed.pairs.size(); ++place) {
      EXPECT_NEAR(GradientOf(left, gain), table.left_gradient[place], 1e-7) << place;  // from float32 gradients
      EXPECT_EQ(HessianOf(left, gain), table.left_hessian[place]) << place;
      if (place > 0) {
        auto const found = SplitGain(left, all - left, gain, {}, 0) - NodeGain(all, gain, {});
        EXPECT_NEAR(found, table.Gain(place, static_cast<double>(lambda)), 1e-6) << place;
      }
      left += fixed.pairs[place];
    }
  }
}

TEST(PrintedExamples, TheBestSplitOfSixValues) {
  Table2 const table;
  auto param = DefaultParam();
  param.max_depth = 1;
  auto const built = BuildTree(table.values, 1, table.Fixed(), param);
  std::size_t best = 1;
  for (std::size_t place = 2; place < table.values.size(); ++place) {
    if (table.Gain(place, 1.0) > table.Gain(best, 1.0)) best = place;
  }
  ASSERT_EQ(best, 3U) << "before 0.6, where the sums are 1.1 and 3";
  ASSERT_EQ(built.tree.NumLeaves(), 2);
  EXPECT_EQ(built.tree.split_value[0], MidpointThreshold(table.values[best - 1], table.values[best]));
  EXPECT_NEAR(built.tree.loss_change[0], 1.0425F, 1e-6F);  // 1.1^2 / 4 + 1.8^2 / 4 - 0.7^2 / 7
  EXPECT_NEAR(built.tree.base_weight[1], -1.1F / 4.0F, 1e-6F);
  EXPECT_NEAR(built.tree.base_weight[2], 1.8F / 4.0F, 1e-6F);
  EXPECT_EQ(built.leaf_of_row, (std::vector<std::int32_t>{1, 1, 1, 2, 2, 2}));
}

/// Table 1, with a logistic loss at margin 0: predicts home ownership from having a job and age.
struct Table1 {
  std::vector<float> age{12, 32, 25, 48, 67, 18};
  std::vector<float> has_job{0, 1, 1, 0, 0, 1};
  std::vector<int> owns_house{0, 1, 1, 0, 1, 0};

  std::vector<float> Values() const {
    std::vector<float> values;
    for (std::size_t row = 0; row < age.size(); ++row) values.insert(values.end(), {has_job[row], age[row]});
    return values;
  }
  FixedGradients Fixed() const {
    std::vector<GradientPair> pairs;
    for (auto const owns : owns_house) pairs.push_back({0.5F - static_cast<float>(owns), 0.25F});
    return Quantised(pairs);
  }
};

/// The tree of figure 1 splits on age and job, and classifies all six correctly.
TEST(PrintedExamples, ATreeThatKnowsWhoOwnsAHouse) {
  Table1 const table;
  auto param = DefaultParam();
  param.min_child_weight = 0.0F;
  param.max_depth = 3;
  auto const built = BuildTree(table.Values(), 2, table.Fixed(), param);
  auto const& tree = built.tree;
  ASSERT_EQ(tree.NumLeaves(), 4);
  EXPECT_EQ(tree.split_feature[0], 1U);
  EXPECT_EQ(tree.split_value[0], 21.5F);  // between 18 and 25; the younger person owns none
  auto const older = tree.right[0];
  EXPECT_EQ(tree.split_feature[older], 0U);
  EXPECT_EQ(tree.split_value[older], 0.5F);
  auto const older_without_job = tree.left[older];
  EXPECT_EQ(tree.split_feature[older_without_job], 1U);
  EXPECT_EQ(tree.split_value[older_without_job], 57.5F);  // between 48 and 67
  for (std::size_t row = 0; row < table.owns_house.size(); ++row) {
    auto const margin = tree.split_value[built.leaf_of_row[row]];
    EXPECT_EQ(margin > 0.0F ? 1 : 0, table.owns_house[row]) << "instance " << row;
  }
}

}  // namespace
}  // namespace kauri
