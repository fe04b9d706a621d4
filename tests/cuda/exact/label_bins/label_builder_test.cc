/// split_criterion=absolute_error: the exact builder on the device against the builder on the CPU, with the same tree
/// and the same leaves, bit for bit.
#include "cuda/exact/gpu_exact_builder.h"
#include "exact/build_on_device.h"
#include "exact/label_bins/label_fixture.h"
#include "support/same_tree.h"
#include "tree/exact/exact_builder.h"
#include "tree/sampling/sampling.h"

namespace kauri::testing {
namespace {

struct Problem {
  std::shared_ptr<DataMatrix> data;
  std::vector<FixedPair> pairs;
  Labels labels;

  TreeTask Task() const {
    TreeTask task;
    task.gradients = {pairs, {0x1p-20, 0x1p-20}};
    task.errors = labels.Errors();
    task.sampled_rows = labels.sampled;
    task.place.iteration = 3;
    return task;
  }
};

/// Returns a problem whose residuals depend on the first column, so that there are splits to find. The gradient pairs
/// are the loss's own: signs, and weights.
Problem MakeProblem(MatrixSpec const& spec, Residuals kind, bool weighed, float subsample = 1.0F) {
  Problem problem;
  auto const values = MakeValues(spec);
  problem.data = MakeMatrix(values, spec.n_cols, spec.sparse);
  auto const n_rows = static_cast<std::size_t>(spec.n_rows);
  problem.labels = MakeLabels(n_rows, kind, weighed, spec.seed + 100);
  problem.labels.sampled = SampleRows(Context{}, 3, 0, subsample, spec.n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    auto const value = values[row * static_cast<std::size_t>(spec.n_cols)];
    auto& residual = problem.labels.residuals[row];
    if (kind != Residuals::kEqual && !std::isnan(value)) residual += 2.0F * std::sin(3.0F * value);
    auto const weight = weighed ? static_cast<double>(problem.labels.weights[row]) : 1.0;
    auto const is_used = problem.labels.IsUsed(row);
    auto const hessian = is_used ? static_cast<std::int32_t>(weight * 1048576.0) : 0;
    problem.pairs.push_back({residual > 0.0F ? -hessian : hessian, hessian});
  }
  return problem;
}

class LabelBuilderTest : public DeviceTest {
 protected:
  static TreeParam ParamOf(ParamMap params) {
    params.emplace("split_criterion", "absolute_error");
    return ParseParameters<TreeParam>(params);
  }
  Context Ctx() const {
    Context ctx;
    ctx.threads = 2;
    ctx.seed = 11;
    return ctx;
  }
  Tree OnHost(Problem const& problem, TreeParam const& param, std::vector<std::int32_t>* leaves) const {
    ExactBuilder const builder(param);
    auto const state = builder.MakeState(Ctx(), *problem.data);
    leaves->assign(problem.pairs.size(), -1);
    return builder.Build(Ctx(), *problem.data, problem.Task(), state.get(), *leaves);
  }
  /// Compares the trees, with a state that may have been used before. Returns the number of leaves.
  std::int64_t ExpectTheHosts(Problem const& problem, TreeParam const& param, BuildState* state) const {
    std::vector<std::int32_t> expected;
    auto const tree = OnHost(problem, param, &expected);
    std::vector<std::int32_t> leaves(problem.pairs.size(), -7);
    cuda::GpuExactBuilder const builder(param, ParseParameters<cuda::GpuExactParam>({}));
    ExpectSameTree(tree, BuildOnDevice(Cuda(), Ctx(), builder, *problem.data, problem.Task(), state, &leaves));
    EXPECT_EQ(expected, leaves);
    return tree.NumLeaves();
  }
  std::unique_ptr<BuildState> StateOf(Problem const& problem, TreeParam const& param) const {
    return cuda::GpuExactBuilder(param, ParseParameters<cuda::GpuExactParam>({})).MakeState(Ctx(), *problem.data);
  }
  std::int64_t Compare(Problem const& problem, ParamMap const& params) const {
    auto const param = ParamOf(params);
    auto const state = StateOf(problem, param);
    ExpectTheHosts(problem, param, state.get());
    return ExpectTheHosts(problem, param, state.get());
  }
};

TEST_F(LabelBuilderTest, RowCountsAroundTiles) {
  for (auto const n_rows : {1, 2, 31, 33, 255, 511, 512, 513, 2049}) {
    SCOPED_TRACE(n_rows);
    Compare(MakeProblem({n_rows, 3, 0.0, 0, false, 1}, Residuals::kNormal, false), {});
    Compare(MakeProblem({n_rows, 3, 0.3, 9, true, 2}, Residuals::kSkewed, true), {{"min_child_weight", "0"}});
  }
}

TEST_F(LabelBuilderTest, EveryKindOfResidual) {
  for (auto const kind : kAllResiduals) {
    for (auto const alpha : {0.1, 0.5, 0.9}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(kind) << ", alpha " << alpha);
      auto problem = MakeProblem({1500, 4, alpha == 0.5 ? 0.2 : 0.0, 0, false, 3}, kind, alpha > 0.5);
      problem.labels.alpha = alpha;
      auto const n_leaves = Compare(problem, {{"max_depth", "5"}});
      EXPECT_GT(n_leaves, kind == Residuals::kEqual ? 0 : 4);
    }
  }
}

TEST_F(LabelBuilderTest, RandomConfigurations) {
  Random random(5);
  auto const pick = [&](std::vector<char const*> const& from) {
    return std::string(from[random.Below(static_cast<std::uint32_t>(from.size()))]);
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    auto const n_rows = 50 + static_cast<std::int64_t>(random.Below(3000));
    auto const n_cols = 1 + static_cast<std::int64_t>(random.Below(8));
    double const missing[] = {0.0, 0.1, 0.5, 0.95};
    auto const sparse = random.Below(2) == 0;
    auto const kind = kAllResiduals[random.Below(5)];
    auto problem = MakeProblem({n_rows, n_cols, missing[random.Below(4)], 30 * random.Below(2), sparse, seed}, kind,
                               random.Below(2) == 0, random.Below(2) == 0 ? 1.0F : 0.6F);
    double const alphas[] = {0.05, 0.5, 0.5, 0.7};
    problem.labels.alpha = alphas[random.Below(4)];
    Compare(problem, {{"max_depth", pick({"1", "3", "6", "9", "0"})},
                      {"gamma", pick({"0", "0", "1"})},
                      {"lambda", pick({"0", "1"})},
                      {"alpha", pick({"0", "0.5"})},
                      {"max_delta_step", pick({"0", "0", "0.3"})},
                      {"min_child_weight", pick({"0", "1", "10"})},
                      {"min_data_in_leaf", pick({"0", "0", "5", "60"})},
                      {"path_smooth", pick({"0", "0", "2"})},
                      {"interaction_constraints", pick({"", "", n_cols > 3 ? "[[0,1],[1,2,3]]" : "[[0]]"})},
                      {"colsample_bytree", pick({"1", "0.7"})},
                      {"colsample_bylevel", pick({"1", "0.7"})},
                      {"colsample_bynode", pick({"1", "0.7"})}});
  }
}

/// More rows than the sample for a node's edges, and a segment of many tiles.
TEST_F(LabelBuilderTest, ManyRowsAndNodes) {
  auto const n_leaves =
      Compare(MakeProblem({20000, 2, 0.0, 0, false, 6}, Residuals::kSkewed, false), {{"max_depth", "10"}});
  EXPECT_GT(n_leaves, 100);
  Compare(MakeProblem({12000, 3, 0.3, 0, true, 7}, Residuals::kOutlier, true, 0.7F), {{"min_child_weight", "0"}});
}

TEST_F(LabelBuilderTest, ColumnsWithoutValues) {
  Compare(MakeProblem({500, 4, 1.0, 0, true, 8}, Residuals::kNormal, false), {});
  Compare(MakeProblem({2000, 2, 0.999, 0, true, 9}, Residuals::kNormal, false), {{"min_child_weight", "0"}});
}

/// Uses one state with either criterion, with other residuals in between.
TEST_F(LabelBuilderTest, AStateIsUsedAgain) {
  auto problem = MakeProblem({3000, 4, 0.2, 0, false, 10}, Residuals::kNormal, false);
  auto const by_errors = ParamOf({{"max_depth", "4"}});
  auto const by_gradients = ParamOf({{"max_depth", "4"}, {"split_criterion", "gradient"}});
  auto const state = StateOf(problem, by_gradients);
  auto without = problem;
  without.labels.residuals.clear();
  ExpectTheHosts(without, by_gradients, state.get());
  ExpectTheHosts(problem, by_errors, state.get());
  ExpectTheHosts(without, by_gradients, state.get());
  auto const other = MakeLabels(problem.pairs.size(), Residuals::kSkewed, true, 12);
  problem.labels.residuals = other.residuals;
  problem.labels.weights = other.weights;
  ExpectTheHosts(problem, by_errors, state.get());
  problem.labels.weights.clear();
  problem.labels.alpha = 0.8;
  ExpectTheHosts(problem, by_errors, state.get());
}

}  // namespace
}  // namespace kauri::testing
