/// \file Test jobs with categorical columns: random jobs, every method, and checks of the resulting trees.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tree/categories/naive_category_split.h"
#include "tree/exact/exact_builder.h"
#include "tree/hist/hist_builder.h"
#include "tree/hist/naive_hist_tree.h"

namespace kauri {

enum class Method { kExact, kHist, kApprox };

inline std::unique_ptr<TreeBuilder> MakeBuilder(Method method, TreeParam const& param) {
  if (method == Method::kExact) return std::make_unique<ExactBuilder>(param);
  if (method == Method::kHist) return std::make_unique<HistBuilder>(param);
  return std::make_unique<ApproxBuilder>(param);
}

struct CategoricalJob : Job {
  std::vector<std::string> types;

  /// Returns the gain parameters of a tree whose root has this sum.
  GainParam GainOf(FixedSum root) const {
    auto gain = MakeGainParam(param, gradients.unit);
    gain.categories = MakeCategoryGain(param, HessianOf(root, gain), static_cast<std::int64_t>(NumRows()));
    return gain;
  }
};

inline std::unique_ptr<DataMatrix> DataOf(CategoricalJob const& job) {
  auto data = MakeMatrix(job.values, job.n_cols, job.sparse);
  data->MutableInfo()->feature_types = job.types;
  return data;
}

inline Built BuildWith(Method method, CategoricalJob const& job, int threads = 2) {
  Context ctx;
  ctx.threads = threads;
  auto const data = DataOf(job);
  auto const builder = MakeBuilder(method, job.param);
  auto const state = builder->MakeState(ctx, *data);
  Built built;
  built.leaf_of_row.assign(job.NumRows(), -7);
  built.tree = builder->Build(ctx, *data, job.Task(), state.get(), built.leaf_of_row);
  return built;
}

/// Returns a job with columns of small integers; the last `n_numeric` are numeric.
inline CategoricalJob RandomJob(std::uint64_t seed, std::int64_t n_rows, std::int64_t n_numeric) {
  Random random(seed);
  MatrixSpec spec;
  spec.n_rows = n_rows;
  spec.n_cols = 2 + random.Below(4);
  spec.missing = random.Below(2) == 0 ? 0.0 : 0.3;
  spec.n_distinct = 2 + random.Below(30);
  spec.sparse = random.Below(3) == 0;
  spec.seed = seed;
  CategoricalJob job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.sparse = spec.sparse;
  job.types.assign(spec.n_cols, "c");
  for (std::int64_t i = 0; i < n_numeric; ++i) job.types[spec.n_cols - 1 - i] = "float";
  job.param.max_depth = 1 + static_cast<int>(random.Below(5));
  job.param.min_child_weight = static_cast<float>(random.Below(3));
  job.param.lambda = random.Below(2) == 0 ? 1.0F : 0.1F;
  job.param.alpha = random.Below(4) == 0 ? 0.5F : 0.0F;
  job.param.max_delta_step = random.Below(4) == 0 ? 0.3F : 0.0F;
  job.param.colsample_bynode = random.Below(3) == 0 ? 0.6F : 1.0F;
  job.param.max_cat_to_onehot = 1 + static_cast<int>(random.Below(20));
  job.param.max_cat_threshold = random.Below(2) == 0 ? 64 : 3;
  job.param.cat_smooth = static_cast<float>(random.Below(3)) * 4.0F;
  job.param.cat_l2 = static_cast<float>(random.Below(3));
  job.param.min_data_per_group = random.Below(2) == 0 ? 0 : 12;
  if (random.Below(3) == 0) job.param.interaction_constraints = "[[0,1]]";
  if (random.Below(3) == 0) job.sampled = SampleRows(Context{}, 0, 0, 0.7F, n_rows);
  job.gradients = MakeGradients(n_rows, seed + 1, job.sampled);
  return job;
}

/// Checks that every row is in the leaf that its splits lead to, and that every node has the sum of its sampled rows.
inline void ExpectRowsAndSums(CategoricalJob const& job, Built const& built) {
  auto const& tree = built.tree;
  tree.Validate(job.n_cols);
  std::vector<FixedSum> sums(tree.left.size());
  for (std::size_t row = 0; row < job.NumRows(); ++row) {
    std::int32_t node = 0;
    for (;;) {
      auto const at = static_cast<std::size_t>(node);
      if (job.sampled.empty() || job.sampled[row] != 0) sums[at] += job.gradients.pairs[row];
      if (tree.IsLeaf(node)) break;
      auto const feature = tree.split_feature[at];
      EXPECT_EQ(tree.IsCategorical(node), job.types[feature] == "c");
      auto const value = job.values[row * static_cast<std::size_t>(job.n_cols) + feature];
      auto const right = tree.CategoriesOf(node);
      if (std::isnan(value)) {
        node = tree.default_left[at] == 0 ? tree.right[at] : tree.left[at];
        continue;
      }
      auto const is_right = tree.IsCategorical(node)
                                ? std::count(right.begin(), right.end(), static_cast<std::int32_t>(value)) == 1
                                : value >= tree.split_value[at];
      node = is_right ? tree.right[at] : tree.left[at];
    }
    EXPECT_EQ(built.leaf_of_row[row], node) << "row " << row;
  }
  auto const plain = job.GainOf(sums[0]);
  for (std::size_t node = 0; node < sums.size(); ++node) {
    auto const of_categories = node > 0 && tree.IsCategorical(tree.parent[node]);
    auto const gain = of_categories ? OfCategories(plain) : plain;
    EXPECT_EQ(tree.sum_hessian[node], static_cast<float>(HessianOf(sums[node], gain)));
    auto const weight = static_cast<float>(LeafWeight(sums[node], gain));
    if (tree.IsLeaf(static_cast<std::int32_t>(node))) {
      EXPECT_EQ(tree.split_value[node], weight * job.param.eta);
    } else {
      EXPECT_EQ(tree.base_weight[node], weight);
    }
  }
}

/// Converts an exact tree to the form of hist, whose leaves have their values as base weights.
inline Built AsHist(Built built) {
  auto& tree = built.tree;
  for (std::int32_t node = 1; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) tree.base_weight[node] = tree.split_value[node];
  }
  return built;
}

}  // namespace kauri
