/// 1. The kernels of table_kernels.h make the tables of leaves with short paths.
/// 2. Leaves with longer paths have distinct patterns instead of tables (pair_patterns.cu), found for some items at a
///    time.
/// 3. A thread takes a tree and adds up the values of its leaves over the background, in their order.
#include <algorithm>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/shap/leaf_tables.h"
#include "cuda/shap/pair_patterns.h"

namespace kauri::cuda {
namespace {

constexpr int kMeanThreads = 64;
/// Memory for the patterns of leaves whose patterns are found together.
constexpr std::int64_t kPatternBytes = std::int64_t{64} << 20;

__global__ void TreeMeansKernel(LaneTree const* trees, std::int64_t n_trees, double const* reached, double* means) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kMeanThreads + threadIdx.x;
  if (index >= n_trees) return;
  LaneTree const tree = trees[index];
  double mean = means[tree.tree];
#pragma unroll 8
  for (std::uint32_t leaf = tree.leaf_begin; leaf < tree.leaf_end; ++leaf) mean += reached[leaf];
  means[tree.tree] = mean;
}

__global__ void SumTreeMeansKernel(double const* means, std::int32_t const* output_of_tree, std::int64_t n_trees,
                                   std::int64_t n_outputs, double* of_output) {
  std::int64_t const output = static_cast<std::int64_t>(blockIdx.x) * kMeanThreads + threadIdx.x;
  if (output >= n_outputs) return;
  double sum = 0.0;
#pragma unroll 8
  for (std::int64_t tree = 0; tree < n_trees; ++tree) {
    if (output_of_tree[tree] == output) sum += means[tree];
  }
  of_output[output] = sum;
}

/// Returns the class of a leaf: 0 for tables of values, then one class for each number of features.
std::size_t ClassOf(LaneLeaf const& leaf) {
  return leaf.n_features <= kMostValueFeatures ? 0 : leaf.n_features - kMostValueFeatures;
}

}  // namespace

TablePiece::TablePiece(CudaContext const& cuda, LaneBatch const& batch, std::int64_t first_tree)
    : table_size_(batch.table_size),
      pair_table_size_(batch.pair_table_size),
      lanes_(cuda, batch),
      sources_(ToDevice(cuda, batch.sources)) {
  auto trees = batch.trees;
  for (auto& tree : trees) tree.tree -= first_tree;
  trees_ = ToDevice(cuda, trees);
  auto const order = OrderLeaves(batch);
  leaf_order_ = ToDevice(cuda, order);
  auto const with_patterns = ListPatterns(batch);
  pattern_leaves_ = ToDevice(cuda, with_patterns);
  cuda.Synchronize();  // for the host's arrays
}

std::vector<std::uint32_t> TablePiece::OrderLeaves(LaneBatch const& batch) {
  for (auto const& leaf : batch.leaves) {
    if (leaf.form == LeafForm::kPairs) continue;
    auto& own = classes_[ClassOf(leaf)];
    ++own.end;
    own.most_features = std::max(own.most_features, leaf.n_features);
    most_features_ = std::max(most_features_, leaf.n_features);
  }
  for (std::size_t c = 1; c < kNumClasses; ++c) {
    classes_[c].begin = classes_[c - 1].end;
    classes_[c].end += classes_[c].begin;
  }
  std::vector<std::uint32_t> order(ToSize(classes_.back().end));
  std::array<std::int64_t, kNumClasses> next{};
  for (std::size_t c = 0; c < kNumClasses; ++c) next[c] = classes_[c].begin;
  for (std::size_t leaf = 0; leaf < batch.leaves.size(); ++leaf) {
    if (batch.leaves[leaf].form == LeafForm::kPairs) continue;
    order[ToSize(next[ClassOf(batch.leaves[leaf])]++)] = static_cast<std::uint32_t>(leaf);
  }
  return order;
}

std::vector<std::uint32_t> TablePiece::ListPatterns(LaneBatch const& batch) {
  std::vector<std::uint32_t> leaves;
  patterns_before_item_.assign(1, 0);
  for (auto const& item : batch.items) {
    for (auto leaf = item.leaf_begin; leaf < item.leaf_end; ++leaf) {
      if (batch.leaves[leaf].form == LeafForm::kPairs) leaves.push_back(leaf);
    }
    patterns_before_item_.push_back(static_cast<std::int64_t>(leaves.size()));
  }
  return leaves;
}

void TablePiece::MakeTables(CudaContext const& cuda, TableBackground const& background, PieceTables const& tables,
                            double* reached) const {
  auto const leaves = lanes_.Work().leaves;
  CountTask const counting{leaves, sources_.data(), background.keys, background.categories, tables.values, reached};
  CountPatterns(cuda, counting, sources_.size(), most_features_);
  for (auto const& own : classes_) {
    TableTask const task{leaves.leaves,          sources_.data(), leaf_order_.data() + own.begin, background.rules,
                         background.keys.n_rows, tables,          background.weights.scale,       pair_table_size_ > 0};
    cuda::MakeTables(cuda, task, own.end - own.begin, own.most_features);
  }
}

void TablePiece::Add(CudaContext const& cuda, TableBackground const& background, PieceTables const& tables,
                     PieceSums const& to, double* reached) const {
  auto work = lanes_.Work();
  work.leaves.tables = tables.values;
  work.leaves.pair_tables = tables.pairs;
  work.leaves.categories = background.categories;
  work.leaves.weights = background.weights;
  HasPatterns() ? AddWithPatterns(cuda, background, to, work, reached) : AddLanes(cuda, work, to.keys, to.sums);
}

void TablePiece::AddMeans(CudaContext const& cuda, double const* reached, double* means) const {
  auto const n_trees = static_cast<std::int64_t>(trees_.size());
  Launch(cuda, GridFor(n_trees, kMeanThreads), kMeanThreads, TreeMeansKernel, trees_.data(), n_trees, reached, means);
}

void TablePiece::AddWithPatterns(CudaContext const& cuda, TableBackground const& background, PieceSums const& to,
                                 LaneWork work, double* reached) const {
  Buffer<LaneLeaf> const leaves(cuda, sources_.size());
  CopyOnDevice(cuda, work.leaves.leaves, leaves.size(), leaves.data());
  auto const n_rows = background.keys.n_rows;
  auto const most_leaves = std::max<std::int64_t>(1, kPatternBytes / (n_rows * std::int64_t{sizeof(LanePattern)}));
  auto const n_items = work.n_items;
  auto const* const all_items = work.leaves.items;
  for (std::int64_t first = 0, last = 0; first < n_items; first = last) {
    auto const before = patterns_before_item_[first];
    for (++last; last < n_items && patterns_before_item_[last + 1] - before <= most_leaves;) ++last;
    auto const n_leaves = patterns_before_item_[last] - before;
    Buffer<LanePattern> const patterns(cuda, ToSize(n_leaves * n_rows));
    FindPairPatterns(cuda, {work.leaves, sources_.data(), pattern_leaves_.data() + before, n_leaves, background.keys,
                            background.categories, leaves.data(), patterns.data(), reached});
    auto part = work;
    part.leaves.items = all_items + first;
    part.n_items = last - first;
    part.leaves.leaves = leaves.data();
    part.leaves.patterns = patterns.data();
    AddLanes(cuda, part, to.keys, to.sums);
  }
}

void SumTreeMeans(CudaContext const& cuda, double const* means, std::int32_t const* output_of_tree,
                  std::int64_t n_trees, std::int64_t n_outputs, double* of_output) {
  Launch(cuda, GridFor(n_outputs, kMeanThreads), kMeanThreads, SumTreeMeansKernel, means, output_of_tree, n_trees,
         n_outputs, of_output);
}

}  // namespace kauri::cuda
