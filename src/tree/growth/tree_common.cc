#include "tree/growth/tree_common.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "collective/reduce.h"
#include "common/math.h"
#include "common/threads/parallel_for.h"
#include "data/bins/bin_store.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 13;

/// Returns a feature value; NaN if missing.
float FeatureValue(DataMatrix const& data, std::int64_t row, std::uint32_t feature) {
  if (data.IsDense()) {
    return data.Dense().values[static_cast<std::size_t>(row * data.NumCols()) + feature];
  }
  auto const& csr = data.Csr();
  auto const begin = csr.features.begin() + csr.row_ptr[row];
  auto const end = csr.features.begin() + csr.row_ptr[row + 1];
  auto const found = std::lower_bound(begin, end, feature);
  if (found == end || *found != feature) return std::numeric_limits<float>::quiet_NaN();
  return csr.values[found - csr.features.begin()];
}

bool GoesLeft(Tree const& tree, std::int32_t node, float value) {
  if (std::isnan(value)) return tree.default_left[node] != 0;
  if (!tree.IsCategorical(node)) return value < tree.split_value[node];
  auto const right = tree.CategoriesOf(node);
  return !std::binary_search(right.begin(), right.end(), static_cast<std::int32_t>(value));
}

/// Turns prunable splits into leaves; their descendants stay in the arrays, unreachable.
void CutWeakSplits(float gamma, float leaf_rate, std::int32_t max_depth, Tree* tree) {
  std::vector<std::int32_t> depth(tree->left.size(), 0);
  for (std::int32_t node = 1; node < tree->NumNodes(); ++node) depth[node] = depth[tree->parent[node]] + 1;
  for (auto node = tree->NumNodes() - 1; node >= 0; --node) {
    if (tree->IsLeaf(node)) continue;
    auto const is_too_deep = max_depth > 0 && depth[node] >= max_depth;
    if (!is_too_deep && !(tree->loss_change[node] < gamma)) continue;
    if (!tree->IsLeaf(tree->left[node]) || !tree->IsLeaf(tree->right[node])) continue;
    tree->left[node] = kNoNode;
    tree->right[node] = kNoNode;
    tree->split_feature[node] = 0;
    tree->default_left[node] = 0;
    tree->is_categorical[node] = 0;
    tree->loss_change[node] = 0.0F;
    tree->SetLeafValue(node, tree->base_weight[node] * leaf_rate);
  }
}

/// Returns the reachable nodes, ascending.
std::vector<std::int32_t> FindReachable(Tree const& tree) {
  std::vector<std::int32_t> reachable;
  std::vector<std::uint8_t> is_reached(tree.left.size(), 0);
  is_reached[0] = 1;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (is_reached[node] == 0) continue;
    reachable.push_back(node);
    if (tree.IsLeaf(node)) continue;
    is_reached[tree.left[node]] = 1;
    is_reached[tree.right[node]] = 1;
  }
  return reachable;
}

template <typename T>
std::vector<T> Gather(std::vector<T> const& of_node, std::vector<std::int32_t> const& nodes) {
  std::vector<T> gathered;
  for (auto const node : nodes) gathered.push_back(of_node[node]);
  return gathered;
}

void CopyCategories(Tree const& tree, std::vector<std::int32_t> const& nodes, Tree* compact) {
  compact->category_begin.assign(nodes.size(), 0);
  compact->category_count.assign(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (compact->is_categorical[i] == 0) continue;
    auto const categories = tree.CategoriesOf(nodes[i]);
    compact->category_begin[i] = static_cast<std::int64_t>(compact->categories.size());
    compact->category_count[i] = static_cast<std::int64_t>(categories.size());
    compact->categories.insert(compact->categories.end(), categories.begin(), categories.end());
  }
}

/// Returns the tree of the reachable nodes in their order. new_id receives their positions, and kNoNode for other
/// nodes.
Tree Compact(Tree const& tree, std::vector<std::int32_t>* new_id) {
  auto const nodes = FindReachable(tree);
  new_id->assign(tree.left.size(), kNoNode);
  for (std::size_t i = 0; i < nodes.size(); ++i) (*new_id)[nodes[i]] = static_cast<std::int32_t>(i);
  auto const renumbered = [&](std::vector<std::int32_t> const& links) {
    auto gathered = Gather(links, nodes);
    for (auto& link : gathered) link = link == kNoNode ? kNoNode : (*new_id)[link];
    return gathered;
  };
  Tree compact;
  compact.left = renumbered(tree.left);
  compact.right = renumbered(tree.right);
  compact.parent = renumbered(tree.parent);
  compact.split_feature = Gather(tree.split_feature, nodes);
  compact.split_value = Gather(tree.split_value, nodes);
  compact.default_left = Gather(tree.default_left, nodes);
  compact.is_categorical = Gather(tree.is_categorical, nodes);
  compact.base_weight = Gather(tree.base_weight, nodes);
  compact.loss_change = Gather(tree.loss_change, nodes);
  compact.sum_hessian = Gather(tree.sum_hessian, nodes);
  auto const& is_categorical = compact.is_categorical;
  if (std::find(is_categorical.begin(), is_categorical.end(), 1) != is_categorical.end()) {
    CopyCategories(tree, nodes, &compact);
  }
  if (!tree.row_count.empty()) compact.row_count = Gather(tree.row_count, nodes);
  return compact;
}

}  // namespace

GainParam MakeGainParam(TreeParam const& param, GradientUnit unit, bool monotone) {
  return {static_cast<double>(param.lambda),
          static_cast<double>(param.alpha),
          static_cast<double>(param.max_delta_step),
          static_cast<double>(param.min_child_weight),
          unit,
          monotone,
          {}};
}

CategoryGain MakeCategoryGain(TreeParam const& param, double root_hessian, std::int64_t n_rows) {
  if (n_rows == 0) return {};
  auto const of_row = root_hessian / static_cast<double>(n_rows);
  auto const most_frequent = std::clamp(static_cast<double>(n_rows) / 100.0, 10.0, 200.0);
  auto const smooth = param.cat_smooth < 0.0F ? most_frequent : static_cast<double>(param.cat_smooth);
  return {smooth, smooth * of_row, static_cast<double>(param.cat_l2), param.min_data_per_group * of_row};
}

FixedSum SumGradients(Context const& ctx, TreeTask const& task) {
  auto const pairs = task.gradients.pairs;
  auto const n_rows = static_cast<std::int64_t>(pairs.size());
  std::vector<FixedSum> of_block(NumBlocks(n_rows, kRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    FixedSum sum;
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      if (task.sampled_rows.empty() || task.sampled_rows[row] != 0) sum += pairs[row];
    }
    of_block[block] = sum;
  });
  FixedSum total;
  for (auto const& sum : of_block) total += sum;
  std::array<std::int64_t, 2> both{total.gradient, total.hessian};
  SumOverRanks(ctx, {both.data(), both.size()});
  return {both[0], both[1]};
}

void CheckTask(TreeTask const& task, DataMatrix const& data, Span<std::int32_t const> leaf_of_row) {
  auto const n_rows = static_cast<std::size_t>(data.NumRows());
  auto const check = [n_rows](char const* name, std::size_t size) {
    if (size != n_rows)
      Fail(ErrorKind::kInternal, "expected ", n_rows, " values, one per row of the tree, got ", size, " ", name, ".");
  };
  auto const stride = static_cast<std::size_t>(task.table.stride);
  check("gradients", stride == 0 ? task.gradients.pairs.size() : task.table.values.size() / stride);
  check("places for leaves", leaf_of_row.size());
  if (!task.sampled_rows.empty()) check("row marks", task.sampled_rows.size());
}

void SetNode(FixedSum sum, GainParam const& gain, float leaf_rate, std::int32_t node, Tree* tree,
             WeightBounds const& bounds) {
  auto const weight = static_cast<float>(NodeWeight(sum, gain, bounds));
  tree->SetNodeStatistics(node, weight, static_cast<float>(HessianOf(sum, gain)));
  tree->SetLeafValue(node, weight * leaf_rate);
}

void SetLeafWeights(Tree* tree) {
  for (std::int32_t node = 1; node < tree->NumNodes(); ++node) {
    if (!tree->IsLeaf(node)) continue;
    auto const values = tree->LeafValues(node);
    auto const first = static_cast<std::int64_t>(node) * static_cast<std::int64_t>(values.size());
    std::copy(values.begin(), values.end(), tree->base_weight.begin() + first);
  }
}

std::vector<std::int32_t> PruneTree(float gamma, float leaf_rate, Tree* tree, std::int32_t max_depth) {
  CutWeakSplits(gamma, leaf_rate, max_depth, tree);
  std::vector<std::int32_t> new_id;
  auto compact = Compact(*tree, &new_id);
  for (std::int32_t node = 1; node < tree->NumNodes(); ++node) {
    if (new_id[node] == kNoNode) new_id[node] = new_id[tree->parent[node]];
  }
  *tree = std::move(compact);
  return new_id;
}

std::int32_t FindLeaf(Tree const& tree, DataMatrix const& data, std::int64_t row) {
  std::int32_t node = 0;
  while (!tree.IsLeaf(node)) {
    auto const value = FeatureValue(data, row, tree.split_feature[node]);
    node = GoesLeft(tree, node, value) ? tree.left[node] : tree.right[node];
  }
  return node;
}

namespace {

constexpr std::int64_t kSquaredRowsPerBlock = 1 << 14;

/// Returns the sums of squares of gradient_of(row, output) over the rows, [n_outputs].
template <typename GradientOf>
std::vector<SquareSum> SquareRows(Context const& ctx, std::int64_t n_rows, std::int64_t n_outputs,
                                  GradientOf&& gradient_of) {
  std::vector<std::vector<SquareSum>> of_block(NumBlocks(n_rows, kSquaredRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kSquaredRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    std::vector<SquareSum> sums(n_outputs);
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t output = 0; output < n_outputs; ++output) sums[output].Add(gradient_of(row, output));
    }
    of_block[block] = std::move(sums);
  });
  std::vector<SquareSum> total(n_outputs);
  for (auto const& sums : of_block) {
    for (std::size_t output = 0; output < total.size(); ++output) total[output] += sums[output];
  }
  return total;
}

std::vector<SquareSum> SquareRows(Context const& ctx, TreeTask const& task) {
  auto const& table = task.table;
  if (table.stride == 0) {
    auto const& pairs = task.gradients.pairs;
    auto const& used = task.sampled_rows;
    return SquareRows(ctx, static_cast<std::int64_t>(pairs.size()), 1, [&](std::int64_t row, std::int64_t) {
      return used.empty() || used[row] != 0 ? pairs[row].gradient : 0;
    });
  }
  // Rows that were not sampled are zeros in the table.
  auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
  return SquareRows(ctx, n_rows, table.NumOutputs(),
                    [&](std::int64_t row, std::int64_t output) { return table.values[row * table.stride + output]; });
}

}  // namespace

std::vector<double> SumSquares(Context const& ctx, std::vector<SquareSum> of_outputs) {
  static_assert(sizeof(SquareSum) == 2 * sizeof(std::int64_t), "a sum is two integers");
  if (!of_outputs.empty()) {
    SumOverRanks(ctx, Span<std::int64_t>(&of_outputs.front().high, 2 * of_outputs.size()));
  }
  std::vector<double> sums;
  for (auto const& sum : of_outputs) sums.push_back(sum.Value());
  return sums;
}

std::vector<double> SumSquares(Context const& ctx, TreeTask const& task) {
  return SumSquares(ctx, SquareRows(ctx, task));
}

double NoiseDeviation(TreeParam const& param, TreePlace const& place, double chance_gain) {
  auto const n_rows = static_cast<double>(place.n_rows);
  auto const trained = Exp(static_cast<double>(param.eta) * static_cast<double>(place.iteration));
  return static_cast<double>(param.random_strength) * chance_gain * (n_rows / (n_rows + trained));
}

namespace {

constexpr std::int64_t kCountedRowsPerBlock = 1 << 16;

/// Returns the number of rows of all ranks in each leaf, [n_nodes].
std::vector<std::int64_t> CountRows(Context const& ctx, Tree const& tree, Span<std::uint8_t const> sampled,
                                    Span<std::int32_t const> leaf_of_row) {
  auto const n_nodes = tree.left.size();
  std::vector<std::vector<std::int64_t>> of_thread(static_cast<std::size_t>(ctx.threads));
  auto const n_rows = static_cast<std::int64_t>(leaf_of_row.size());
  ParallelForBlocks(ctx, n_rows, kCountedRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto& counts = of_thread[ThreadIndex()];
    counts.resize(n_nodes);
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      if (sampled.empty() || sampled[row] != 0) ++counts[leaf_of_row[row]];
    }
  });
  std::vector<std::int64_t> total(n_nodes, 0);
  for (auto const& counts : of_thread) {
    for (std::size_t node = 0; node < counts.size(); ++node) total[node] += counts[node];
  }
  SumOverRanks(ctx, total);
  return total;
}

}  // namespace

void SmoothPaths(Context const& ctx, float path_smooth, float leaf_rate, Span<std::uint8_t const> sampled,
                 Span<std::int32_t const> leaf_of_row, Tree* tree) {
  SmoothPaths(path_smooth, leaf_rate, CountRows(ctx, *tree, sampled, leaf_of_row), tree);
}

void SmoothPaths(float path_smooth, float leaf_rate, std::vector<std::int64_t> n_rows, Tree* tree) {
  for (auto node = n_rows.size(); node-- > 1;) n_rows[tree->parent[node]] += n_rows[node];
  auto const n_outputs = static_cast<std::size_t>(tree->n_outputs);
  for (std::int32_t node = 1; node < tree->NumNodes(); ++node) {
    auto const multiple = static_cast<double>(n_rows[node]) / static_cast<double>(path_smooth);
    auto* const own = tree->base_weight.data() + static_cast<std::size_t>(node) * n_outputs;
    auto const* of_parent = tree->base_weight.data() + static_cast<std::size_t>(tree->parent[node]) * n_outputs;
    for (std::size_t output = 0; output < n_outputs; ++output) {
      auto const weight = static_cast<double>(own[output]) * (multiple / (multiple + 1.0)) +
                          static_cast<double>(of_parent[output]) / (multiple + 1.0);
      own[output] = static_cast<float>(weight);
      if (tree->IsLeaf(node)) tree->SetLeafValue(node, own[output] * leaf_rate, static_cast<std::int32_t>(output));
    }
  }
}

}  // namespace kauri
