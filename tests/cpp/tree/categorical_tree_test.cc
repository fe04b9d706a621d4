/// \file Trees on categorical columns with every method: compared with each other and with the rows, and refusals.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "kauri/error.h"
#include "tree/categorical_job.h"

namespace kauri {
namespace {

/// Returns the number of splits in the trees of 150 jobs, each modified by `change`.
int SplitsThatMethodsAgreeOn(std::function<void(std::uint64_t seed, CategoricalJob* job)> const& change) {
  int n_splits = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    auto job = RandomJob(seed, 20 + static_cast<std::int64_t>(seed) * 3, 0);
    change(seed, &job);
    auto const exact = BuildWith(Method::kExact, job);
    ExpectRowsAndSums(job, exact);
    ExpectSame(BuildWith(Method::kHist, job), AsHist(exact), "hist, seed " + std::to_string(seed));
    ExpectSame(BuildWith(Method::kApprox, job), AsHist(exact), "approx, seed " + std::to_string(seed));
    n_splits += exact.tree.NumLeaves() - 1;
  }
  return n_splits;
}

TEST(CategoricalTree, MethodsAgreeOnCategories) {
  EXPECT_GT(SplitsThatMethodsAgreeOn([](std::uint64_t, CategoricalJob*) {}), 500);
}

/// All methods count rows and choose random thresholds in the same way.
TEST(CategoricalTree, MethodsAgreeOnLimits) {
  auto const change = [](std::uint64_t seed, CategoricalJob* job) {
    job->param.min_child_weight = 0.0F;
    job->param.min_data_in_leaf = seed % 3 == 0 ? 0 : static_cast<int>(2 + seed % 17);
    job->param.extra_trees = seed % 3 != 1;
  };
  EXPECT_GT(SplitsThatMethodsAgreeOn(change), 300);
}

TEST(CategoricalTree, MethodsAgreeOnCosts) {
  auto const change = [](std::uint64_t seed, CategoricalJob* job) {
    Random random(seed);
    job->costs = testing::MakeCosts(job->n_cols, &random);
  };
  EXPECT_GT(SplitsThatMethodsAgreeOn(change), 300);
}

/// The noise of a feature is the same in all methods.
TEST(CategoricalTree, MethodsAgreeOnNoise) {
  auto const change = [](std::uint64_t seed, CategoricalJob* job) {
    job->param.random_strength = 0.5F + static_cast<float>(seed % 4);
  };
  EXPECT_GT(SplitsThatMethodsAgreeOn(change), 500);
}

void ExpectRootOfDefinition(int least_rows, std::vector<float> const& costs = {}) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto job = RandomJob(seed, 80, 0);
    job.param.min_data_in_leaf = least_rows;
    job.costs = costs;
    job.costs.resize(costs.empty() ? 0 : ToSize(job.n_cols));
    job.param.colsample_bynode = 1.0F;
    job.param.max_depth = 1;
    auto const built = BuildWith(Method::kHist, job);
    FixedSum root;
    for (std::size_t row = 0; row < job.NumRows(); ++row) {
      if (job.sampled.empty() || job.sampled[row] != 0) root += job.gradients.pairs[row];
    }
    auto const gain = job.GainOf(root);
    testing::NaiveCategorySplit best;
    for (std::int64_t col = 0; col < job.n_cols; ++col) {
      testing::NaiveColumn column;
      std::set<std::int32_t> categories;
      for (std::size_t row = 0; row < job.NumRows(); ++row) {
        auto const value = job.values[row * static_cast<std::size_t>(job.n_cols) + static_cast<std::size_t>(col)];
        if (!std::isnan(value)) categories.insert(static_cast<std::int32_t>(value));
        if (!job.sampled.empty() && job.sampled[row] == 0) continue;
        column.values.push_back(value);
        column.pairs.push_back(job.gradients.pairs[row]);
      }
      for (int category = 0; !categories.empty() && category <= *categories.rbegin(); ++category) {
        column.categories.push_back(category);
      }
      testing::NaiveCategorySearch search(column, gain, least_rows);
      auto const one_hot = static_cast<int>(column.categories.size()) < job.param.max_cat_to_onehot;
      auto found = one_hot ? search.OneHot() : search.Partition(job.param.max_cat_threshold);
      if (!costs.empty()) found.loss_change -= static_cast<double>(job.costs[col]);
      if (found.loss_change > best.loss_change) best = found;
    }
    ASSERT_EQ(built.tree.IsLeaf(0), !(static_cast<float>(best.loss_change) > 1e-6F));
    if (built.tree.IsLeaf(0)) continue;
    EXPECT_FLOAT_EQ(built.tree.loss_change[0], static_cast<float>(best.loss_change)) << "seed " << seed;
    auto const right = built.tree.CategoriesOf(0);
    EXPECT_EQ(std::set<std::int32_t>(right.begin(), right.end()), best.right) << "seed " << seed;
    EXPECT_EQ(built.tree.default_left[0] != 0, best.default_left) << "seed " << seed;
  }
}

TEST(CategoricalTree, RootSplitEqualsTheDefinition) {
  for (int const least_rows : {0, 5, 20}) ExpectRootOfDefinition(least_rows);
  ExpectRootOfDefinition(0, {6.0F, 1.0F, 30.0F});
}

TEST(CategoricalTree, NumbersBesideCategories) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto job = RandomJob(seed, 150, 1);
    if (seed % 3 == 0) job.param.grow_policy = TreeParam::kLossGuide;
    if (seed % 3 == 0) job.param.max_leaves = 9;
    for (auto const method : {Method::kExact, Method::kHist, Method::kApprox}) {
      ExpectRowsAndSums(job, BuildWith(method, job));
    }
  }
}

TEST(CategoricalTree, PrunedSplitsLeaveTheirCategories) {
  auto job = RandomJob(7, 400, 1);
  job.param.max_depth = 5;
  auto const full = BuildWith(Method::kExact, job);
  job.param.gamma = 1.5F;
  auto const pruned = BuildWith(Method::kExact, job);
  EXPECT_LT(pruned.tree.NumLeaves(), full.tree.NumLeaves());
  EXPECT_GT(pruned.tree.NumLeaves(), 1);
  ExpectRowsAndSums(job, pruned);
}

TEST(CategoricalTree, ThreadsDoNotMatter) {
  for (auto const method : {Method::kExact, Method::kHist, Method::kApprox}) {
    for (bool const sparse : {false, true}) {
      auto job = RandomJob(11, 30000, 1);
      job.sparse = sparse;
      job.param.max_depth = 6;
      auto const expected = BuildWith(method, job, 1);
      EXPECT_GT(expected.tree.NumLeaves(), 10);
      for (int const threads : {2, 3, 8}) ExpectSame(BuildWith(method, job, threads), expected, "threads");
    }
  }
}

/// Uses two-byte codes, and more categories than max_bin.
TEST(CategoricalTree, ManyCategories) {
  CategoricalJob job;
  job.n_cols = 1;
  for (int i = 0; i < 3000; ++i) job.values.push_back(static_cast<float>(i % 1000 * 16777));
  job.types = {"c"};
  job.gradients = MakeGradients(3000, 5);
  job.param.max_depth = 4;
  job.param.max_cat_threshold = 2000;
  job.param.min_child_weight = 0.0F;
  auto const exact = BuildWith(Method::kExact, job);
  EXPECT_GT(exact.tree.NumLeaves(), 4);
  ExpectRowsAndSums(job, exact);
  ExpectSame(BuildWith(Method::kHist, job), AsHist(exact), "hist");
}

/// Returns a job with mutually exclusive columns, which histograms bundle, and a full column.
CategoricalJob ExclusiveJob(bool sparse) {
  Random random(3);
  CategoricalJob job;
  job.n_cols = 9;
  job.sparse = sparse;
  for (int row = 0; row < 2000; ++row) {
    std::vector<float> values(9, sparse ? kNan : 0.0F);
    values[8] = static_cast<float>(random.Below(7));
    values[random.Below(8)] = static_cast<float>(1 + random.Below(5));
    job.values.insert(job.values.end(), values.begin(), values.end());
  }
  job.types.assign(9, "c");
  job.param.max_cat_to_onehot = 1;
  job.gradients = MakeGradients(2000, 4);
  return job;
}

TEST(CategoricalTree, ColumnsThatExcludeEachOther) {
  for (bool const sparse : {false, true}) {
    auto const job = ExclusiveJob(sparse);
    auto const exact = BuildWith(Method::kExact, job);
    EXPECT_GT(exact.tree.NumLeaves(), 20);
    ExpectRowsAndSums(job, exact);
    ExpectSame(BuildWith(Method::kHist, job), AsHist(exact), sparse ? "sparse" : "dense");
  }
}

/// Numbers that no row has are categories without rows. They go with categories of zero weight, here to the right with
/// category 1 and the missing rows.
TEST(CategoricalTree, GapsHaveTheirPlace) {
  CategoricalJob job;
  std::vector<GradientPair> pairs;
  for (int row = 0; row < 60; ++row) {
    job.values.push_back(row % 3 == 0 ? 4.0F : row % 3 == 1 ? 1.0F : kNan);
    pairs.push_back({row % 3 == 0 ? -1.0F : 1.0F, 1.0F});
  }
  job.types = {"c"};
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &job.gradients);
  job.param.max_depth = 1;
  job.param.max_cat_to_onehot = 1;
  for (auto const method : {Method::kExact, Method::kHist}) {
    auto const built = BuildWith(method, job);
    auto const right = built.tree.CategoriesOf(0);
    EXPECT_EQ(std::vector<std::int32_t>(right.begin(), right.end()), (std::vector<std::int32_t>{0, 1, 2, 3}));
    EXPECT_EQ(built.tree.default_left[0], 0);
  }
}

/// Category 2 has 3 of 63 rows, unlike all others. With cat_smooth=4 this is not enough to separate it: it goes with
/// category 0, which has no rows, at the split that separates the others.
TEST(CategoricalTree, RareCategoriesHaveNoPlaceOfTheirOwn) {
  CategoricalJob job;
  std::vector<GradientPair> pairs;
  for (int row = 0; row < 63; ++row) {
    job.values.push_back(row < 3 ? 2.0F : row % 2 == 0 ? 3.0F : 1.0F);
    pairs.push_back({row < 3 ? -9.0F : row % 2 == 0 ? -0.5F : 0.5F, 0.25F});
  }
  job.types = {"c"};
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &job.gradients);
  job.param.max_depth = 1;
  job.param.max_cat_to_onehot = 1;
  job.param.min_child_weight = 0.0F;
  auto const right_with = [&](float cat_smooth, Method method) {
    job.param.cat_smooth = cat_smooth;
    auto const built = BuildWith(method, job);
    auto const right = built.tree.CategoriesOf(0);
    return std::vector<std::int32_t>(right.begin(), right.end());
  };
  for (auto const method : {Method::kExact, Method::kHist}) {
    EXPECT_EQ(right_with(0.0F, method), (std::vector<std::int32_t>{0, 1, 3}));
    EXPECT_EQ(right_with(4.0F, method), (std::vector<std::int32_t>{1}));
  }
}

TEST(CategoricalTree, TypesSetLaterCount) {
  auto job = RandomJob(3, 200, 0);
  auto const expected = BuildWith(Method::kHist, job);
  for (auto const method : {Method::kExact, Method::kHist, Method::kApprox}) {
    auto const types = std::move(job.types);
    job.types.clear();
    auto const data = DataOf(job);
    auto const builder = MakeBuilder(method, job.param);
    auto const state = builder->MakeState(Context{}, *data);
    std::vector<std::int32_t> leaves(job.NumRows());
    EXPECT_FALSE(builder->Build(Context{}, *data, job.Task(), state.get(), leaves).HasCategorical());
    data->MutableInfo()->feature_types = types;
    Built const built{builder->Build(Context{}, *data, job.Task(), state.get(), leaves), leaves};
    ExpectSame(method == Method::kExact ? AsHist(built) : built, expected, "types set later");
    job.types = types;
  }
}

std::string ErrorOf(Method method, CategoricalJob const& job) {
  try {
    BuildWith(method, job);
  } catch (Error const& error) {
    return error.what();
  }
  return {};
}

TEST(CategoricalTree, RefusesValuesThatAreNoCategories) {
  auto job = RandomJob(5, 30, 0);
  for (float const value : {-1.0F, 0.5F, 16777216.0F, 3e9F}) {
    auto broken = job;
    broken.values[static_cast<std::size_t>(broken.n_cols) * 4 + 1] = value;
    for (bool const sparse : {false, true}) {
      broken.sparse = sparse;
      for (auto const method : {Method::kExact, Method::kHist, Method::kApprox}) {
        auto const message = ErrorOf(method, broken);
        EXPECT_NE(message.find("row 4 of the categorical column 1 is "), std::string::npos) << message;
        EXPECT_NE(message.find("integers from 0 to 16777215"), std::string::npos) << message;
      }
    }
  }
}

TEST(CategoricalTree, MonotoneNumbersBesideCategoriesWork) {
  auto job = RandomJob(6, 300, 1);
  auto const numeric = job.types.size() - 1;
  job.param.monotone_constraints = "(";
  for (std::size_t i = 0; i < numeric; ++i) job.param.monotone_constraints += "0,";
  job.param.monotone_constraints += "1)";
  for (auto const method : {Method::kExact, Method::kHist}) {
    auto const built = BuildWith(method, job);
    EXPECT_TRUE(built.tree.HasCategorical());
    built.tree.Validate(job.n_cols);
  }
}

/// Returns a job with a column that has too many categories for two-byte codes, and a column with few.
CategoricalJob JobOfManyUsers(bool sparse) {
  constexpr std::int64_t kUsers = 70000;
  constexpr std::int64_t kRows = 2 * kUsers;
  CategoricalJob job;
  job.n_cols = 2;
  job.types = {"c", "c"};
  job.sparse = sparse;
  Random random(3);
  for (std::int64_t row = 0; row < kRows; ++row) {
    job.values.push_back(static_cast<float>(row * 7 % kUsers));
    job.values.push_back(random.Uniform() < 0.1 ? std::numeric_limits<float>::quiet_NaN()
                                                : static_cast<float>(row % 11));
  }
  job.gradients = MakeGradients(kRows, 5);
  job.param.max_depth = 4;
  job.param.min_child_weight = 0.0F;
  job.param.cat_smooth = 0.0F;
  return job;
}

TEST(CategoricalTree, MethodsAgreeOnMoreCategoriesThanShortCodes) {
  for (bool const sparse : {false, true}) {
    auto const job = JobOfManyUsers(sparse);
    auto const exact = BuildWith(Method::kExact, job);
    EXPECT_GT(exact.tree.NumLeaves(), 4);
    ExpectRowsAndSums(job, exact);
    ExpectSame(BuildWith(Method::kHist, job), AsHist(exact), "hist");
    ExpectSame(BuildWith(Method::kHist, job, 3), AsHist(exact), "hist, threads");
    ExpectSame(BuildWith(Method::kApprox, job), AsHist(exact), "approx");
  }
}

}  // namespace
}  // namespace kauri
