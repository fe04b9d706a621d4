#include "predictor/background_tree.h"

#include <algorithm>
#include <new>
#include <utility>

namespace kauri {
namespace {

std::size_t At(std::int64_t index) { return static_cast<std::size_t>(index); }

std::int64_t TableSize(std::uint32_t n_features) {
  auto const size = TableWidth(n_features) << n_features;
  return (size + 7) / 8 * 8;  // so that the next one is aligned
}

hwy::AlignedFreeUniquePtr<double[]> AllocateDoubles(std::int64_t size) {
  auto memory = hwy::AllocateAligned<double>(At(std::max<std::int64_t>(size, 1)));
  if (memory == nullptr) throw std::bad_alloc();
  std::fill(memory.get(), memory.get() + size, 0.0);
  return memory;
}

/// Where patterns are collected: by a leaf's table they are counted in its first 2^n_features places.
class Collector {
 public:
  explicit Collector(BackgroundTree* tree) : tree_(*tree) {
    std::int64_t size = 0;
    for (auto const& leaf : tree_.program.leaves) {
      tree_.table_begin.push_back(size);
      size += HasTable(leaf) ? TableSize(leaf.n_features) : 0;
      direct_.emplace_back(leaf.n_features);
    }
    tree_.tables = AllocateDoubles(size);
  }

  void Add(CategoryConditionsView const& categories, KeyTiles const& background) {
    for (std::int64_t tile = 0; tile < background.NumTiles(); ++tile) {
      auto const n_rows = background.RowsOf(tile);
      walk_.Run(
          tree_.program, categories, background.Tile(tile), n_rows, [&](std::uint32_t leaf) { AddTile(leaf, n_rows); },
          [](std::uint32_t, std::uint32_t) {});
    }
  }

  double* Table(std::size_t leaf) { return tree_.tables.get() + tree_.table_begin[leaf]; }
  DirectLeafBuilder* Direct(std::size_t leaf) { return &direct_[leaf]; }

 private:
  void AddTile(std::uint32_t number, std::int64_t n_rows) {
    auto const& leaf = tree_.program.leaves[number];
    if (leaf.n_features == 0) return;
    if (HasTable(leaf)) {
      auto const* patterns = walk_.Plane(tree_.program, leaf, 0);
      for (std::int64_t row = 0; row < n_rows; ++row) Table(number)[patterns[row]] += 1.0;
    } else {
      walk_.Planes(tree_.program, leaf, &planes_);
      direct_[number].Add(planes_, n_rows);
    }
  }

  BackgroundTree& tree_;
  PatternWalk walk_;
  std::vector<DirectLeafBuilder> direct_;  ///< by leaf
  std::vector<std::uint32_t const*> planes_;
};

/// What the rows that reach the leaf weigh.
double ReachingWeight(DirectLeaf const& leaf) {
  return !leaf.n_missed.empty() && leaf.n_missed.front() == 0 ? leaf.weight.front() : 0.0;
}

}  // namespace

std::int64_t MostTableBytes(Forest const& forest, std::int64_t tree) {
  auto const n_nodes = forest.tree_begin[At(tree) + 1] - forest.tree_begin[At(tree)];
  auto const n_features = std::min<std::int64_t>({forest.tree_depth[At(tree)], forest.NumSlots(), kTableFeatures});
  return (n_nodes + 1) / 2 * TableSize(static_cast<std::uint32_t>(n_features)) * 8;
}

BackgroundCompiler::BackgroundCompiler(KeyTiles const& background) : background_(background) {
  for (std::uint32_t n = 0; n <= kTableFeatures; ++n) rules_.push_back(n == 0 ? LeafRule{} : MakeLeafRule(n));
}

BackgroundTree BackgroundCompiler::Compile(PathProgram program, CategoryConditionsView const& categories) const {
  BackgroundTree tree;
  tree.program = std::move(program);
  tree.direct.resize(tree.program.leaves.size());
  Collector collector(&tree);
  collector.Add(categories, background_);
  std::vector<double> counts;
  std::vector<double> scratch;
  for (std::size_t number = 0; number < tree.program.leaves.size(); ++number) {
    auto const& leaf = tree.program.leaves[number];
    auto const value = static_cast<double>(leaf.value) / static_cast<double>(background_.NumRows());
    if (leaf.n_features == 0) {
      tree.mean = static_cast<double>(leaf.value);
      continue;
    }
    if (!HasTable(leaf)) {
      tree.direct[number] = collector.Direct(number)->Finish(value);
      tree.mean += ReachingWeight(tree.direct[number]);
      continue;
    }
    auto* const table = collector.Table(number);
    auto const n_patterns = std::size_t{1} << leaf.n_features;
    auto const& rule = rules_[leaf.n_features];
    counts.assign(table, table + n_patterns);
    for (auto& count : counts) count *= value;
    tree.mean += counts.back();
    scratch.resize(std::max(scratch.size(), n_patterns * (At(rule.n_points) + 2)));
    MakeLeafTable({rule, counts.data(), scratch.data(), table});
  }
  return tree;
}

}  // namespace kauri
