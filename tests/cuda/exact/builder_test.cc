/// The exact builder on the device against the one on the CPU: the same tree and the same leaves, bit for bit.
#include <cmath>
#include <limits>
#include <random>

#include "common/fixed_point.h"
#include "cuda/exact/chunk.h"
#include "cuda/exact/gpu_exact_builder.h"
#include "exact/build_on_device.h"
#include "support/device_fixture.h"
#include "support/same_tree.h"
#include "tree/exact/exact_builder.h"
#include "tree/sampling/sampling.h"

namespace kauri {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

struct Problem {
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  std::unique_ptr<DataMatrix> data;
  FixedGradients gradients;
  std::vector<std::uint8_t> sampled;
};

/// missing: fraction of absent values; steps: 0 keeps the float, else values are rounded to this many steps (ties).
Problem MakeProblem(std::int64_t n_rows, std::int64_t n_cols, double missing, int steps, float subsample,
                    unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<double> uniform;
  Problem problem;
  problem.n_rows = n_rows;
  problem.n_cols = n_cols;
  std::vector<float> values(n_rows * n_cols);
  std::vector<GradientPair> pairs;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto* x = values.data() + row * n_cols;
    for (std::int64_t col = 0; col < n_cols; ++col) {
      x[col] = normal(generator);
      if (steps > 0 && col % 2 == 0) x[col] = std::round(x[col] * static_cast<float>(steps));
    }
    pairs.push_back(
        {x[0] + (n_cols > 1 ? x[1] : 0.0F) + normal(generator), 0.1F + static_cast<float>(uniform(generator))});
    for (std::int64_t col = 0; col < n_cols; ++col) {
      if (uniform(generator) < missing) x[col] = kMissing;
    }
  }
  ArrayView array;
  array.data = values.data();
  array.shape = {n_rows, n_cols};
  array.strides = {n_cols * 4, 4};
  array.n_dims = 2;
  Context ctx;
  problem.data = DataMatrix::FromView(ctx, *MakeDenseView(array, kMissing));
  if (missing > 0.6) {  // the same matrix, stored sparsely
    CsrStorage csr;
    csr.row_ptr.push_back(0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isnan(values[i])) {
        csr.features.push_back(static_cast<std::uint32_t>(i % static_cast<std::size_t>(n_cols)));
        csr.values.push_back(values[i]);
      }
      if ((i + 1) % static_cast<std::size_t>(n_cols) == 0)
        csr.row_ptr.push_back(static_cast<std::int64_t>(csr.values.size()));
    }
    problem.data = DataMatrix::FromCsr(std::move(csr), n_cols);
  }
  problem.sampled = SampleRows(ctx, 3, 0, subsample, n_rows);
  QuantiseGradients(ctx, pairs, 1, 0, problem.sampled, &problem.gradients);
  return problem;
}

class ExactBuilderOnDevice : public testing::DeviceTest {
 protected:
  void Compare(Problem const& problem, ParamMap const& params) const {
    auto const param = ParseParameters<TreeParam>(params);
    ExactBuilder const on_host(param);
    cuda::GpuExactBuilder const on_device(param, ParseParameters<cuda::GpuExactParam>(params));
    Context ctx;
    ctx.threads = 4;
    ctx.seed = 11;
    auto const host_state = on_host.MakeState(ctx, *problem.data);
    auto const device_state = on_device.MakeState(ctx, *problem.data);
    TreeTask task;
    task.gradients = problem.gradients.View();
    task.sampled_rows = problem.sampled;
    task.place.iteration = 3;
    std::vector<std::int32_t> host_leaves(problem.n_rows);
    auto const expected = on_host.Build(ctx, *problem.data, task, host_state.get(), host_leaves);
    for (int run = 0; run < 2; ++run) {
      std::vector<std::int32_t> leaves(problem.n_rows, -7);
      testing::ExpectSameTree(
          expected, testing::BuildOnDevice(Cuda(), ctx, on_device, *problem.data, task, device_state.get(), &leaves));
      EXPECT_EQ(host_leaves, leaves);
    }
  }
};

TEST_F(ExactBuilderOnDevice, RowCountsAroundTiles) {
  for (auto const n_rows : {1, 2, 31, 32, 33, 255, 257, 2047, 2048, 2049, 10000}) {
    SCOPED_TRACE(n_rows);
    Compare(MakeProblem(n_rows, 3, 0.0, 0, 1.0F, 1), {});
    Compare(MakeProblem(n_rows, 3, 0.3, 4, 1.0F, 2), {{"min_child_weight", "0"}});
  }
}

TEST_F(ExactBuilderOnDevice, RandomConfigurations) {
  std::mt19937 generator(5);
  auto const pick = [&](std::vector<char const*> const& from) { return std::string(from[generator() % from.size()]); };
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    auto const n_rows = 50 + static_cast<std::int64_t>(generator() % 6000);
    auto const n_cols = 1 + static_cast<std::int64_t>(generator() % 12);
    auto const missing = std::vector<double>{0.0, 0.1, 0.5, 0.9}[generator() % 4];
    auto const steps = static_cast<int>(generator() % 3) * 2;
    auto const subsample = generator() % 2 == 0 ? 1.0F : 0.6F;
    Compare(MakeProblem(n_rows, n_cols, missing, steps, subsample, seed),
            {{"max_depth", pick({"1", "3", "6", "10", "0"})},
             {"gamma", pick({"0", "0", "1"})},
             {"lambda", pick({"0", "1", "5"})},
             {"alpha", pick({"0", "0.5"})},
             {"max_delta_step", pick({"0", "0", "0.3"})},
             {"min_child_weight", pick({"0", "1", "10"})},
             {"colsample_bytree", pick({"1", "0.7"})},
             {"monotone_constraints", pick({"", "", "(1)", "(-1)", n_cols > 2 ? "(0,1,-1)" : "(0)"})},
             {"interaction_constraints", pick({"", "", n_cols > 3 ? "[[0,1],[1,2,3]]" : "[[0]]"})},
             {"interleaved_levels", pick({"0", "1", "2", "3", "4", "5", "6"})},
             {"min_data_in_leaf", pick({"0", "0", "0", "5", "60"})},
             {"extra_trees", pick({"0", "0", "0", "1"})},
             {"colsample_bylevel", pick({"1", "0.7"})},
             {"colsample_bynode", pick({"1", "0.7"})}});
  }
}

/// The device decides these trees alone, because no parameter needs the host.
TEST_F(ExactBuilderOnDevice, DecisionsOfTheDevice) {
  std::mt19937 generator(6);
  auto const pick = [&](std::vector<char const*> const& from) { return std::string(from[generator() % from.size()]); };
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    auto const n_rows = 50 + static_cast<std::int64_t>(generator() % 9000);
    auto const n_cols = 1 + static_cast<std::int64_t>(generator() % 12);
    auto const missing = std::vector<double>{0.0, 0.1, 0.5, 0.9}[generator() % 4];
    Compare(MakeProblem(n_rows, n_cols, missing, static_cast<int>(generator() % 3) * 2, 1.0F, seed),
            {{"max_depth", pick({"1", "2", "3", "6", "10", "0"})},
             {"gamma", pick({"0", "0", "1"})},
             {"lambda", pick({"0", "1", "5"})},
             {"alpha", pick({"0", "0.5"})},
             {"max_delta_step", pick({"0", "0", "0.3"})},
             {"min_child_weight", pick({"0", "1", "10", "400"})},
             {"colsample_bytree", pick({"1", "0.7"})}});
  }
}

/// One state grows trees decided by device and host. Constraints that bind nothing make the host decide.
TEST_F(ExactBuilderOnDevice, DeviceAndHostDecideInTurns) {
  auto const problem = MakeProblem(3000, 3, 0.2, 4, 1.0F, 8);
  Context const ctx;
  TreeTask task;
  task.gradients = problem.gradients.View();
  std::unique_ptr<BuildState> state;
  for (auto const* depth : {"6", "2", "0", "1", "6"}) {
    std::vector<Tree> trees;
    std::vector<std::vector<std::int32_t>> leaves;
    for (auto const* signs : {"", "(0,0,0)", ""}) {
      ParamMap const params{{"max_depth", depth}, {"monotone_constraints", signs}};
      cuda::GpuExactBuilder const builder(ParseParameters<TreeParam>(params), ParseParameters<cuda::GpuExactParam>({}));
      if (state == nullptr) state = builder.MakeState(ctx, *problem.data);
      leaves.emplace_back(problem.n_rows, -7);
      trees.push_back(testing::BuildOnDevice(Cuda(), ctx, builder, *problem.data, task, state.get(), &leaves.back()));
    }
    EXPECT_GT(trees[0].NumNodes(), 1);
    testing::ExpectSameTree(trees[0], trees[1]);
    testing::ExpectSameTree(trees[0], trees[2]);
    EXPECT_EQ(leaves[0], leaves[1]);
    EXPECT_EQ(leaves[0], leaves[2]);
  }
}

/// With alpha the screen of candidates is in use as well: the gain counts alpha at every weight.
TEST_F(ExactBuilderOnDevice, AlphaWithLimitsOnWeights) {
  for (unsigned seed = 30; seed < 33; ++seed) {
    for (auto const* alpha : {"0.5", "8", "60"}) {
      for (auto const* step : {"0", "0.05", "1e6"}) {
        for (auto const* signs : {"", "(0,0,0)", "(1,-1,0)"}) {
          SCOPED_TRACE(std::string(alpha) + " " + step + " " + signs);
          Compare(MakeProblem(4000, 3, seed == 30 ? 0.0 : 0.3, seed == 31 ? 4 : 0, 1.0F, seed),
                  {{"alpha", alpha}, {"max_delta_step", step}, {"monotone_constraints", signs}, {"max_depth", "7"}});
        }
      }
    }
  }
}

TEST_F(ExactBuilderOnDevice, AnyNumberOfInterleavedLevels) {
  auto const dense = MakeProblem(5000, 5, 0.0, 0, 1.0F, 21);
  auto const sampled = MakeProblem(5000, 5, 0.3, 4, 0.5F, 22);
  for (auto const* levels : {"0", "1", "2", "3", "4", "5", "6"}) {
    SCOPED_TRACE(levels);
    Compare(dense, {{"interleaved_levels", levels}, {"max_depth", "9"}});
    Compare(sampled, {{"interleaved_levels", levels}, {"max_depth", "9"}, {"colsample_bynode", "0.6"}});
  }
}

TEST_F(ExactBuilderOnDevice, ColumnsWithoutValues) {
  Compare(MakeProblem(500, 4, 1.0, 0, 1.0F, 9), {});
  Compare(MakeProblem(3000, 2, 0.999, 0, 1.0F, 9), {{"min_child_weight", "0"}});
}

TEST_F(ExactBuilderOnDevice, ManyRowsDeepTree) {
  Compare(MakeProblem(300000, 8, 0.05, 0, 1.0F, 12), {{"max_depth", "12"}});
}

TEST(ExactPlan, ATreeOfHiggsSizeTakesSixteenBytesAnEntryAndASpareRegion) {
  std::vector<std::int64_t> const columns(28, 10'500'000);
  auto const entries = 28 * std::size_t{10'500'000};
  auto const bytes = cuda::BytesOfEntries(columns);
  EXPECT_GT(bytes, 16 * entries);
  EXPECT_LT(bytes, 16 * entries * 5 / 4);  // a seventh for the spare region, a sixteenth for pieces
}

TEST(ExactPlan, ChunksHoldEveryColumnWithEntriesOnce) {
  std::vector<std::int64_t> const columns{5, 0, std::int64_t{1} << 26, 17, std::int64_t{1} << 26, 0, 1};
  auto const plans = cuda::PlanChunks(columns, {0, 1, 2, 4, 6});
  std::vector<std::int32_t> features;
  for (auto const& plan : plans) features.insert(features.end(), plan.features.begin(), plan.features.end());
  EXPECT_EQ(features, (std::vector<std::int32_t>{0, 2, 4, 6}));
  EXPECT_GT(plans.size(), 1U);
  EXPECT_TRUE(cuda::PlanChunks({0, 0}, {0, 1}).empty());
}

}  // namespace
}  // namespace kauri
