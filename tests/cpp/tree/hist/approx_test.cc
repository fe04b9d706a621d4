/// The bins of approx are hessian-weighted quantiles: a row of weight three is like three rows.
#include <gtest/gtest.h>

#include "support/random_matrix.h"
#include "support/same_tree.h"
#include "tree/hist/hist_builder.h"

namespace kauri {
namespace {

using testing::ExpectSameTree;
using testing::MakeMatrix;
using testing::Random;

constexpr std::int64_t kColumns = 3;

TreeParam MakeParam(char const* max_bin) {
  TreeParam param;
  param.Init(std::map<std::string, std::string>{{"max_bin", max_bin}, {"max_depth", "5"}});
  return param;
}

/// Rows with gradients that are multiples of 6 and hessians of 1 to 3, and the same data with each row repeated as
/// often as its hessian.
struct Problem {
  std::vector<float> values;
  FixedGradients gradients;
  std::vector<float> repeated_values;
  FixedGradients repeated_gradients;

  explicit Problem(std::int64_t n_rows, double missing) {
    testing::MatrixSpec spec;
    spec.n_rows = n_rows;
    spec.n_cols = kColumns;
    spec.missing = missing;
    values = testing::MakeValues(spec);
    Random random(5);
    for (std::int64_t row = 0; row < n_rows; ++row) {
      auto const begin = values.begin() + row * kColumns;
      auto const hessian = *begin > 0.5F ? 3 : 1 + static_cast<std::int32_t>(random.Below(2));  // skewed
      auto const gradient = 6 * (static_cast<std::int32_t>(random.Below(9)) - (*begin > 0.0F ? 2 : 6));
      gradients.pairs.push_back({gradient, hessian});
      for (int copy = 0; copy < hessian; ++copy) {
        repeated_values.insert(repeated_values.end(), begin, begin + kColumns);
        repeated_gradients.pairs.push_back({gradient / hessian, 1});
      }
    }
  }
};

Tree Build(TreeBuilder const& builder, DataMatrix const& data, FixedGradients const& gradients,
           Span<std::uint8_t const> sampled = {}, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  TreeTask task;
  task.gradients = gradients.View();
  task.sampled_rows = sampled;
  std::vector<std::int32_t> leaves(data.NumRows());
  auto const state = builder.MakeState(ctx, data);
  auto first = builder.Build(ctx, data, task, state.get(), leaves);
  ExpectSameTree(first, builder.Build(ctx, data, task, state.get(), leaves));  // reuses the existing bins
  return first;
}

TEST(Approx, AHessianIsANumberOfRows) {
  for (auto const* max_bin : {"2", "8", "64"}) {
    for (auto const missing : {0.0, 0.3}) {
      for (auto const sparse : {false, true}) {
        Problem const problem(700, missing);
        auto const tree =
            Build(ApproxBuilder(MakeParam(max_bin)), *MakeMatrix(problem.values, kColumns, sparse), problem.gradients);
        auto const repeated = MakeMatrix(problem.repeated_values, kColumns, sparse);
        ExpectSameTree(tree, Build(HistBuilder(MakeParam(max_bin)), *repeated, problem.repeated_gradients));
        EXPECT_GT(tree.NumNodes(), 3);
      }
    }
  }
}

TEST(Approx, HessiansMoveTheCuts) {
  Problem const problem(700, 0.0);
  auto const data = MakeMatrix(problem.values, kColumns, false);
  auto const approx = Build(ApproxBuilder(MakeParam("8")), *data, problem.gradients);
  EXPECT_NE(approx.split_value, Build(HistBuilder(MakeParam("8")), *data, problem.gradients).split_value);
}

TEST(Approx, RowsThatWereNotSampledHaveNoSay) {
  Problem problem(700, 0.0);
  std::vector<std::uint8_t> sampled;
  std::vector<float> values;
  FixedGradients gradients;
  for (std::size_t row = 0; row < problem.gradients.pairs.size(); ++row) {
    sampled.push_back(row % 3 == 0 ? 0 : 1);
    if (sampled.back() == 0) continue;
    auto const begin = problem.values.begin() + static_cast<std::ptrdiff_t>(row) * kColumns;
    values.insert(values.end(), begin, begin + kColumns);
    gradients.pairs.push_back(problem.gradients.pairs[row]);
  }
  ApproxBuilder const builder(MakeParam("16"));
  ExpectSameTree(Build(builder, *MakeMatrix(problem.values, kColumns, false), problem.gradients, sampled),
                 Build(builder, *MakeMatrix(values, kColumns, false), gradients));
}

TEST(Approx, NewHessiansMakeNewBins) {
  Problem const problem(700, 0.0);
  auto const data = MakeMatrix(problem.values, kColumns, false);
  ApproxBuilder const builder(MakeParam("8"));
  auto const state = builder.MakeState(Context{}, *data);
  std::vector<std::int32_t> leaves(700);
  auto even = problem.gradients;
  for (auto& pair : even.pairs) pair.hessian = 1;
  for (auto const* gradients : std::vector<FixedGradients const*>{&even, &problem.gradients, &even}) {
    TreeTask task;
    task.gradients = gradients->View();
    ExpectSameTree(builder.Build(Context{}, *data, task, state.get(), leaves), Build(builder, *data, *gradients));
  }
}

TEST(Approx, ThreadsDoNotMatter) {
  Problem const problem(20000, 0.1);
  auto const data = MakeMatrix(problem.values, kColumns, false);
  ApproxBuilder const builder(MakeParam("256"));
  ExpectSameTree(Build(builder, *data, problem.gradients, {}, 1), Build(builder, *data, problem.gradients, {}, 8));
}

}  // namespace
}  // namespace kauri
