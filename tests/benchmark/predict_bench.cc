/// \file Measures the time of margins, leaves and contributions on random complete trees and dense rows.
///
///   predict_bench [rows 200000] [columns 28] [trees 500] [depth 6] [threads 2] [repeats 5]
///
/// Margins are timed on each path (margins.h). The paths take turns, so that noise affects all equally; the minimum
/// time counts. Paths that do not agree bit for bit, or contributions that do not add up to margins, fail.
///
/// Lower bound of margins per row and tree: a traversal takes `depth` dependent steps of about ten instructions; the
/// top levels of the tree (crown) take 2^depth / 64 comparisons of 64 rows; both read nodes in the L2 cache. The rows
/// cost 4 bytes per cell once.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "common/random/random.h"
#include "predictor/margins/margins.h"
#include "predictor/shap/contributions.h"

namespace kauri {
namespace {

struct Options {
  std::int64_t rows = 200000;
  std::int64_t cols = 28;
  std::int64_t trees = 500;
  int depth = 6;
  int threads = 2;
  int repeats = 5;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  if (argc > 1) options.rows = std::atoll(argv[1]);
  if (argc > 2) options.cols = std::atoll(argv[2]);
  if (argc > 3) options.trees = std::atoll(argv[3]);
  if (argc > 4) options.depth = std::atoi(argv[4]);
  if (argc > 5) options.threads = std::atoi(argv[5]);
  if (argc > 6) options.repeats = std::atoi(argv[6]);
  return options;
}

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double LeastSeconds(int repeats, std::function<void()> const& run) {
  auto least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    auto const start = Seconds();
    run();
    least = std::min(least, Seconds() - start);
  }
  return least;
}

/// The first rows of a dense array.
class Rows : public DataView {
 public:
  Rows(std::vector<float> const& values, std::int64_t n_rows, std::int64_t n_cols)
      : values_(values), n_rows_(n_rows), n_cols_(n_cols) {}
  std::int64_t NumRows() const override { return n_rows_; }
  std::int64_t NumCols() const override { return n_cols_; }
  float const* DenseRows() const override { return values_.data(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    for (auto row = begin; row < end; ++row, tile += n_cols) std::copy_n(values_.data() + row * n_cols_, n_cols, tile);
  }

 private:
  std::vector<float> const& values_;
  std::int64_t n_rows_;
  std::int64_t n_cols_;
};

/// Makes a random complete tree. Thresholds are multiples of 1/256, as a histogram method with 256 bins would choose
/// them on uniform columns.
Tree MakeTree(Options const& options, std::uint64_t key) {
  Tree tree;
  std::uint64_t counter = 0;
  auto const n_splits = (std::int32_t{1} << options.depth) - 1;
  tree.SetNodeStatistics(0, 0.0F, 1.0F);
  for (std::int32_t node = 0; node < n_splits; ++node) {
    auto const feature = RandomBelow(key, counter++, static_cast<std::uint32_t>(options.cols));
    auto const threshold = static_cast<float>(1 + RandomBelow(key, counter++, 255)) / 256.0F;
    tree.ExpandNode(node, {feature, threshold, true, 0.0F});
    auto const cover = tree.sum_hessian[static_cast<std::size_t>(node)];
    tree.SetNodeStatistics(2 * node + 1, 0.0F, cover * threshold);
    tree.SetNodeStatistics(2 * node + 2, 0.0F, cover * (1.0F - threshold));
  }
  for (auto node = n_splits; node < tree.NumNodes(); ++node) {
    tree.SetLeafValue(node, static_cast<float>(RandomUniform(key, counter++)) - 0.5F);
  }
  return tree;
}

Model MakeModel(Options const& options) {
  Model model;
  model.n_features = options.cols;
  for (std::int64_t t = 0; t < options.trees; ++t) {
    model.trees.push_back(MakeTree(options, MixBits(static_cast<std::uint64_t>(t))));
    model.output_of_tree.push_back(0);
  }
  return model;
}

struct Case {
  Options options;
  Forest forest;
  TreeTops tree_tops;
  std::vector<float> values;
  std::vector<float> start{0.5F};

  ForestTask TaskOn(DataView const& rows) const { return {forest, rows, {0, options.trees}, {start, {}}}; }
  Rows FirstRows(std::int64_t n_rows) const { return {values, n_rows, options.cols}; }
};

Case MakeCase(Context const& ctx, Options const& options) {
  auto const model = MakeModel(options);
  auto forest = CompileForest(ctx, model, {0, options.trees});
  auto tree_tops = BuildTreeTops(forest);
  Case result{options, std::move(forest), std::move(tree_tops), {}};
  result.values.resize(static_cast<std::size_t>(options.rows * options.cols));
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] = static_cast<float>(RandomUniform(7, i));
  return result;
}

/// Returns the margins; sets `agree` to false if a path gives different ones.
std::vector<float> TimeMargins(Context const& ctx, Case const& test, bool* agree) {
  constexpr char const* kNames[] = {"rows", "tiles", "crown"};
  constexpr MarginPath kPaths[] = {MarginPath::kRows, MarginPath::kTiles, MarginPath::kTreeTops};
  auto const rows = test.FirstRows(test.options.rows);
  std::vector<float> margins[3];
  double least[3] = {1e30, 1e30, 1e30};
  for (int repeat = 0; repeat < test.options.repeats; ++repeat) {
    for (int path = 0; path < 3; ++path) {
      margins[path].resize(static_cast<std::size_t>(test.options.rows));
      least[path] = std::min(least[path], LeastSeconds(1, [&] {
                               PredictMargins(ctx, test.TaskOn(rows), test.tree_tops, kPaths[path], margins[path]);
                             }));
    }
  }
  auto const visits = static_cast<double>(test.options.rows) * static_cast<double>(test.options.trees);
  for (int path = 0; path < 3; ++path) {
    std::printf("margins by %-6s %9.2f ms  %6.2f ns per row, tree and thread\n", kNames[path], least[path] * 1e3,
                least[path] * 1e9 * test.options.threads / visits);
    *agree = *agree && margins[path] == margins[0];
  }
  return margins[0];
}

void TimeOneRow(Case const& test) {
  constexpr int kCalls = 1000;
  auto const rows = test.FirstRows(1);
  float margin = 0.0F;
  auto const seconds = LeastSeconds(test.options.repeats, [&] {
    for (int call = 0; call < kCalls; ++call) {
      PredictMargins({}, test.TaskOn(rows), test.tree_tops, MarginPath::kAuto, {&margin, 1});
    }
  });
  std::printf("one row          %9.2f us\n", seconds / kCalls * 1e6);
}

/// Times contributions on few rows: an explanation costs as much as thousands of margins.
bool TimeContributions(Context const& ctx, Case const& test, std::vector<float> const& margins) {
  auto const n_rows = std::min<std::int64_t>(test.options.rows, 64);
  auto const width = static_cast<std::size_t>(test.options.cols) + 1;
  auto const rows = test.FirstRows(n_rows);
  auto const task = test.TaskOn(rows);
  std::vector<float> phi(static_cast<std::size_t>(n_rows) * width);
  std::vector<float> pairs(phi.size() * width);
  auto const phi_seconds = LeastSeconds(test.options.repeats, [&] { TreeShapContributions(ctx, task, phi); });
  auto const pair_seconds = LeastSeconds(1, [&] { TreeShapInteractions(ctx, task, pairs); });
  auto const leaves = static_cast<double>(n_rows * test.options.trees) * std::ldexp(1.0, test.options.depth);
  auto const per_leaf = 1e9 * test.options.threads / leaves;
  std::printf("contributions    %9.2f ms for %lld rows  %6.1f ns per row, leaf and thread\n", phi_seconds * 1e3,
              static_cast<long long>(n_rows), phi_seconds * per_leaf);
  std::printf("interactions     %9.2f ms for %lld rows  %6.1f ns per row, leaf and thread\n", pair_seconds * 1e3,
              static_cast<long long>(n_rows), pair_seconds * per_leaf);
  auto const tolerance = 1e-6 * static_cast<double>(test.options.trees);
  for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
    auto const* first = phi.data() + row * width;
    if (!(std::abs(std::accumulate(first, first + width, 0.0) - margins[row]) < tolerance)) return false;
  }
  return true;
}

int Run(Options const& options) {
  Context ctx;
  ctx.threads = options.threads;
  auto const test = MakeCase(ctx, options);
  auto agree = true;
  auto const margins = TimeMargins(ctx, test, &agree);
  TimeOneRow(test);
  agree = TimeContributions(ctx, test, margins) && agree;
  if (!agree) std::printf("WRONG: results do not agree\n");
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace kauri

int main(int argc, char** argv) { return kauri::Run(kauri::ParseOptions(argc, argv)); }
