#include "tree/hist/paged_hist.h"

#include <gtest/gtest.h>

#include <string>

#include "data/bins/bin_store_maker.h"
#include "kauri/error.h"
#include "support/row_batches.h"
#include "support/same_tree.h"
#include "tree/hist/naive_hist_tree.h"

namespace kauri {
namespace {

using testing::RowBatches;

template <typename T>
T Pick(Random* random, std::vector<T> const& choices) {
  return choices[random->Below(static_cast<std::uint32_t>(choices.size()))];
}

struct TypedJob : Job {
  std::vector<std::string> types;  ///< types of the features
};

std::unique_ptr<DataMatrix> MakeBins(TypedJob const& job, bool in_file, std::int64_t megabytes = 0) {
  auto const values = MakeMatrix(job.values, job.n_cols, job.sparse);
  values->MutableInfo()->feature_types = job.types;
  RowBatches batches(*values, 120);
  BinStoreOptions options;
  options.max_bin = job.param.max_bin;
  options.in_file = in_file;
  options.budget = BudgetOfMegabytes(megabytes);
  return MakeBinnedMatrix(Context{}, &batches, options);
}

/// Builds the tree with the builder's own plan.
Built BuildOn(TypedJob const& job, DataMatrix const& data, int threads) {
  Context ctx;
  ctx.threads = threads;
  HistBuilder const builder(job.param);
  auto const state = builder.MakeState(ctx, data);
  Built built;
  built.leaf_of_row.assign(job.NumRows(), -7);
  built.tree = builder.Build(ctx, data, job.Task(), state.get(), built.leaf_of_row);
  return built;
}

void ExpectSameBuilt(Built const& a, Built const& b) {
  testing::ExpectSameTree(a.tree, b.tree);
  EXPECT_EQ(a.leaf_of_row, b.leaf_of_row);
}

/// Compares different plans of pages, histograms and threads; builds several trees on the same state.
void ExpectAnyPlanGives(TypedJob const& job, Built const& expected, std::uint64_t seed) {
  Random random(seed);
  auto const data = MakeBins(job, true);
  auto const bins = BinsOf(*data);
  auto const rules = ParseConstraints(job.param);
  for (int i = 0; i < 4; ++i) {
    Context ctx;
    ctx.threads = 1 + static_cast<int>(random.Below(3));
    PagePlan plan;
    std::int64_t largest = 0;
    auto const least = job.NumRows() < 50 ? 1 : 500;  // in bytes; 1: each row is a page
    plan.starts = bins->PlanPages(Pick<std::int64_t>(&random, {least, 900, 3000, 1 << 20}), &largest);
    plan.max_histograms = Pick<std::int64_t>(&random, {1, 2, 3, 5, 1000});
    plan.max_parts = Pick<std::int64_t>(&random, {1, 2, 3});
    PagedHist pages(bins, plan);
    for (int tree = 0; tree < 2; ++tree) {
      Built built;
      built.leaf_of_row.assign(job.NumRows(), -7);
      auto const task = job.Task();
      built.tree = PagedGrower(ctx, {job.param, rules, task.place}, task, &pages, built.leaf_of_row).Grow();
      ExpectSameBuilt(built, expected);
    }
  }
}

TEST(HistPages, AnyPagesAndMemoryGiveTheTreeOfMemory) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    MatrixSpec spec;
    spec.n_rows = Pick<std::int64_t>(&random, {1, 33, 257, 600});
    spec.n_cols = Pick<std::int64_t>(&random, {1, 3, 9});
    spec.missing = Pick<double>(&random, {0.0, 0.1, 0.8});
    spec.n_distinct = Pick<std::uint32_t>(&random, {0, 5, 40});
    spec.sparse = random.Below(3) == 0;
    spec.seed = seed;
    TypedJob job;
    job.values = MakeValues(spec);
    job.n_cols = spec.n_cols;
    job.sparse = spec.sparse;
    job.param.max_depth = Pick<int>(&random, {0, 1, 3, 6});
    job.param.max_leaves = Pick<int>(&random, {0, 2, 20});
    job.param.max_bin = Pick<int>(&random, {5, 64, 300});
    job.param.min_child_weight = Pick<float>(&random, {0.0F, 1.0F});
    job.param.grow_policy = Pick<int>(&random, {TreeParam::kDepthWise, TreeParam::kLossGuide});
    job.param.colsample_bynode = Pick<float>(&random, {1.0F, 0.6F});
    if (spec.n_distinct != 0 && random.Below(2) == 0) {
      job.types.assign(spec.n_cols, "q");
      job.types.back() = "c";
    } else if (random.Below(3) == 0) {
      job.param.monotone_constraints = "(-1)";
    }
    if (random.Below(3) == 0) job.costs = testing::MakeCosts(job.n_cols, &random);
    job.param.random_strength = Pick<float>(&random, {0.0F, 0.0F, 2.0F});
    if (random.Below(3) == 0) job.sampled = SampleRows(Context{}, 0, 0, 0.6F, spec.n_rows);
    job.gradients = MakeGradients(spec.n_rows, seed + 1, job.sampled);
    auto const expected = BuildOn(job, *MakeBins(job, false), 2);
    // the bin edges are exact
    if (spec.n_distinct != 0 && job.types.empty()) ExpectSameBuilt(expected, BuildTree(job));
    ExpectAnyPlanGives(job, expected, seed);
  }
}

TEST(HistPages, TheBuilderPlansForItself) {
  MatrixSpec spec;
  spec.n_rows = 40000;
  spec.n_cols = 20;
  TypedJob job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.param.max_depth = 6;
  job.gradients = MakeGradients(spec.n_rows, 5);
  auto const expected = BuildOn(job, *MakeBins(job, false), 2);
  EXPECT_GT(expected.tree.NumNodes(), 60);
  for (int const threads : {1, 2, 3}) ExpectSameBuilt(BuildOn(job, *MakeBins(job, true), threads), expected);
  ExpectSameBuilt(BuildOn(job, *MakeBins(job, true, 12), 2), expected);
}

TEST(HistPages, PlansKeepTheBudget) {
  MatrixSpec spec;
  spec.n_rows = 20000;
  spec.n_cols = 50;
  TypedJob job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  Context ctx;
  ctx.threads = 2;
  auto const histogram = std::int64_t{50} * kEvenCells * 16;
  for (std::int64_t const megabytes : {16, 18, 30}) {
    auto const data = MakeBins(job, true, megabytes);
    auto const bins = BinsOf(*data);
    auto const plan = PlanPages(ctx, *bins, {bins->Budget(), 1, 80000, false});
    EXPECT_GE(plan.max_histograms, 1);
    auto const page = plan.starts[1] * bins->Layout().CodeBytesOfRow();
    EXPECT_LE((plan.max_histograms + 1) * histogram + 4 * page + 20000 * 48, megabytes << 20);
  }
}

TEST(HistPages, ABudgetThatIsTooSmallIsRefusedBeforeWork) {
  MatrixSpec spec;
  spec.n_rows = 3000;
  spec.n_cols = 20;
  TypedJob job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.gradients = MakeGradients(spec.n_rows, 5);
  auto const data = MakeBins(job, true, 3);
  auto const of_threads = [&](int threads) -> std::string {
    try {
      BuildOn(job, *data, threads);
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kMemory);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(of_threads(1), "no error");
  auto const message = of_threads(64);
  EXPECT_NE(
      message.find("memory_budget=3 (MiB) is too small: training on these rows in external memory takes at least"),
      std::string::npos)
      << message;
}

TEST(HistPages, AnotherMaxBinIsRefused) {
  MatrixSpec spec;
  TypedJob job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  auto const data = MakeBins(job, true);
  job.param.max_bin = 17;
  try {
    HistBuilder(job.param).MakeState(Context{}, *data);
    ADD_FAILURE() << "no error";
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("max_bin=17, but the data were cut into bins with max_bin=256"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace kauri
