#include "predictor/interventional/background_tree.h"

#include <hwy/base.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/threads/parallel_for.h"
#include "predictor/interventional/path_program.h"

namespace kauri {
namespace {

/// Returns the bits of the plane that represent features.
std::uint32_t MaskOfPlane(std::uint32_t n_features, std::size_t plane) {
  auto const left = n_features - static_cast<std::uint32_t>(plane) * kPlaneBits;
  return left >= kPlaneBits ? ~0U : (1U << left) - 1U;
}

std::uint32_t CountBits(std::uint32_t const* planes, std::size_t n_planes) {
  std::size_t n_bits = 0;
  for (std::size_t plane = 0; plane < n_planes; ++plane) n_bits += hwy::PopCount(planes[plane]);
  return static_cast<std::uint32_t>(n_bits);
}

bool Overlap(std::uint32_t const* a, std::uint32_t const* b, std::size_t n_planes) {
  std::uint32_t both = 0;
  for (std::size_t plane = 0; plane < n_planes; ++plane) both |= a[plane] & b[plane];
  return both != 0;
}

template <typename Fn>
void ForEachBit(std::uint32_t const* planes, std::size_t n_planes, Fn&& fn) {
  for (std::size_t plane = 0; plane < n_planes; ++plane) {
    for (auto bits = planes[plane]; bits != 0; bits &= bits - 1) {
      fn(plane * kPlaneBits + hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
    }
  }
}

/// Adds the contributions of one row. missed: the features that the row does not satisfy.
void AddRow(DirectLeaf const& leaf, std::uint32_t const* missed, std::size_t n_planes, ShapleyWeights const& weights,
            double* sums) {
  auto const b = CountBits(missed, n_planes);
  double of_missed = 0.0;
  auto const* pattern = leaf.missed.data();
  for (std::size_t p = 0; p < leaf.weight.size(); ++p, pattern += n_planes) {
    if (Overlap(missed, pattern, n_planes)) continue;
    auto const a = leaf.n_missed[p];
    if (b > 0) of_missed += leaf.weight[p] * weights.At(b, a);
    if (a == 0) continue;
    auto const value = leaf.weight[p] * weights.At(a, b);
    ForEachBit(pattern, n_planes, [&](std::size_t position) { sums[position] += value; });
  }
  ForEachBit(missed, n_planes, [&](std::size_t position) { sums[position] -= of_missed; });
}

}  // namespace

ShapleyWeights::ShapleyWeights(std::uint32_t most) : size_(std::size_t{most} + 1), weights_(size_ * size_, 0.0) {
  for (std::size_t k = 1; k < size_; ++k) {
    for (std::size_t l = 0; k + l < size_; ++l) {
      auto const n = static_cast<double>(k + l);
      auto const before = k == 1 ? 1.0 : weights_[(k - 1) * size_ + l] * static_cast<double>(k - 1);
      weights_[k * size_ + l] = before / n;
    }
  }
}

DirectLeafBuilder::DirectLeafBuilder(std::uint32_t n_features) { leaf_.n_features = n_features; }

void DirectLeafBuilder::Add(std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows) {
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      leaf_.missed.push_back(~planes[plane][row] & MaskOfPlane(leaf_.n_features, plane));
    }
  }
  count_.resize(count_.size() + ToSize(n_rows), 1);
  if (count_.size() < merge_at_) return;
  Merge();
  merge_at_ = 2 * count_.size();
}

void DirectLeafBuilder::Merge() {
  std::size_t const n_planes = NumPlanes(leaf_.n_features);
  auto const at = [&](std::size_t pattern) {
    return leaf_.missed.begin() + static_cast<std::ptrdiff_t>(pattern * n_planes);
  };
  std::vector<std::size_t> order(count_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(at(a), at(a + 1), at(b), at(b + 1));
  });
  std::vector<std::uint32_t> missed;
  std::vector<std::int64_t> count;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && std::equal(at(order[i]), at(order[i] + 1), at(order[i - 1]))) {
      count.back() += count_[order[i]];
    } else {
      missed.insert(missed.end(), at(order[i]), at(order[i] + 1));
      count.push_back(count_[order[i]]);
    }
  }
  leaf_.missed = std::move(missed);
  count_ = std::move(count);
}

DirectLeaf DirectLeafBuilder::Finish(double value) {
  Merge();
  std::size_t const n_planes = NumPlanes(leaf_.n_features);
  for (std::size_t p = 0; p < count_.size(); ++p) {
    leaf_.n_missed.push_back(CountBits(leaf_.missed.data() + p * n_planes, n_planes));
    leaf_.weight.push_back(static_cast<double>(count_[p]) * value);
  }
  return std::move(leaf_);
}

void AddDirect(DirectLeaf const& leaf, std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows,
               ShapleyWeights const& weights, double* sums, std::int64_t stride) {
  std::vector<std::uint32_t> missed(planes.size());
  for (std::int64_t row = 0; row < n_rows; ++row, sums += stride) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      missed[plane] = ~planes[plane][row] & MaskOfPlane(leaf.n_features, plane);
    }
    AddRow(leaf, missed.data(), planes.size(), weights, sums);
  }
}

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

namespace {

/// Trees per batch: enough for all threads, but few enough for the tables to stay in cache, or at least within this
/// bound.
constexpr std::int64_t kTreesPerThread = 2;
constexpr std::int64_t kTableBytesPerThread = std::int64_t{256} << 20;

/// Returns the first of `trees`, at least one.
TreeRange FirstTrees(Context const& ctx, Forest const& forest, TreeRange trees) {
  auto const n_threads = std::max(1, ctx.threads);
  auto bytes = kTableBytesPerThread * n_threads;
  auto end = trees.begin;
  while (end < std::min(trees.end, trees.begin + kTreesPerThread * n_threads)) {
    bytes -= MostTableBytes(forest, end);
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

BackgroundBatches::BackgroundBatches(Forest const& forest, KeyTiles const& background, TreeRange trees)
    : forest_(forest),
      compiler_(background),
      categories_(forest.categories),
      rest_(trees),
      trees_{trees.begin, trees.begin},
      weights_(0),
      means_(ToSize(forest.n_outputs), 0.0) {}

bool BackgroundBatches::Next(Context const& ctx) {
  trees_ = FirstTrees(ctx, forest_, rest_);
  rest_.begin = trees_.end;
  if (trees_.begin == trees_.end) return false;
  auto programs = CompilePaths(ctx, forest_, trees_, &categories_);
  std::uint32_t longest = 0;
  for (auto const& program : programs) longest = std::max(longest, program.most_features);
  weights_ = ShapleyWeights(longest > kMostPartFeatures ? longest : 0);
  compiled_.resize(std::max(compiled_.size(), programs.size()));
  auto const categories = Categories();
  ParallelFor(ctx, trees_.end - trees_.begin,
              [&](std::int64_t t) { compiler_.Compile(std::move(programs[t]), categories, &compiled_[t]); });
  for (auto tree = trees_.begin; tree < trees_.end; ++tree) {
    means_[forest_.output_of_tree[tree]] += Tree(tree).mean;
  }
  return true;
}

}  // namespace kauri
