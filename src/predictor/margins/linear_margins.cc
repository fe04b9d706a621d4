#include <algorithm>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "predictor/forest/walk.h"
#include "predictor/margins/margins.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerTile = 16 * kWalkLanes;

/// A tile of rows: their keys for traversals and their values for the leaves.
class LinearTile {
 public:
  LinearTile(ForestTask const& task, LinearTrees const& linear, std::int64_t begin, std::int64_t end)
      : forest_(task.forest),
        linear_(linear),
        n_rows_(end - begin),
        keys_(SizeInMemory(kRowsPerTile * forest_.NumSlots()), kMissingKey),
        values_(SizeInMemory(n_rows_ * linear.n_cols)) {
    ReadKeys(forest_, task.rows, begin, end, kWalkLanes, keys_.data());
    if (linear.n_cols > 0) task.rows.CopyRows(begin, end, linear.n_cols, values_.data());
  }

  /// Adds the tree's values to sums: [n_rows, n_outputs].
  void AddTree(std::int64_t tree, float* sums) const {
    auto const output = forest_.output_of_tree[tree];
    WithReader(forest_, [&](auto const& reader, auto categorical) {
      for (std::int64_t first = 0; first < n_rows_; first += kWalkLanes) {
        std::uint32_t nodes[kWalkLanes] = {};
        WalkRows<categorical.value>(forest_, reader, tree, forest_.tree_depth[tree],
                                    keys_.data() + first * forest_.NumSlots(), nodes);
        for (auto row = first; row < std::min(first + kWalkLanes, n_rows_); ++row) {
          sums[row * forest_.n_outputs + output] += ValueAt(tree, nodes[row - first], row);
        }
      }
    });
  }

 private:
  float ValueAt(std::int64_t tree, std::uint32_t node, std::int64_t row) const {
    auto const place = forest_.tree_begin[tree] + node;
    auto const& of_tree = linear_.trees[forest_.ModelTree(tree)];
    if (of_tree.leaves.IsEmpty()) return forest_.leaf_value[place];
    auto const leaf = forest_.node_id[place];
    auto const* values = values_.data() + row * linear_.n_cols;
    return of_tree.leaves.ValueOf(leaf, of_tree.constant[leaf], values) * of_tree.weight;
  }

  Forest const& forest_;
  LinearTrees const& linear_;
  std::int64_t n_rows_;
  std::vector<std::int32_t> keys_;  ///< [kRowsPerTile, n_slots], interleaved by kWalkLanes
  std::vector<float> values_;       ///< [n_rows, n_cols]
};

}  // namespace

LinearTrees CompileLinear(Model const& model, TreeRange trees) {
  LinearTrees linear;
  for (auto index = trees.begin; index < trees.end; ++index) {
    auto const& tree = model.trees[index];
    linear.trees.push_back(
        {tree.linear, tree.HasLinearLeaves() ? tree.split_value : std::vector<float>(), model.TreeWeight(index)});
    linear.n_cols = std::max(linear.n_cols, tree.linear.NumCols());
  }
  if (linear.n_cols == 0) linear.trees.clear();
  return linear;
}

void PredictLinearMargins(Context const& ctx, ForestTask const& task, LinearTrees const& linear, Span<float> out) {
  auto const n_outputs = task.forest.n_outputs;
  ParallelForBlocks(ctx, task.rows.NumRows(), kRowsPerTile, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    LinearTile const tile(task, linear, begin, end);
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        out[row * n_outputs + output] = task.StartOf(row, output);
      }
    }
    for (auto tree = task.trees.begin; tree < task.trees.end; ++tree)
      tile.AddTree(tree, out.data() + begin * n_outputs);
  });
}

}  // namespace kauri
