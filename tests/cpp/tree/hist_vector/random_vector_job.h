/// \file Training jobs of trees with vector leaves: random ones and large ones.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tree/hist_vector/naive_vector_tree.h"

namespace kauri {

template <typename T>
T Pick(Random* random, std::vector<T> const& choices) {
  return choices[random->Below(static_cast<std::uint32_t>(choices.size()))];
}

inline TreeParam RandomParam(Random* random) {
  auto param = DefaultParam();
  param.eta = Pick<float>(random, {0.3F, 1.0F});
  param.lambda = Pick<float>(random, {0.0F, 1.0F, 5.0F});
  param.alpha = Pick<float>(random, {0.0F, 0.0F, 0.7F});
  param.gamma = Pick<float>(random, {0.0F, 0.0F, 2.0F});
  param.max_delta_step = Pick<float>(random, {0.0F, 0.0F, 0.4F});
  param.min_child_weight = Pick<float>(random, {0.0F, 0.1F, 1.0F, 5.0F});
  param.max_depth = Pick<int>(random, {0, 1, 3, 5});
  param.max_leaves = Pick<int>(random, {0, 2, 7, 12});
  param.max_bin = Pick<int>(random, {2, 5, 32, 300});
  param.grow_policy = Pick<int>(random, {TreeParam::kDepthWise, TreeParam::kLossGuide});
  param.colsample_bytree = Pick<float>(random, {1.0F, 0.6F});
  param.colsample_bylevel = Pick<float>(random, {1.0F, 0.7F});
  param.colsample_bynode = Pick<float>(random, {1.0F, 0.7F});
  return param;
}

inline testing::NaiveConstraints RandomConstraints(Random* random, std::int64_t n_cols) {
  testing::NaiveConstraints constraints;
  if (random->Below(3) == 0) {
    for (std::int64_t i = 0; i < n_cols; ++i) constraints.signs.push_back(static_cast<int>(random->Below(3)) - 1);
  }
  if (random->Below(4) == 0 && n_cols > 2) {
    constraints.limits_features = true;
    constraints.sets = {{0, 1}, {1, 2}};
  }
  return constraints;
}

/// Returns which outputs constraints leave free: not all.
inline std::vector<std::uint8_t> RandomFreeOutputs(std::uint64_t seed, std::int64_t n_outputs) {
  Random random(seed + 5000);
  std::vector<std::uint8_t> free;
  for (std::int64_t i = 0; i < n_outputs; ++i) free.push_back(static_cast<std::uint8_t>(random.Below(2)));
  free[random.Below(static_cast<std::uint32_t>(n_outputs))] = 0;
  return free;
}

/// Returns one-hot columns, dense or sparse, with columns sampled per tree or per node in some jobs.
inline VectorJob BundledJob(std::uint64_t seed) {
  Random random(seed);
  VectorJob job;
  job.job.sparse = seed % 2 == 1;
  job.job.values = testing::MakeOneHotValues(150, 3, 7, job.job.sparse, 0.1);
  job.job.n_cols = 21;
  job.job.param.max_depth = 4;
  job.job.param.colsample_bytree = Pick<float>(&random, {1.0F, 0.4F});
  job.job.param.colsample_bynode = Pick<float>(&random, {1.0F, 0.7F});
  job.n_outputs = Pick<std::int64_t>(&random, {2, 7});
  job.pairs = MakePairs(150, job.n_outputs, random.Below(2) == 0, seed);
  return job;
}

inline VectorJob RandomJob(std::uint64_t seed) {
  Random random(seed);
  MatrixSpec spec;
  spec.n_rows = Pick<std::int64_t>(&random, {1, 2, 33, 100, 180, 180});
  spec.n_cols = Pick<std::int64_t>(&random, {1, 3, 6});
  spec.missing = Pick<double>(&random, {0.0, 0.0, 0.1, 0.6});
  spec.n_distinct = Pick<std::uint32_t>(&random, {0, 2, 20});
  spec.sparse = random.Below(3) == 0;
  spec.seed = seed;
  VectorJob job;
  job.job.values = MakeValues(spec);
  job.job.n_cols = spec.n_cols;
  job.job.sparse = spec.sparse;
  job.job.param = RandomParam(&random);
  job.job.constraints = RandomConstraints(&random, spec.n_cols);
  job.job.constraints.Write(&job.job.param);
  job.n_outputs = Pick<std::int64_t>(&random, {2, 3, 5, 17, 33});
  job.pairs = MakePairs(spec.n_rows, job.n_outputs, random.Below(2) == 0, seed);
  if (random.Below(3) == 0) job.job.sampled = SampleRows(Context{}, 0, 0, 0.6F, spec.n_rows);
  auto const has_signs = !job.job.constraints.signs.empty();
  if (has_signs && seed % 2 == 0) job.job.free_outputs = RandomFreeOutputs(seed, job.n_outputs);
  return job;
}

/// Returns a job in which constraints of all columns bind some outputs.
inline VectorJob FreeOutputsJob(std::uint64_t seed) {
  auto job = RandomJob(seed);
  Random random(seed + 6000);
  job.job.constraints.signs.clear();
  for (std::int64_t i = 0; i < job.job.n_cols; ++i) job.job.constraints.signs.push_back(random.Below(2) == 0 ? 1 : -1);
  job.job.constraints.Write(&job.job.param);
  job.job.free_outputs = RandomFreeOutputs(seed, job.n_outputs);
  return job;
}

inline void ExpectSameVectors(Built const& a, Built const& b, std::string const& what) {
  ExpectSame(a, b, what);
  EXPECT_EQ(a.tree.leaf_vector, b.tree.leaf_vector) << what;
  EXPECT_EQ(a.tree.n_outputs, b.tree.n_outputs);
}

/// Returns a job with categorical columns, except numbers in the last of several columns.
inline VectorJob RandomCategoryJob(std::uint64_t seed, std::int64_t n_rows, std::int64_t n_cols) {
  Random random(seed);
  MatrixSpec spec;
  spec.n_rows = n_rows;
  spec.n_cols = n_cols;
  spec.missing = random.Below(2) == 0 ? 0.0 : 0.3;
  spec.n_distinct = 2 + random.Below(20);
  spec.sparse = random.Below(3) == 0;
  spec.seed = seed;
  VectorJob job;
  job.job.values = MakeValues(spec);
  job.job.n_cols = n_cols;
  job.job.sparse = spec.sparse;
  job.types.assign(n_cols, "c");
  if (n_cols > 1) job.types.back() = "float";
  job.job.param.lambda = random.Below(2) == 0 ? 1.0F : 0.1F;
  job.job.param.alpha = random.Below(4) == 0 ? 0.5F : 0.0F;
  job.job.param.max_delta_step = random.Below(4) == 0 ? 0.3F : 0.0F;
  job.job.param.min_child_weight = static_cast<float>(random.Below(3));
  job.job.param.max_cat_to_onehot = 1 + static_cast<int>(random.Below(15));
  job.job.param.max_cat_threshold = random.Below(2) == 0 ? 64 : 3;
  job.job.param.cat_smooth = random.Below(2) == 0 ? 0.0F : 6.0F;
  job.job.param.cat_l2 = random.Below(2) == 0 ? 0.0F : 2.0F;
  job.n_outputs = 2 + random.Below(3);
  job.pairs = MakePairs(n_rows, job.n_outputs, random.Below(2) == 0, seed);
  return job;
}

/// Returns a job with more nodes, columns and sums than one pass over a level of symmetric trees handles.
inline VectorJob WideJob() {
  MatrixSpec spec;
  spec.n_rows = 300;
  spec.n_cols = 2600;
  VectorJob job;
  job.job.values = MakeValues(spec);
  job.job.n_cols = spec.n_cols;
  job.job.param.max_depth = 6;
  job.job.param.min_child_weight = 0.0F;
  job.n_outputs = 33;
  job.pairs = MakePairs(spec.n_rows, job.n_outputs, false, 1);
  return job;
}

/// Returns jobs with enough rows and sums for several parts and blocks.
inline std::vector<VectorJob> LargeJobs() {
  std::vector<VectorJob> jobs;
  for (std::uint64_t kind = 0; kind < 7; ++kind) {
    MatrixSpec spec;
    spec.n_rows = 17000;
    spec.n_cols = kind == 1 ? 40 : 5;
    spec.missing = kind == 1 ? 0.9 : kind == 2 ? 0.2 : 0.0;
    spec.sparse = kind == 1;
    spec.seed = kind;
    VectorJob job;
    job.n_outputs = kind == 3 ? 40 : 3;
    job.job.values = MakeValues(spec);
    job.job.n_cols = spec.n_cols;
    job.job.sparse = spec.sparse;
    if (kind >= 5) {  // bundles of dense and of sparse data
      job.job.sparse = kind == 6;
      job.job.values = testing::MakeOneHotValues(spec.n_rows, 5, 13, job.job.sparse, 0.1);
      job.job.n_cols = 65;
    }
    job.job.param.max_depth = 5;
    job.job.param.max_bin = kind == 4 ? 600 : 256;
    if (kind == 2) job.job.param.grow_policy = TreeParam::kLossGuide;
    if (kind == 0) job.job.sampled = SampleRows(Context{}, 0, 0, 0.7F, spec.n_rows);
    job.pairs = MakePairs(spec.n_rows, job.n_outputs, kind == 2, kind);
    jobs.push_back(job);
  }
  return jobs;
}

}  // namespace kauri
