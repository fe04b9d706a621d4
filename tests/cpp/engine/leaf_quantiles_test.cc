/// Leaves that hold quantiles of residuals, against sorting by hand.
#include "engine/leaf_quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "common/quantile.h"
#include "kauri/parameter.h"

namespace kauri {
namespace {

constexpr std::int64_t kRows = 3000;

/// Two levels at the features 0 and 1, the right child a leaf: nodes 0; 1, 2; 3, 4.
Tree MakeTree() {
  Tree tree;
  tree.ExpandNode(0, {0, 0.5F, false, 1.0F});
  tree.ExpandNode(1, {1, 0.25F, false, 1.0F});
  for (std::int32_t const leaf : {2, 3, 4}) tree.SetLeafValue(leaf, 77.0F);
  return tree;
}

struct Problem {
  MetaInfo info;
  std::vector<float> margins;
  std::vector<std::int32_t> leaf_of_row;
  std::vector<std::uint8_t> sampled;

  LeafQuantileTask Task(float quantile) const {
    LeafQuantileTask task;
    task.quantile = quantile;
    task.margins = margins;
    task.n_outputs = static_cast<std::int64_t>(margins.size()) / kRows;
    task.leaf_of_row = leaf_of_row;
    task.sampled_rows = sampled;
    return task;
  }
};

Problem MakeProblem(std::int64_t n_targets, std::int64_t n_outputs) {
  std::mt19937 random(1);
  Problem problem;
  problem.info.n_rows = kRows;
  problem.info.n_cols = 2;
  problem.info.n_targets = n_targets;
  for (std::int64_t i = 0; i < kRows * n_targets; ++i) {
    problem.info.labels.push_back(static_cast<float>(random() % 1000) / 8.0F);
  }
  for (std::int64_t i = 0; i < kRows * n_outputs; ++i) {
    problem.margins.push_back(static_cast<float>(random() % 1000) / 16.0F);
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    problem.leaf_of_row.push_back(static_cast<std::int32_t>(2 + random() % 3));
  }
  return problem;
}

TreeParam Param(ParamMap const& map = {}) { return ParseParameters<TreeParam>(map); }

Tree Refreshed(Problem const& problem, LeafQuantileTask const& task, TreeParam const& param, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  auto tree = MakeTree();
  SetLeafQuantiles(ctx, problem.info, param, task, &tree);
  return tree;
}

/// label_index and margin_index of a row.
template <typename LabelIndex, typename MarginIndex>
std::vector<float> ResidualsOf(Problem const& problem, std::int32_t leaf, LabelIndex label_of, MarginIndex margin_of) {
  std::vector<float> residuals;
  for (std::int64_t row = 0; row < kRows; ++row) {
    auto const i = static_cast<std::size_t>(row);
    if (problem.leaf_of_row[i] != leaf || (!problem.sampled.empty() && problem.sampled[i] == 0)) continue;
    residuals.push_back(problem.info.labels[label_of(i)] - problem.margins[margin_of(i)]);
  }
  return residuals;
}

std::size_t Same(std::size_t row) { return row; }

TEST(LeafQuantiles, OfTheSampledRowsTimesTheLearningRate) {
  auto problem = MakeProblem(1, 1);
  for (bool const sampled : {false, true}) {
    if (sampled) {
      for (std::int64_t row = 0; row < kRows; ++row) problem.sampled.push_back(row % 3 == 0 ? 1 : 0);
    }
    for (float const quantile : {0.0F, 0.3F, 0.5F, 1.0F}) {
      auto task = problem.Task(quantile);
      task.leaf_scale = 0.25F;
      auto const tree = Refreshed(problem, task, Param({{"eta", "0.5"}}));
      for (std::int32_t const leaf : {2, 3, 4}) {
        auto residuals = ResidualsOf(problem, leaf, Same, Same);
        EXPECT_EQ(tree.split_value[leaf], Quantile(residuals, quantile) * 0.125F);
      }
      EXPECT_EQ(tree.split_value[0], 0.5F);  // thresholds stay
    }
  }
}

TEST(LeafQuantiles, Weighted) {
  auto problem = MakeProblem(1, 1);
  for (std::int64_t row = 0; row < kRows; ++row) problem.info.weights.push_back(static_cast<float>(row % 4));
  auto const tree = Refreshed(problem, problem.Task(0.3F), Param({{"eta", "1"}}));
  for (std::int32_t const leaf : {2, 3, 4}) {
    std::vector<WeightedValue> residuals;
    for (std::size_t row = 0; row < kRows; ++row) {
      if (problem.leaf_of_row[row] != leaf) continue;
      residuals.push_back({problem.info.labels[row] - problem.margins[row], problem.info.weights[row]});
    }
    EXPECT_EQ(tree.split_value[leaf], Quantile(residuals, 0.3F));
  }
}

TEST(LeafQuantiles, TargetsHaveTheirOwnLabelsAndAlphasShareThem) {
  auto const targets = MakeProblem(2, 2);
  auto const alphas = MakeProblem(1, 2);
  for (auto const* problem : {&targets, &alphas}) {
    auto task = problem->Task(0.5F);
    task.output = 1;
    auto const tree = Refreshed(*problem, task, Param({{"eta", "1"}}));
    auto const second = [](std::size_t row) { return 2 * row + 1; };
    auto residuals =
        problem == &targets ? ResidualsOf(*problem, 3, second, second) : ResidualsOf(*problem, 3, Same, second);
    EXPECT_EQ(tree.split_value[3], Quantile(residuals, 0.5F));
  }
}

TEST(LeafQuantiles, LeavesWithoutRowsStayAsBuilt) {
  auto problem = MakeProblem(1, 1);
  std::replace(problem.leaf_of_row.begin(), problem.leaf_of_row.end(), 3, 4);
  EXPECT_EQ(Refreshed(problem, problem.Task(0.5F), Param()).split_value[3], 77.0F);
  problem.info.weights.assign(kRows, 0.0F);
  EXPECT_EQ(Refreshed(problem, problem.Task(0.5F), Param()).split_value[4], 77.0F);
}

TEST(LeafQuantiles, SameBitsForAnyThreadCount) {
  auto const problem = MakeProblem(1, 1);
  auto const task = problem.Task(0.3F);
  EXPECT_EQ(Refreshed(problem, task, Param(), 1).split_value, Refreshed(problem, task, Param(), 8).split_value);
}

TEST(LeafQuantiles, MonotoneConstraintsHold) {
  auto problem = MakeProblem(1, 1);
  // Medians of the leaves against both constraints: the left of feature 0 is above the right, of feature 1 below.
  for (std::size_t row = 0; row < kRows; ++row) {
    auto const leaf = problem.leaf_of_row[row];
    problem.info.labels[row] = problem.margins[row] + (leaf == 2 ? -10.0F : leaf == 3 ? 4.0F : 8.0F);
  }
  auto const task = problem.Task(0.5F);
  auto const free = Refreshed(problem, task, Param({{"eta", "1"}}));
  EXPECT_EQ(free.split_value[2], -10.0F);
  EXPECT_EQ(free.split_value[3], 4.0F);
  EXPECT_EQ(free.split_value[4], 8.0F);
  auto const rising = Refreshed(problem, task, Param({{"eta", "1"}, {"monotone_constraints", "(1,0)"}}));
  EXPECT_LE(std::max(rising.split_value[3], rising.split_value[4]), rising.split_value[2]);
  auto const both = Refreshed(problem, task, Param({{"eta", "1"}, {"monotone_constraints", "(-1,-1)"}}));
  EXPECT_GE(std::min(both.split_value[3], both.split_value[4]), both.split_value[2]);
  EXPECT_GE(both.split_value[3], both.split_value[4]);
}

TEST(LeafQuantiles, StayWithinMaxDeltaStepBeforeTheLearningRate) {
  auto const problem = MakeProblem(1, 1);
  auto const task = problem.Task(0.9F);
  auto const free = Refreshed(problem, task, Param({{"eta", "0.5"}}));
  ASSERT_GT(free.split_value[3], 3.0F);
  auto const limited = Refreshed(problem, task, Param({{"eta", "0.5"}, {"max_delta_step", "6"}}));
  for (std::size_t const leaf : {2, 3, 4}) {
    EXPECT_EQ(limited.split_value[leaf], std::clamp(free.split_value[leaf], -3.0F, 3.0F));
  }
  auto const idle = Refreshed(problem, task, Param({{"eta", "0.5"}, {"max_delta_step", "1e6"}}));
  EXPECT_EQ(idle.split_value, free.split_value);
}

/// Each output of a vector is what a tree of numbers has for it, under constraints too.
TEST(LeafQuantiles, VectorsAreTheirOutputs) {
  auto const problem = MakeProblem(3, 3);
  for (auto const* signs : {"", "(1,0)", "(-1,1)", "(0,-1)"}) {
    for (auto const* step : {"0", "4"}) {
      auto const param = Param({{"eta", "0.5"}, {"monotone_constraints", signs}, {"max_delta_step", step}});
      Tree vectors(3);
      vectors.ExpandNode(0, {0, 0.5F, false, 1.0F});
      vectors.ExpandNode(1, {1, 0.25F, false, 1.0F});
      for (std::int64_t output = 0; output < 3; ++output) {
        auto task = problem.Task(0.3F);
        task.output = output;
        SetLeafQuantiles(Context{}, problem.info, param, task, &vectors);
        auto const numbers = Refreshed(problem, task, param);
        for (std::int32_t const leaf : {2, 3, 4}) {
          EXPECT_EQ(vectors.LeafValues(leaf)[output], numbers.split_value[leaf])
              << signs << " " << step << " " << output;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kauri
