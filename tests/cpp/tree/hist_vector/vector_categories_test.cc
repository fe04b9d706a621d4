/// Categorical splits of trees with vector leaves: the best split of a node equals a naive search, and the rows and
/// sums of whole trees match their splits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tree/hist_vector/random_vector_job.h"

namespace kauri {
namespace {

bool GoesLeft(Tree const& tree, std::int32_t node, float value) {
  if (std::isnan(value)) return tree.default_left[node] != 0;
  if (!tree.IsCategorical(node)) return value < tree.split_value[node];
  auto const right = tree.CategoriesOf(node);
  return !std::binary_search(right.begin(), right.end(), static_cast<std::int32_t>(value));
}

/// A naive search of one column for one split, by the definition in category_split.h.
class NaiveSearch {
 public:
  explicit NaiveSearch(VectorJob const& job) : job_(job), param_(job.job.param) {
    for (auto const value : job.job.values) {
      if (!std::isnan(value)) categories_.insert(static_cast<std::int32_t>(value));
    }
  }

  /// Returns the largest loss change.
  double Find() {
    std::vector<std::int32_t> order(categories_.begin(), categories_.end());
    auto const n = static_cast<int>(order.size());
    if (n < param_.max_cat_to_onehot) {
      for (auto const category : order) {
        for (bool const default_left : {true, false}) Consider({category}, default_left);
      }
      return best_;
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return Key(a) < Key(b); });
    auto const n_tried = std::min(param_.max_cat_threshold, n) - 1;
    for (int k = 1; k <= n_tried; ++k) {
      Consider({order.begin(), order.begin() + k}, true);
      Consider({order.begin(), order.end() - k}, false);
    }
    return best_;
  }

 private:
  struct Pair {
    double gradient = 0.0;
    double hessian = 0.0;
  };

  static double HessianOf(std::vector<Pair> const& sums) {
    double hessian = 0.0;
    for (auto const& sum : sums) hessian += sum.hessian;
    return hessian;
  }
  template <typename Belongs>
  std::vector<Pair> Sum(Belongs&& belongs) const {
    std::vector<Pair> sums(job_.n_outputs);
    for (std::size_t row = 0; row < job_.job.values.size(); ++row) {
      if (!belongs(job_.job.values[row])) continue;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        auto const& pair = job_.pairs[row * sums.size() + k];
        sums[k].gradient += static_cast<double>(pair.gradient);
        sums[k].hessian += static_cast<double>(pair.hessian);
      }
    }
    return sums;
  }
  double Weight(Pair sum, float more_lambda = 0.0F) const {
    if (sum.hessian <= 0.0) return 0.0;
    auto const alpha = static_cast<double>(param_.alpha);
    auto const shrunk = std::max(std::fabs(sum.gradient) - alpha, 0.0) * (sum.gradient > 0.0 ? 1.0 : -1.0);
    auto const weight = -shrunk / (sum.hessian + static_cast<double>(param_.lambda) + static_cast<double>(more_lambda));
    auto const step = static_cast<double>(param_.max_delta_step);
    return step == 0.0 ? weight : std::clamp(weight, -step, step);
  }
  double Gain(std::vector<Pair> const& sums, float more_lambda = 0.0F) const {
    double gain = 0.0;
    for (auto const& sum : sums) {
      auto const weight = Weight(sum, more_lambda);
      gain -= 2.0 * (sum.gradient * weight + static_cast<double>(param_.alpha) * std::fabs(weight)) +
              (sum.hessian + static_cast<double>(param_.lambda) + static_cast<double>(more_lambda)) * weight * weight;
    }
    return gain;
  }
  float Key(std::int32_t category) const {
    auto const of_node = Sum([](float) { return true; });
    auto const own = Sum([&](float value) { return value == static_cast<float>(category); });
    auto const of_row = HessianOf(of_node) / static_cast<double>(job_.job.NumRows());
    if (HessianOf(own) < static_cast<double>(param_.cat_smooth) * of_row) return 0.0F;
    double product = 0.0;
    for (std::size_t k = 0; k < own.size(); ++k) product += Weight(own[k], param_.cat_smooth) * Weight(of_node[k]);
    return static_cast<float>(product);
  }
  void Consider(std::set<std::int32_t> const& right_set, bool default_left) {
    auto const goes_right = [&](float value) {
      return std::isnan(value) ? !default_left : right_set.count(static_cast<std::int32_t>(value)) == 1;
    };
    auto const right = Sum(goes_right);
    auto const left = Sum([&](float value) { return !goes_right(value); });
    for (auto const& side : {left, right}) {
      if (HessianOf(side) / static_cast<double>(side.size()) < static_cast<double>(param_.min_child_weight)) return;
    }
    auto const l2 = param_.cat_l2;
    best_ = std::max(best_, Gain(left, l2) + Gain(right, l2) - Gain(Sum([](float) { return true; })));
  }

  VectorJob const& job_;
  TreeParam const& param_;
  std::set<std::int32_t> categories_;
  double best_ = 0.0;
};

TEST(VectorCategories, TheBestSplitIsTheBestOfAllCandidates) {
  int n_splits = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto job = RandomCategoryJob(seed, 150, 1);
    job.job.param.max_depth = 1;
    auto const tree = BuildVectorTree(job).tree;
    auto const expected = NaiveSearch(job).Find();
    EXPECT_NEAR(static_cast<double>(tree.loss_change[0]), expected, 1e-4 * (1.0 + expected)) << seed;
    n_splits += tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 40);
}

/// With a single column the best split stays the best, and its gain is reduced by the column's cost.
TEST(VectorCategories, CostsAreTakenFromTheGain) {
  int n_kept_out = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto job = RandomCategoryJob(seed, 150, 1);
    job.job.param.max_depth = 1;
    auto const free = BuildVectorTree(job).tree;
    job.job.costs = {20.0F};
    auto const tree = BuildVectorTree(job).tree;
    ASSERT_EQ(tree.IsLeaf(0), !(free.loss_change[0] > 20.0F)) << seed;
    n_kept_out += tree.IsLeaf(0) && !free.IsLeaf(0) ? 1 : 0;
    if (tree.IsLeaf(0)) continue;
    EXPECT_NEAR(tree.loss_change[0], free.loss_change[0] - 20.0F, 1e-5F * free.loss_change[0]) << seed;
    EXPECT_EQ(tree.categories, free.categories) << seed;
  }
  EXPECT_GT(n_kept_out, 5);
  EXPECT_LT(n_kept_out, 35);
}

/// Compares leaf weights with the rows that the splits send there.
void ExpectRowsAndWeights(VectorJob const& job, Built const& built) {
  auto const& tree = built.tree;
  auto const n_outputs = static_cast<std::size_t>(job.n_outputs);
  std::vector<double> gradients(tree.leaf_vector.size(), 0.0);
  std::vector<double> hessians(tree.leaf_vector.size(), 0.0);
  for (std::size_t row = 0; row < job.job.NumRows(); ++row) {
    std::int32_t node = 0;
    while (!tree.IsLeaf(node)) {
      auto const index = static_cast<std::size_t>(node);
      auto const value = job.job.values[row * static_cast<std::size_t>(job.job.n_cols) + tree.split_feature[index]];
      node = GoesLeft(tree, node, value) ? tree.left[index] : tree.right[index];
    }
    ASSERT_EQ(node, built.leaf_of_row[row]);
    for (std::size_t k = 0; k < n_outputs; ++k) {
      auto const place = static_cast<std::size_t>(node) * n_outputs + k;
      gradients[place] += static_cast<double>(job.pairs[row * n_outputs + k].gradient);
      hessians[place] += static_cast<double>(job.pairs[row * n_outputs + k].hessian);
    }
  }
  if (job.job.param.alpha != 0.0F || job.job.param.max_delta_step != 0.0F) return;
  for (std::size_t place = 0; place < gradients.size(); ++place) {
    if (hessians[place] <= 0.0) continue;
    auto const node = static_cast<std::int32_t>(place / n_outputs);
    auto const of_categories = node > 0 && tree.IsCategorical(tree.parent[node]);
    auto const lambda = job.job.param.lambda + (of_categories ? job.job.param.cat_l2 : 0.0F);
    auto const weight = -gradients[place] / (hessians[place] + static_cast<double>(lambda));
    auto const value = weight * static_cast<double>(job.job.param.eta);
    EXPECT_NEAR(static_cast<double>(tree.leaf_vector[place]), value, 1e-5 * (1.0 + std::fabs(value)));
  }
}

TEST(VectorCategories, RowsAndWeightsFitTheSplitsForAnyThreads) {
  int n_categorical = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto job = RandomCategoryJob(seed, 400, 4);
    job.job.param.max_depth = 4;
    auto const built = BuildVectorTree(job, 1);
    EXPECT_NO_THROW(built.tree.Validate(job.job.n_cols));
    ExpectRowsAndWeights(job, built);
    for (int const threads : {2, 3}) {
      auto const other = BuildVectorTree(job, threads);
      ExpectSame(other, built, std::to_string(seed));
      EXPECT_EQ(other.tree.leaf_vector, built.tree.leaf_vector);
    }
    for (std::int32_t node = 0; node < built.tree.NumNodes(); ++node) {
      n_categorical += built.tree.IsCategorical(node) ? 1 : 0;
    }
  }
  EXPECT_GT(n_categorical, 50);
}

}  // namespace
}  // namespace kauri
