#include "engine/pending_leaves.h"

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;

}  // namespace

Span<std::int32_t> PendingLeaves::NextLeaves(std::int64_t n_rows) {
  if (trees_.size() == n_trees_) trees_.emplace_back();
  auto& leaves = trees_[n_trees_].leaf_of_row;
  ResizeLarge(&leaves, static_cast<std::size_t>(n_rows));
  return leaves;
}

void PendingLeaves::Add(Tree const& tree, std::int64_t output) {
  trees_[n_trees_].values = tree.split_value;
  trees_[n_trees_].output = output;
  ++n_trees_;
}

void PendingLeaves::AddTo(Context const& ctx, std::int64_t n_outputs, Span<float> margins) {
  auto const n_rows = static_cast<std::int64_t>(margins.size()) / n_outputs;
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    constexpr std::int64_t kRowsPerTile = 256;  // their margins stay in the first-level cache from tree to tree
    for (auto first = begin; first < end; first += kRowsPerTile) {
      auto const last = first + kRowsPerTile < end ? first + kRowsPerTile : end;
      for (std::size_t i = 0; i < n_trees_; ++i) {
        auto const* leaves = trees_[i].leaf_of_row.data();
        auto const* values = trees_[i].values.data();
        auto* const of_output = margins.data() + trees_[i].output;
        for (auto row = first; row < last; ++row) of_output[row * n_outputs] += values[leaves[row]];
      }
    }
  });
  n_trees_ = 0;
}

}  // namespace kauri
