/// \file Trees whose rows several devices share, compared with the trees of the method in host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/gpu_hist_builder.h"
#include "cuda/tree/device_tree_builder.h"
#include "support/device_fixture.h"
#include "support/many_devices.h"
#include "support/same_tree.h"
#include "support/totals_of.h"
#include "tree/categorical_job.h"

namespace kauri::testing {

/// Several shards, even of few rows.
inline cuda::HistMemory const kManyShards{{}, -1.0F, 1};

class ShardsTest : public DeviceTest {
 protected:
  static Context On(Devices const& devices) { return Among(OnDevice(), devices); }

  /// Builds a tree of the job's gradients. The main device has all of them.
  Built Build(Context const& ctx, CategoricalJob const& job, DataMatrix const& data,
              cuda::DeviceTreeBuilder const& builder, BuildState* state) const {
    auto const host = job.Task();
    auto const pairs = cuda::ToDevice(Cuda(), job.gradients.pairs);
    auto const sampled = cuda::ToDevice(Cuda(), job.sampled);
    cuda::Buffer<std::int32_t> leaves(Cuda(), job.NumRows());
    cuda::DeviceTreeTask task;
    task.pairs = pairs.span();
    task.totals = cuda::TreeTotals(TotalsOf(job.gradients));
    task.sampled_rows = sampled.span();
    task.place = host.place;
    Built built;
    built.tree = builder.BuildOnDevice(Cuda(), ctx, data, task, state, leaves.span());
    built.leaf_of_row = Fetch(Cuda(), leaves);
    return built;
  }
};

/// Returns a job of numeric columns, with random choices of the other tree parameters.
inline CategoricalJob NumericJob(std::uint64_t seed) {
  Random random(seed + 77);
  MatrixSpec spec;
  constexpr std::int64_t kRows[] = {1, 2, 3, 31, 257, 900, 2500};
  constexpr std::int64_t kCols[] = {1, 3, 8, 33};
  spec.n_rows = kRows[random.Below(7)];
  spec.n_cols = kCols[random.Below(4)];
  spec.missing = 0.3 * random.Below(3);
  spec.n_distinct = random.Below(2) == 0 ? 0 : 6;
  spec.sparse = random.Below(3) == 0;
  spec.seed = seed;
  CategoricalJob job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.sparse = spec.sparse;
  job.types.assign(ToSize(spec.n_cols), "float");
  auto& param = job.param;
  param.max_bin = random.Below(4) == 0 ? 700 : 40;
  param.min_child_weight = static_cast<float>(random.Below(2));
  param.max_depth = 1 + static_cast<int>(random.Below(7));
  if (random.Below(2) == 0) {
    param.grow_policy = TreeParam::kLossGuide;
    param.max_leaves = 3 + static_cast<int>(random.Below(30));
    param.max_depth = 0;
  }
  if (random.Below(3) == 0) param.min_data_in_leaf = 2 + static_cast<int>(random.Below(20));
  if (random.Below(4) == 0) param.extra_trees = true;
  if (random.Below(4) == 0) param.path_smooth = 3.0F;
  if (random.Below(4) == 0) param.colsample_bynode = 0.6F;
  if (random.Below(3) == 0) job.sampled = SampleRows(Context{}, 0, 0, 0.6F, spec.n_rows);
  job.gradients = MakeGradients(spec.n_rows, seed + 1, job.sampled);
  return job;
}

}  // namespace kauri::testing
