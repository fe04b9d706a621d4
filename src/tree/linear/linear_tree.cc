#include "tree/linear/linear_tree.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tree/growth/tree_common.h"
#include "tree/linear/leaf_moments.h"
#include "tree/split_gain.h"

namespace kauri {
namespace {

/// Number of rows that a leaf needs per fitted number.
constexpr std::int64_t kRowsPerNumber = 1;

/// Minimum share of a variable's own sum of squares that must remain after the previous variables.
constexpr double kDetermined = 1e-10;

std::size_t At(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }

/// Factorises in place. The columns of variables left out are 0, including their diagonal.
void Factorise(std::size_t n, std::vector<double>* lower) {
  auto& a = *lower;
  for (std::size_t column = 0; column < n; ++column) {
    auto const whole = a[At(column, column)];
    auto rest = whole;
    for (std::size_t i = 0; i < column; ++i) rest -= a[At(column, i)] * a[At(column, i)];
    auto const diagonal = rest > kDetermined * whole ? std::sqrt(rest) : 0.0;
    a[At(column, column)] = diagonal;
    for (auto row = column + 1; row < n; ++row) {
      auto value = a[At(row, column)];
      for (std::size_t i = 0; i < column; ++i) value -= a[At(row, i)] * a[At(column, i)];
      a[At(row, column)] = diagonal > 0.0 ? value / diagonal : 0.0;
    }
  }
}

/// Returns x of A x = b for a symmetric, positive semidefinite A, by Cholesky factors in float64. lower: the lower
/// triangle of A row by row, [n * (n + 1) / 2]; b: [n]. A variable that previous variables determine to ten digits, as
/// with equal or constant columns, gets 0 and is left out.
std::vector<double> SolveSemidefinite(std::vector<double> lower, Span<double const> b) {
  auto const n = b.size();
  Factorise(n, &lower);
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t i = 0; i < row; ++i) x[row] -= lower[At(row, i)] * x[i];
    auto const diagonal = lower[At(row, row)];
    x[row] = diagonal > 0.0 ? x[row] / diagonal : 0.0;
  }
  for (auto row = n; row-- > 0;) {
    for (auto i = row + 1; i < n; ++i) x[row] -= lower[At(i, row)] * x[i];
    auto const diagonal = lower[At(row, row)];
    x[row] = diagonal > 0.0 ? x[row] / diagonal : 0.0;
  }
  return x;
}

/// The regression of a leaf, with the learning rate applied.
struct Fitted {
  float base = 0.0F;
  std::vector<float> slope;
  std::vector<float> centre;
};

std::vector<std::uint32_t> NumericalOnPath(Tree const& tree, std::int32_t leaf) {
  std::vector<std::uint32_t> features;
  for (auto node = tree.parent[leaf]; node != kNoNode; node = tree.parent[node]) {
    if (!tree.IsCategorical(node)) features.push_back(tree.split_feature[node]);
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

std::vector<RegressedLeaf> LeavesOf(Tree const& tree) {
  std::vector<RegressedLeaf> leaves;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    auto features = NumericalOnPath(tree, node);
    if (!features.empty()) leaves.push_back({node, std::move(features)});
  }
  return leaves;
}

/// Returns nothing if there are too few rows or the numbers exceed float32. constant: the constant of the leaf.
std::optional<Fitted> Fit(LeafMoments const& moments, GainParam const& gain, TreeParam const& param, float rate,
                          float constant) {
  auto const n = moments.mean.size();
  if (moments.n_rows < kRowsPerNumber * static_cast<std::int64_t>(n + 1)) return std::nullopt;
  auto products = moments.products;
  for (std::size_t i = 0; i < n; ++i) products[i * (i + 1) / 2 + i] += static_cast<double>(param.linear_lambda);
  auto const slopes = SolveSemidefinite(std::move(products), moments.slope);
  auto base =
      static_cast<double>(moments.is_whole ? constant : static_cast<float>(LeafWeight(moments.sum, gain)) * rate);
  Fitted fitted;
  auto is_finite = true;
  for (std::size_t i = 0; i < n; ++i) {
    fitted.slope.push_back(static_cast<float>(-slopes[i] * static_cast<double>(rate)));
    fitted.centre.push_back(static_cast<float>(moments.mean[i]));
    base += static_cast<double>(fitted.slope[i]) * (static_cast<double>(fitted.centre[i]) - moments.mean[i]);
    is_finite = is_finite && std::isfinite(fitted.slope[i]) && std::isfinite(fitted.centre[i]);
  }
  fitted.base = static_cast<float>(base);
  if (!is_finite || !std::isfinite(fitted.base)) return std::nullopt;
  return fitted;
}

}  // namespace

void FitLinearLeaves(Context const& ctx, DataMatrix const& data, TreeTask const& task, TreeParam const& param,
                     Span<std::int32_t const> leaf_of_row, Tree* tree) {
  auto const leaves = LeavesOf(*tree);
  if (leaves.empty()) return;
  auto const moments = SumMoments(ctx, *data.View(), task.gradients, leaf_of_row, leaves);
  auto const gain = MakeGainParam(param, task.gradients.unit);
  auto const rate = LeafRate(param, task.place);
  LinearLeaves linear;
  linear.base.assign(tree->NumNodes(), 0.0F);
  linear.begin.assign(1, 0);
  auto leaf = leaves.begin();
  for (std::int32_t node = 0; node < tree->NumNodes(); ++node) {
    if (leaf != leaves.end() && leaf->node == node) {
      if (auto const fitted = Fit(moments[leaf - leaves.begin()], gain, param, rate, tree->split_value[node])) {
        linear.base[node] = fitted->base;
        linear.feature.insert(linear.feature.end(), leaf->features.begin(), leaf->features.end());
        linear.slope.insert(linear.slope.end(), fitted->slope.begin(), fitted->slope.end());
        linear.centre.insert(linear.centre.end(), fitted->centre.begin(), fitted->centre.end());
      }
      ++leaf;
    }
    linear.begin.push_back(static_cast<std::int64_t>(linear.feature.size()));
  }
  if (!linear.feature.empty()) tree->linear = std::move(linear);
}

}  // namespace kauri
