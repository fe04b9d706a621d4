#include "predictor/interventional/background_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/threads/parallel_for.h"
#include "predictor/interventional/path_program.h"

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
      std::fill_n(Table(leaf), std::size_t{1} << tree_.program.leaves[leaf].n_features, 0);
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

  std::int64_t* Table(std::size_t leaf) { return tree_.tables.Data() + tree_.table_begin[leaf]; }
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
    for (std::int64_t row = 0; row < n_rows; ++row) ++Table(number)[patterns[row]];
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

void ReservePairTables(PairLayout layout, BackgroundTree* tree) {
  tree->pair_begin.assign(1, 0);
  for (auto const& leaf : tree->program.leaves) {
    tree->pair_begin.push_back(tree->pair_begin.back() + PairTableSize(leaf.n_features, layout));
  }
  tree->pair_tables.Reserve(ToSize(tree->pair_begin.back()));
}

/// Replaces the counts in a leaf's table by the table. For one thread.
class TableMaker {
 public:
  TableMaker(std::vector<LeafRule> const& rules, double scale, PairLayout layout)
      : rules_(rules), scale_(scale), layout_(layout) {}

  /// Makes the tables and returns the leaf's mean over the background. value: contribution of one background row that
  /// reaches the leaf. pairs: the table of pairs, or nullptr.
  double Make(PathLeaf const& leaf, double value, std::int64_t* table, std::int64_t* pairs) {
    auto const n_patterns = std::size_t{1} << leaf.n_features;
    auto const& rule = rules_[leaf.n_features];
    background_.resize(n_patterns);
    for (std::size_t x = 0; x < n_patterns; ++x) background_[x] = static_cast<double>(table[x]) * value;
    scratch_.resize(std::max(scratch_.size(), n_patterns * ToSize(rule.n_points)));
    parts_.resize(std::max(parts_.size(), 5 * n_patterns));
    MakeLeafTable({rule, background_.data(), FormOf(leaf.n_features), scale_, scratch_.data(), parts_.data(), table,
                   pairs, layout_});
    return background_.back();
  }

 private:
  std::vector<LeafRule> const& rules_;
  double scale_;
  PairLayout layout_;
  std::vector<double> background_;
  std::vector<double> scratch_;
  std::vector<double> parts_;
};

}  // namespace

/// The bound of a tree is that of its pairs: the effect of two features on each other is a mean of sums and differences
/// of four leaves, and a cell holds half of it.
std::vector<double> OutputRanges(Forest const& forest, TreeRange trees) {
  std::vector<double> ranges(ToSize(forest.n_outputs), 0.0);
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    ranges[forest.output_of_tree[tree]] += 2.0 * static_cast<double>(forest.LargestLeaf(tree));
  }
  for (auto& range : ranges) {
    int exponent = 0;
    std::frexp(range, &exponent);  // range < 2^exponent
    range = std::ldexp(1.0, exponent);
  }
  return ranges;
}

void DivideLeaves(double range, PathProgram* program) {
  for (auto& leaf : program->leaves) leaf.value /= range;
}

std::int64_t MostTableBytes(Forest const& forest, std::int64_t tree, QuadratureGoal goal, PairLayout layout) {
  auto const n_nodes = forest.tree_begin[tree + 1] - forest.tree_begin[tree];
  auto const longest = std::min<std::int64_t>({forest.tree_depth[tree], forest.NumSlots(), kMostPartFeatures});
  auto const n_features = static_cast<std::uint32_t>(longest);
  return (n_nodes + 1) / 2 * (TableSize(n_features) + (goal.with_pairs ? PairTableSize(n_features, layout) : 0)) * 8;
}

BackgroundCompiler::BackgroundCompiler(KeyTiles const& background, QuadratureGoal goal, double scale, PairLayout layout)
    : background_(background), with_pairs_(goal.with_pairs), scale_(scale), layout_(layout), rules_(1) {
  for (std::uint32_t n = 1; n <= kMostPartFeatures; ++n) rules_.push_back(MakeLeafRule(n, goal.semivalue));
}

void BackgroundCompiler::Compile(PathProgram program, CategoryConditionsView const& categories,
                                 BackgroundTree* tree) const {
  tree->program = std::move(program);
  tree->mean = 0.0;
  tree->direct.assign(tree->program.leaves.size(), {});
  Collector collector(tree);
  collector.Add(categories, background_);
  if (with_pairs_) ReservePairTables(layout_, tree);
  TableMaker maker(rules_, scale_, layout_);
  for (std::size_t number = 0; number < tree->program.leaves.size(); ++number) {
    auto const& leaf = tree->program.leaves[number];
    auto const value = leaf.value / static_cast<double>(background_.NumRows());
    switch (FormOf(leaf.n_features)) {
      case LeafForm::kConstant:
        tree->mean += leaf.value;
        break;
      case LeafForm::kPairs:
        tree->direct[number] = collector.Direct(number)->Finish(value);
        tree->mean += ReachingWeight(tree->direct[number]);
        break;
      default:
        tree->mean += maker.Make(leaf, value, collector.Table(number),
                                 with_pairs_ && leaf.n_features > 1 ? tree->PairTable(number) : nullptr);
    }
  }
}

namespace {

/// Trees per batch: enough for all threads, but few enough for the tables to stay in cache, or at least within this
/// bound.
constexpr std::int64_t kTreesPerThread = 2;
constexpr std::int64_t kTableBytesPerThread = std::int64_t{256} << 20;

/// Returns the first of `trees`, at least one.
TreeRange FirstTrees(Context const& ctx, Forest const& forest, TreeRange trees, QuadratureGoal goal,
                     PairLayout layout) {
  auto const n_threads = std::max(1, ctx.threads);
  auto bytes = kTableBytesPerThread * n_threads;
  auto end = trees.begin;
  while (end < std::min(trees.end, trees.begin + kTreesPerThread * n_threads)) {
    bytes -= MostTableBytes(forest, end, goal, layout);
    if (bytes < 0 && end > trees.begin) break;
    ++end;
  }
  return {trees.begin, end};
}

}  // namespace

void CheckBackground(DataView const& background) {
  if (background.NumRows() > 0) return;
  Fail(ErrorKind::kData,
       "the background has 0 rows, so nothing can take the place of a missing feature; give at least ", "one row.");
}

BackgroundBatches::BackgroundBatches(Forest const& forest, KeyTiles const& background, TreeRange trees,
                                     QuadratureGoal goal, PairLayout layout)
    : forest_(forest),
      goal_(goal),
      layout_(layout),
      ranges_(OutputRanges(forest, trees)),
      compiler_(background, goal, kUnitsOfOne, layout),
      categories_(forest.categories),
      rest_(trees),
      trees_{trees.begin, trees.begin},
      weights_(0),
      means_(ToSize(forest.n_outputs), 0.0) {}

bool BackgroundBatches::Next(Context const& ctx) {
  trees_ = FirstTrees(ctx, forest_, rest_, goal_, layout_);
  rest_.begin = trees_.end;
  if (trees_.begin == trees_.end) return false;
  auto programs = CompilePaths(ctx, forest_, trees_, &categories_);
  std::uint32_t longest = 0;
  for (auto const& program : programs) longest = std::max(longest, program.most_features);
  weights_ = ShapleyWeights(longest > kMostPartFeatures ? longest : 0, goal_.semivalue);
  compiled_.resize(std::max(compiled_.size(), programs.size()));
  auto const categories = Categories();
  ParallelFor(ctx, trees_.end - trees_.begin, [&](std::int64_t t) {
    DivideLeaves(ranges_[forest_.output_of_tree[trees_.begin + t]], &programs[t]);
    compiler_.Compile(std::move(programs[t]), categories, &compiled_[t]);
  });
  for (auto tree = trees_.begin; tree < trees_.end; ++tree) {
    means_[forest_.output_of_tree[tree]] += Tree(tree).mean;
  }
  return true;
}

}  // namespace kauri
