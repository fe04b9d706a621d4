#include "predictor/interventional/background_batch.h"

#include <algorithm>
#include <utility>

#include "common/threads/parallel_for.h"

namespace kauri {
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
