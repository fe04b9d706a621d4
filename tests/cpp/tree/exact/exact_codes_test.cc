/// \file Exact trees on columns that are searched by sums over their values: compared with the definition, and with
/// sparse storage of the same rows, whose columns have no codes.
#include "tree/exact/exact_codes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/naive_exact_tree.h"
#include "tree/exact/exact_builder.h"
#include "tree/hist/naive_hist_tree.h"

namespace kauri {
namespace {

struct CodesJob : Job {
  std::vector<std::string> types;
};

constexpr std::uint32_t kWide = 600;
constexpr std::int64_t kColumns = 20;  // number of columns for which the entries are few enough for sparse storage

/// Returns a column of each kind: continuous; 3, 40 and 255 numbers, some missing; a constant; few and many categories;
/// then empty ones.
std::vector<float> RandomRow(Random* random) {
  auto const number = [random](std::uint32_t n) { return static_cast<float>(random->Below(n)); };
  auto const or_missing = [random](float value, std::uint32_t one_in) {
    return random->Below(one_in) == 0 ? kNan : value;
  };
  std::vector<float> row{static_cast<float>(random->Normal()), number(3) - 1.0F,    or_missing(number(40) * 0.25F, 5),
                         or_missing(number(255) - 100.0F, 20), or_missing(7.0F, 4), or_missing(number(12), 9),
                         or_missing(number(kWide), 30)};
  row.resize(kColumns, kNan);
  return row;
}

FixedGradients PositiveGradients(std::size_t n_rows, Random* random, Span<std::uint8_t const> sampled) {
  std::vector<GradientPair> pairs(n_rows);
  for (auto& pair : pairs) pair = {static_cast<float>(random->Normal()), 0.1F + static_cast<float>(random->Uniform())};
  FixedGradients fixed;
  QuantiseGradients(Context{}, pairs, 1, 0, sampled, &fixed);
  return fixed;
}

CodesJob RandomCodesJob(std::uint64_t seed, std::size_t n_rows) {
  Random random(seed);
  CodesJob job;
  job.n_cols = kColumns;
  for (std::size_t row = 0; row < n_rows; ++row) {
    auto const values = RandomRow(&random);
    job.values.insert(job.values.end(), values.begin(), values.end());
  }
  job.types.assign(kColumns, "float");
  job.types[5] = job.types[6] = "c";
  job.param.max_depth = 2 + static_cast<int>(random.Below(7));
  job.param.min_child_weight = static_cast<float>(random.Below(3));
  job.param.lambda = random.Below(2) == 0 ? 1.0F : 0.0F;
  job.param.alpha = random.Below(4) == 0 ? 0.5F : 0.0F;
  job.param.max_delta_step = random.Below(4) == 0 ? 0.3F : 0.0F;
  job.param.gamma = random.Below(4) == 0 ? 0.5F : 0.0F;
  job.param.colsample_bytree = random.Below(4) == 0 ? 0.8F : 1.0F;
  job.param.colsample_bynode = random.Below(3) == 0 ? 0.8F : 1.0F;
  job.param.max_cat_threshold = random.Below(2) == 0 ? 64 : 5;
  if (random.Below(3) == 0) job.param.interaction_constraints = "[[0,1,2],[2,5,6]]";
  if (random.Below(4) == 0) job.param.monotone_constraints = "(1,-1,1,0,1,0,0)";
  if (random.Below(3) == 0) job.sampled = SampleRows(Context{}, 0, 0, 0.7F, static_cast<std::int64_t>(n_rows));
  job.gradients = PositiveGradients(n_rows, &random, job.sampled);
  return job;
}

Built BuildExact(CodesJob const& job, bool sparse, int threads = 2) {
  Context ctx;
  ctx.threads = threads;
  auto data = MakeMatrix(job.values, job.n_cols, sparse);
  data->MutableInfo()->feature_types = job.types;
  ExactBuilder const builder(job.param);
  auto const state = builder.MakeState(ctx, *data);
  Built built;
  built.leaf_of_row.assign(job.NumRows(), -7);
  // Built twice: state left by a tree must not affect the next one.
  for (int i = 0; i < 2; ++i) built.tree = builder.Build(ctx, *data, job.Task(), state.get(), built.leaf_of_row);
  return built;
}

TEST(ExactCodes, ColumnsOfFewValuesAreCoded) {
  auto const job = RandomCodesJob(1, 4000);
  auto data = MakeMatrix(job.values, job.n_cols, false);
  data->MutableInfo()->feature_types = job.types;
  Context const ctx;
  auto const categories = FillGaps(FindCategories(ctx, *data));
  ExactCodes const codes(ctx, *data, SortedColumns(ctx, *data), categories);
  ASSERT_EQ(codes.Columns().size(), 6U);
  EXPECT_EQ(codes.Find(0), -1);
  for (std::size_t row = 0; row < job.NumRows(); ++row) {
    for (auto const& column : codes.Columns()) {
      auto const value = job.values[row * kColumns + column.feature];
      codes.WithCodes(column, [&](auto const& code_of) {
        auto const code = code_of(static_cast<std::uint32_t>(row));
        ASSERT_EQ(code == column.n_values, std::isnan(value));
        if (std::isnan(value)) return;
        auto const coded = column.IsCategorical() ? static_cast<float>(code) : column.values[code];
        ASSERT_EQ(coded, value) << "row " << row << " feature " << column.feature;
      });
    }
  }
  EXPECT_TRUE(codes.Columns().back().IsWide());
  EXPECT_FALSE(codes.Columns()[4].IsWide());
  auto const sparse = MakeMatrix(job.values, job.n_cols, true);
  ASSERT_FALSE(sparse->IsDense());
  EXPECT_TRUE(ExactCodes(ctx, *sparse, SortedColumns(ctx, *sparse), categories).Columns().empty());
}

TEST(ExactCodes, NumbersEqualTheDefinition) {
  int n_splits = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    MatrixSpec spec;
    spec.n_rows = 40 + random.Below(400);
    spec.n_cols = 1 + random.Below(4);
    spec.missing = random.Below(2) == 0 ? 0.0 : 0.3;
    spec.n_distinct = 1 + random.Below(10);
    spec.seed = seed;
    CodesJob job;
    job.values = MakeValues(spec);
    job.n_cols = spec.n_cols;
    job.param.max_depth = 5;
    job.param.lambda = 0.5F;
    job.param.min_child_weight = static_cast<float>(random.Below(3));
    job.gradients = PositiveGradients(job.NumRows(), &random, {});
    testing::NaiveTask task;
    task.values = &job.values;
    task.n_cols = static_cast<std::size_t>(job.n_cols);
    task.pairs = &job.gradients.pairs;
    task.used.assign(job.NumRows(), 1);
    task.gain = MakeGainParam(job.param, job.gradients.unit);
    task.max_depth = job.param.max_depth;
    task.leaf_rate = job.param.eta;
    Built naive;
    naive.tree = testing::NaiveExactTree(task).Grow(&naive.leaf_of_row);
    ExpectSame(BuildExact(job, false), naive, "seed " + std::to_string(seed));
    n_splits += naive.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 200);
}

TEST(ExactCodes, TreesAreThoseOfSortedEntries) {
  int n_splits = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto const job = RandomCodesJob(seed, 300 + 60 * seed);
    auto const coded = BuildExact(job, false);
    ExpectSame(coded, BuildExact(job, true), "seed " + std::to_string(seed));
    n_splits += coded.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 500);
}

/// Sums cannot distinguish rows without weight from missing ones, so such columns are searched by their entries.
TEST(ExactCodes, RowsWithoutWeightCount) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto job = RandomCodesJob(seed, 1500);
    for (std::size_t row = 0; row < job.NumRows(); row += 3) job.gradients.pairs[row] = {0, 0};
    ExpectSame(BuildExact(job, false), BuildExact(job, true), "seed " + std::to_string(seed));
  }
}

TEST(ExactCodes, ThreadsDoNotMatter) {
  auto job = RandomCodesJob(5, 60000);
  job.param.max_depth = 8;
  auto const expected = BuildExact(job, false, 1);
  EXPECT_GT(expected.tree.NumLeaves(), 50);
  for (int const threads : {2, 3, 8}) ExpectSame(BuildExact(job, false, threads), expected, std::to_string(threads));
}

}  // namespace
}  // namespace kauri
