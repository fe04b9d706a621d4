/// The exact builder on categorical columns, on the device against the CPU: the same tree and the same leaves, bit for
/// bit.
#include <cmath>

#include "cuda/exact/gpu_exact_builder.h"
#include "exact/build_on_device.h"
#include "support/device_fixture.h"
#include "support/same_tree.h"
#include "tree/exact/exact_builder.h"
#include "tree/sampling/sampling.h"

namespace kauri::testing {
namespace {

struct Column {
  std::uint32_t n_categories = 0;  ///< 0: numbers
  std::int32_t first = 0;          ///< the smallest category
};

struct JobSpec {
  std::vector<Column> columns;
  std::int64_t n_rows = 1000;
  double missing = 0.0;
  bool sparse = false;
  float subsample = 1.0F;
  std::uint64_t seed = 0;
};

struct Job {
  std::unique_ptr<DataMatrix> data;
  FixedGradients gradients;
  std::vector<std::uint8_t> sampled;
};

/// Returns a job in which every category has an effect of its own; high categories have few rows or none.
Job MakeJob(JobSpec const& spec) {
  Random random(spec.seed);
  std::vector<std::vector<float>> effects;
  std::vector<std::string> types;
  for (auto const& column : spec.columns) {
    types.emplace_back(column.n_categories == 0 ? "float" : "c");
    std::vector<float> of_column;
    for (std::uint32_t i = 0; i < column.n_categories; ++i) of_column.push_back(std::round(2.0F * random.Normal()));
    effects.push_back(of_column);
  }
  std::vector<float> values;
  std::vector<GradientPair> pairs;
  for (std::int64_t row = 0; row < spec.n_rows; ++row) {
    float gradient = 0.3F * random.Normal();
    for (std::size_t col = 0; col < spec.columns.size(); ++col) {
      auto const& column = spec.columns[col];
      auto const draw = random.Uniform() * random.Uniform();
      auto const index = static_cast<std::uint32_t>(static_cast<double>(column.n_categories) * draw);
      auto const value = column.n_categories == 0 ? random.Normal() : static_cast<float>(index);
      gradient += column.n_categories == 0 ? value : effects[col][index];
      auto const is_missing = random.Uniform() < spec.missing;
      values.push_back(is_missing ? std::nanf("") : value + static_cast<float>(column.first));
    }
    auto const is_zero = random.Below(20) == 0;
    pairs.push_back({is_zero ? 0.0F : gradient, is_zero ? 0.0F : 0.1F + static_cast<float>(random.Below(3))});
  }
  Job job;
  job.data = MakeMatrix(values, static_cast<std::int64_t>(spec.columns.size()), spec.sparse);
  job.data->MutableInfo()->feature_types = types;
  job.sampled = SampleRows(Context{}, 3, 0, spec.subsample, spec.n_rows);
  QuantiseGradients(Context{}, pairs, 1, 0, job.sampled, &job.gradients);
  return job;
}

cuda::GpuExactBuilder MakeGpuBuilder(ParamMap const& params = {}) {
  return {ParseParameters<TreeParam>(params), ParseParameters<cuda::GpuExactParam>(params)};
}
ExactBuilder MakeHostBuilder(ParamMap const& params = {}) { return ExactBuilder(ParseParameters<TreeParam>(params)); }

class CategoryBuilderTest : public DeviceTest {
 protected:
  /// Compares two trees from one state on each side. Returns the number of splits on categories.
  std::int64_t Compare(Job const& job, ParamMap const& params, BuildState* host_state, BuildState* device_state) const {
    auto const on_host = MakeHostBuilder(params);
    auto const on_device = MakeGpuBuilder(params);
    auto const ctx = OnDevice();
    TreeTask task;
    task.gradients = job.gradients.View();
    task.sampled_rows = job.sampled;
    std::int64_t n_splits = 0;
    for (task.place.iteration = 0; task.place.iteration < 2; ++task.place.iteration) {
      std::vector<std::int32_t> host_leaves(job.gradients.pairs.size());
      std::vector<std::int32_t> leaves(job.gradients.pairs.size(), -7);
      auto const expected = on_host.Build(ctx, *job.data, task, host_state, host_leaves);
      ExpectSameTree(expected, BuildOnDevice(Cuda(), ctx, on_device, *job.data, task, device_state, &leaves));
      EXPECT_EQ(host_leaves, leaves);
      n_splits += std::count(expected.is_categorical.begin(), expected.is_categorical.end(), 1);
    }
    return n_splits;
  }
  std::int64_t Compare(JobSpec const& spec, ParamMap const& params) const {
    auto const job = MakeJob(spec);
    auto const host_state = MakeHostBuilder().MakeState(OnDevice(), *job.data);
    auto const device_state = MakeGpuBuilder().MakeState(OnDevice(), *job.data);
    return Compare(job, params, host_state.get(), device_state.get());
  }
};

JobSpec RandomSpec(std::uint64_t seed) {
  Random random(seed);
  JobSpec spec;
  for (auto n = 1 + random.Below(6); n > 0; --n) {
    std::uint32_t const sizes[] = {0, 1, 2, 3, 7, 40, 500};
    std::int32_t const firsts[] = {0, 0, 5, 66000};  // gaps are filled below 65535 only
    auto const size = sizes[random.Below(7)];
    spec.columns.push_back({size, size == 0 ? 0 : firsts[random.Below(4)]});
  }
  spec.n_rows = 20 + static_cast<std::int64_t>(random.Below(5000));
  spec.missing = std::vector<double>{0.0, 0.1, 0.7}[random.Below(3)];
  spec.sparse = random.Below(3) == 0;
  spec.subsample = random.Below(2) == 0 ? 1.0F : 0.6F;
  spec.seed = seed;
  return spec;
}

/// Returns a monotone constraint on the first column of numbers.
std::string SignsOf(JobSpec const& spec, Random* random) {
  if (random->Below(3) != 0) return "";
  std::string signs = "(";
  for (auto const& column : spec.columns) {
    if (column.n_categories == 0) return signs + (random->Below(2) == 0 ? "1)" : "-1)");
    signs += "0,";
  }
  return "(0)";
}

TEST_F(CategoryBuilderTest, RandomConfigurations) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    auto const spec = RandomSpec(seed);
    Random random(seed + 1000);
    auto const pick = [&](std::vector<char const*> const& from) {
      return std::string(from[random.Below(static_cast<std::uint32_t>(from.size()))]);
    };
    n_splits +=
        Compare(spec, {{"max_depth", pick({"1", "3", "6", "10", "0"})},
                       {"max_cat_to_onehot", pick({"1", "4", "4", "50", "1000"})},
                       {"max_cat_threshold", pick({"1", "2", "10", "64", "64", "1000"})},
                       {"gamma", pick({"0", "0", "1"})},
                       {"lambda", pick({"0", "1", "5"})},
                       {"alpha", pick({"0", "0.5"})},
                       {"max_delta_step", pick({"0", "0", "0.3"})},
                       {"min_child_weight", pick({"0", "1", "10"})},
                       {"monotone_constraints", SignsOf(spec, &random)},
                       {"interaction_constraints", pick({"", "", spec.columns.size() > 3 ? "[[0,1],[1,2,3]]" : ""})},
                       {"interleaved_levels", pick({"0", "0", "2", "5", "6"})},
                       {"colsample_bytree", pick({"1", "0.7"})},
                       {"colsample_bylevel", pick({"1", "0.7"})},
                       {"colsample_bynode", pick({"1", "0.7"})}});
  }
  EXPECT_GT(n_splits, 1000);
}

TEST_F(CategoryBuilderTest, RowCountsAroundBlocks) {
  for (auto const n_rows : {1, 2, 31, 33, 255, 257, 8191, 8193}) {
    SCOPED_TRACE(n_rows);
    Compare({{{3, 0}, {0, 0}, {20, 0}}, n_rows, 0.2, false, 1.0F, 3}, {{"min_child_weight", "0"}});
  }
}

TEST_F(CategoryBuilderTest, ManyCategories) {
  JobSpec const spec{{{5000, 0}, {0, 0}, {4, 0}}, 60000, 0.05, false, 1.0F, 4};
  EXPECT_GT(Compare(spec, {{"max_depth", "8"}}), 50);
  EXPECT_GT(Compare(spec, {{"max_depth", "5"}, {"max_cat_threshold", "10000"}}), 10);
  // More categories than rows, in deep trees: many slices.
  JobSpec const rare{{{60000, 0}, {60000, 3}, {30000, 100000}}, 20000, 0.0, false, 0.8F, 5};
  EXPECT_GT(Compare(rare, {{"max_depth", "7"}, {"min_child_weight", "0"}}), 20);
}

TEST_F(CategoryBuilderTest, OnlyCategoriesAndColumnsWithoutValues) {
  EXPECT_GT(Compare({{{30, 0}, {2, 0}}, 4000, 0.0, false, 1.0F, 6}, {{"interleaved_levels", "3"}}), 10);
  EXPECT_GT(Compare({{{30, 0}, {2, 0}}, 4000, 0.0, true, 0.5F, 7}, {}), 10);
  Compare({{{30, 0}, {0, 0}}, 300, 1.0, false, 1.0F, 8}, {});
  Compare({{{30, 0}, {0, 0}}, 300, 1.0, true, 1.0F, 8}, {});
}

/// The state knows the types for which it was made; rules may change from tree to tree.
TEST_F(CategoryBuilderTest, OtherTypesAndRulesForOneState) {
  auto const job = MakeJob({{{6, 0}, {0, 0}, {40, 0}}, 3000, 0.1, false, 1.0F, 9});
  auto const host_state = MakeHostBuilder().MakeState(OnDevice(), *job.data);
  auto const device_state = MakeGpuBuilder().MakeState(OnDevice(), *job.data);
  auto const compare = [&](ParamMap const& params) {
    return Compare(job, params, host_state.get(), device_state.get());
  };
  EXPECT_GT(compare({}), 0);
  EXPECT_GT(compare({{"max_cat_to_onehot", "10"}}), 0);
  EXPECT_GT(compare({{"max_cat_threshold", "3"}}), 0);
  job.data->MutableInfo()->feature_types = {"float", "float", "float"};
  EXPECT_EQ(compare({}), 0);
  job.data->MutableInfo()->feature_types = {"float", "float", "c"};
  EXPECT_GT(compare({}), 0);
}

TEST_F(CategoryBuilderTest, MonotoneNumbersBesideCategories) {
  Compare({{{3, 0}, {0, 0}}, 100, 0.0, false, 1.0F, 10}, {{"monotone_constraints", "(0,1)"}});
}

}  // namespace
}  // namespace kauri::testing
