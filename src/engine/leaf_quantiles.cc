#include "engine/leaf_quantiles.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "common/parallel_for.h"
#include "common/quantile.h"
#include "tree/constraints/constraints.h"

namespace kauri {
namespace {

/// Rows of a node: [begin, end) of the ordered rows.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

class ResidualsByNode {
 public:
  ResidualsByNode(MetaInfo const& info, LeafQuantileTask const& task, Tree const& tree) : info_(info), task_(task) {
    CountRows(tree);
    PlaceNodes(tree);
    OrderRows();
  }

  /// Nothing for a node without rows of any weight.
  std::optional<float> QuantileOf(std::int32_t node) const {
    auto const [begin, end] = ranges_[node];
    if (begin == end) return std::nullopt;
    if (!info_.weights.empty()) return WeightedQuantileOf(begin, end);
    std::vector<float> residuals;
    residuals.reserve(end - begin);
    for (auto i = begin; i < end; ++i) residuals.push_back(Residual(rows_[i]));
    return Quantile(residuals, task_.quantile);
  }

 private:
  bool IsUsed(std::int64_t row) const { return task_.sampled_rows.empty() || task_.sampled_rows[row] != 0; }

  float Residual(std::int64_t row) const {
    auto const label = info_.n_targets == 1 ? row : row * info_.n_targets + task_.output;
    return info_.labels[label] - task_.margins[row * task_.n_outputs + task_.output];
  }

  std::optional<float> WeightedQuantileOf(std::int64_t begin, std::int64_t end) const {
    std::vector<WeightedValue> residuals;
    auto any = false;
    for (auto i = begin; i < end; ++i) {
      auto const weight = info_.Weight(rows_[i]);
      any = any || weight > 0.0F;
      residuals.push_back({Residual(rows_[i]), weight});
    }
    return any ? std::optional<float>(Quantile(residuals, task_.quantile)) : std::nullopt;
  }

  /// ranges_[leaf].end := the number of its rows.
  void CountRows(Tree const& tree) {
    ranges_.resize(tree.left.size());
    for (std::size_t row = 0; row < task_.leaf_of_row.size(); ++row) {
      if (IsUsed(static_cast<std::int64_t>(row))) ++ranges_[task_.leaf_of_row[row]].end;
    }
  }

  /// From left to right; an inner node spans its children.
  void PlaceNodes(Tree const& tree) {
    struct Visit {
      std::int32_t node;
      bool below_done;
    };
    std::int64_t next = 0;
    std::vector<Visit> stack{{0, false}};
    while (!stack.empty()) {
      auto const [node, below_done] = stack.back();
      stack.pop_back();
      auto& range = ranges_[node];
      if (below_done) {
        range.end = next;
        continue;
      }
      auto const n_rows = range.end;
      range.begin = next;
      if (tree.IsLeaf(node)) {
        range.end = next += n_rows;
        continue;
      }
      stack.push_back({node, true});
      stack.push_back({tree.right[node], false});
      stack.push_back({tree.left[node], false});
    }
    rows_.resize(next);
  }

  void OrderRows() {
    std::vector<std::int64_t> next(ranges_.size());
    for (std::size_t node = 0; node < next.size(); ++node) next[node] = ranges_[node].begin;
    for (std::size_t row = 0; row < task_.leaf_of_row.size(); ++row) {
      if (!IsUsed(static_cast<std::int64_t>(row))) continue;
      rows_[next[task_.leaf_of_row[row]]++] = static_cast<std::int64_t>(row);
    }
  }

  MetaInfo const& info_;
  LeafQuantileTask const& task_;
  std::vector<RowRange> ranges_;    // by node
  std::vector<std::int64_t> rows_;  // that are used, ordered by leaf
};

float Clamp(float value, WeightBounds bounds) {
  return static_cast<float>(std::clamp(static_cast<double>(value), bounds.lower, bounds.upper));
}

/// As the weights of a growing tree.
std::optional<float> Limit(std::optional<float> quantile, float max_delta_step) {
  if (!quantile.has_value() || max_delta_step == 0.0F) return quantile;
  return std::clamp(*quantile, -max_delta_step, max_delta_step);
}

/// Clamps the quantiles of all nodes, top-down; those without rows count as 0.
void Constrain(ConstraintRules const& rules, std::int64_t n_features, Tree const& tree,
               std::vector<std::optional<float>>* quantiles) {
  auto clamped = tree;  // of one output, whose base weights are the quantiles
  clamped.n_outputs = 1;
  clamped.leaf_vector.clear();
  clamped.base_weight.assign(tree.left.size(), 0.0F);
  TreeConstraints constraints({rules.signs, false, {}}, n_features);
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {  // children come after their parents
    if (tree.IsLeaf(node)) continue;
    std::int32_t const children[] = {tree.left[node], tree.right[node]};
    auto const bounds = constraints.BoundsOf(node);
    for (auto const child : children) {
      clamped.base_weight[child] = Clamp((*quantiles)[child].value_or(0.0F), bounds);
    }
    constraints.AddSplit(clamped, node);
    for (auto const child : children) {
      auto& weight = clamped.base_weight[child];
      weight = Clamp(weight, constraints.BoundsOf(child));
      (*quantiles)[child] = weight;
    }
  }
}

}  // namespace

void SetLeafQuantiles(Context const& ctx, MetaInfo const& info, TreeParam const& param, LeafQuantileTask const& task,
                      Tree* tree) {
  auto const rules = ParseConstraints(param);
  ResidualsByNode const residuals(info, task, *tree);
  std::vector<std::optional<float>> quantiles(tree->left.size());
  ParallelFor(ctx, tree->NumNodes(), [&](std::int64_t index) {
    auto const node = static_cast<std::int32_t>(index);
    if (!tree->IsLeaf(node) && !rules.HasMonotone()) return;
    quantiles[node] = Limit(residuals.QuantileOf(node), param.max_delta_step);
  });
  if (rules.HasMonotone()) Constrain(rules, info.n_cols, *tree, &quantiles);
  for (std::int32_t leaf = 0; leaf < tree->NumNodes(); ++leaf) {
    auto const& quantile = quantiles[leaf];
    if (tree->IsLeaf(leaf) && quantile.has_value()) {
      tree->SetLeafValue(leaf, *quantile * param.eta * task.leaf_scale, static_cast<std::int32_t>(task.output));
    }
  }
}

}  // namespace kauri
