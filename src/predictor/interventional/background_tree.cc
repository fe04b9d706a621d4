#include "predictor/interventional/background_tree.h"

#include <algorithm>
#include <utility>

namespace kauri {
namespace {

/// Collects the patterns of the background at each leaf. A leaf with a table counts them in the first 2^n_features
/// entries of the table.
class Collector {
 public:
  explicit Collector(BackgroundTree* tree) : tree_(*tree) {
    tree_.table_begin.assign(1, 0);
    for (auto const& leaf : tree_.program.leaves) {
      tree_.table_begin.push_back(tree_.table_begin.back() + TableSize(leaf.n_features));
      direct_.emplace_back(leaf.n_features);
    }
    tree_.tables.Reserve(ToSize(tree_.table_begin.back()));
    for (std::size_t leaf = 0; leaf < direct_.size(); ++leaf) {
      if (TableSize(tree_.program.leaves[leaf].n_features) == 0) continue;
      std::fill_n(Table(leaf), std::size_t{1} << tree_.program.leaves[leaf].n_features, 0.0);
    }
  }

  void Add(CategoryConditionsView const& categories, KeyTiles const& background) {
    for (std::int64_t tile = 0; tile < background.NumTiles(); ++tile) {
      auto const n_rows = background.RowsOf(tile);
      walk_.Run(
          tree_.program, categories, background, tile, [&](std::uint32_t leaf) { AddTile(leaf, n_rows); },
          [](std::uint32_t, std::uint32_t) {});
    }
  }

  double* Table(std::size_t leaf) { return tree_.tables.Data() + tree_.table_begin[leaf]; }
  DirectLeafBuilder* Direct(std::size_t leaf) { return &direct_[leaf]; }

 private:
  void AddTile(std::uint32_t number, std::int64_t n_rows) {
    auto const& leaf = tree_.program.leaves[number];
    auto const form = FormOf(leaf.n_features);
    if (form == LeafForm::kConstant) return;
    if (form == LeafForm::kPairs) {
      walk_.Planes(tree_.program, leaf, &planes_);
      return direct_[number].Add(planes_, n_rows);
    }
    auto const* patterns = walk_.Plane(tree_.program, leaf, 0);
    for (std::int64_t row = 0; row < n_rows; ++row) Table(number)[patterns[row]] += 1.0;
  }

  BackgroundTree& tree_;
  PatternWalk walk_;
  std::vector<DirectLeafBuilder> direct_;  ///< by leaf
  std::vector<std::uint32_t const*> planes_;
};

/// Returns the weight of the rows that reach the leaf.
double ReachingWeight(DirectLeaf const& leaf) {
  return !leaf.n_missed.empty() && leaf.n_missed.front() == 0 ? leaf.weight.front() : 0.0;
}

/// Replaces the counts in a leaf's table by the table. For one thread.
class TableMaker {
 public:
  explicit TableMaker(std::vector<LeafRule> const& rules) : rules_(rules) {}

  /// Makes the table and returns the leaf's mean over the background. value: contribution of one background row that
  /// reaches the leaf.
  double Make(PathLeaf const& leaf, double value, double* table) {
    auto const n_patterns = std::size_t{1} << leaf.n_features;
    auto const& rule = rules_[leaf.n_features];
    background_.assign(table, table + n_patterns);
    for (auto& weight : background_) weight *= value;
    scratch_.resize(std::max(scratch_.size(), n_patterns * ToSize(rule.n_points)));
    auto const with_values = FormOf(leaf.n_features) == LeafForm::kValues;
    parts_.resize(std::max(parts_.size(), with_values ? 2 * n_patterns : 0));
    MakeLeafTable({rule, background_.data(), scratch_.data(), with_values ? parts_.data() : table,
                   with_values ? table : nullptr});
    return background_.back();
  }

 private:
  std::vector<LeafRule> const& rules_;
  std::vector<double> background_;
  std::vector<double> scratch_;
  std::vector<double> parts_;
};

}  // namespace

std::int64_t MostTableBytes(Forest const& forest, std::int64_t tree) {
  auto const n_nodes = forest.tree_begin[tree + 1] - forest.tree_begin[tree];
  auto const longest = std::min<std::int64_t>({forest.tree_depth[tree], forest.NumSlots(), kMostPartFeatures});
  return (n_nodes + 1) / 2 * TableSize(static_cast<std::uint32_t>(longest)) * 8;
}

BackgroundCompiler::BackgroundCompiler(KeyTiles const& background) : background_(background), rules_(1) {
  for (std::uint32_t n = 1; n <= kMostPartFeatures; ++n) rules_.push_back(MakeLeafRule(n));
}

void BackgroundCompiler::Compile(PathProgram program, CategoryConditionsView const& categories,
                                 BackgroundTree* tree) const {
  tree->program = std::move(program);
  tree->mean = 0.0;
  tree->direct.assign(tree->program.leaves.size(), {});
  Collector collector(tree);
  collector.Add(categories, background_);
  TableMaker maker(rules_);
  for (std::size_t number = 0; number < tree->program.leaves.size(); ++number) {
    auto const& leaf = tree->program.leaves[number];
    auto const value = static_cast<double>(leaf.value) / static_cast<double>(background_.NumRows());
    switch (FormOf(leaf.n_features)) {
      case LeafForm::kConstant:
        tree->mean += static_cast<double>(leaf.value);
        break;
      case LeafForm::kPairs:
        tree->direct[number] = collector.Direct(number)->Finish(value);
        tree->mean += ReachingWeight(tree->direct[number]);
        break;
      default:
        tree->mean += maker.Make(leaf, value, collector.Table(number));
    }
  }
}

}  // namespace kauri
