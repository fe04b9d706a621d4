#include "predictor/shap/contributions.h"

#include <algorithm>
#include <vector>

#include "common/memory_size.h"
#include "common/threads/openmp_for.h"
#include "common/threads/parallel_for.h"
#include "predictor/forest/cover.h"
#include "predictor/forest/walk.h"
#include "predictor/shap/shap_recursive.h"

namespace kauri {
namespace {

/// Rows per block: enough to share scratch memory, few enough to keep all threads busy.
constexpr std::int64_t kRowsPerBlock = 16;

/// The results of one row and output; features are numbered as in the data.
class OutputRow {
 public:
  OutputRow(Forest const& forest, float* out) : forest_(forest), out_(out) {}

  void WriteVector(double const* phi, double bias) const {
    std::fill(out_, out_ + Width(), 0.0F);
    for (std::int64_t slot = 0; slot < forest_.NumSlots(); ++slot) out_[Feature(slot)] = static_cast<float>(phi[slot]);
    out_[forest_.n_features] = static_cast<float>(bias);
  }

  /// Writes a matrix. pairs: [n_slots, n_slots], the upper triangle; nullptr: no interactions.
  void WriteMatrix(double const* phi, double const* pairs, double bias) const {
    std::fill(out_, out_ + Width() * Width(), 0.0F);
    auto const n_slots = forest_.NumSlots();
    std::vector<double> main_effects(phi, phi + n_slots);
    for (std::int64_t a = 0; pairs != nullptr && a < n_slots; ++a) {
      for (auto b = a + 1; b < n_slots; ++b) {
        auto const value = pairs[a * n_slots + b];
        main_effects[a] -= value;
        main_effects[b] -= value;
        *Cell(a, b) = *Cell(b, a) = static_cast<float>(value);
      }
    }
    for (std::int64_t a = 0; a < n_slots; ++a) *Cell(a, a) = static_cast<float>(main_effects[a]);
    out_[Width() * Width() - 1] = static_cast<float>(bias);
  }

 private:
  std::int64_t Width() const { return forest_.n_features + 1; }
  std::int64_t Feature(std::int64_t slot) const { return forest_.feature_of_slot[slot]; }
  float* Cell(std::int64_t a, std::int64_t b) const { return out_ + Feature(a) * Width() + Feature(b); }

  Forest const& forest_;
  float* out_;
};

/// The results of all rows.
struct OutputTable {
  Span<float> values;  ///< [n_rows, n_outputs, width]
  std::int64_t width;
};

/// Lists the trees of each output, in order.
std::vector<std::vector<std::int64_t>> TreesByOutput(ForestTask const& task) {
  std::vector<std::vector<std::int64_t>> trees(task.forest.n_outputs);
  for (auto tree = task.trees.begin; tree < task.trees.end; ++tree) {
    trees[task.forest.output_of_tree[tree]].push_back(tree);
  }
  return trees;
}

/// The threads of a loop over rows: OpenMP's for TreeShap, the baseline of the papers, the library's own for the rest.
enum class RowThreads { kOpenMp, kOwn };

template <RowThreads kThreads, typename Fn>
void ForBlocksOfRows(Context const& ctx, std::int64_t n_rows, Fn&& fn) {
  if constexpr (kThreads == RowThreads::kOpenMp) {
    OpenMpForBlocks(ctx, n_rows, kRowsPerBlock, fn);
  } else {
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, fn);
  }
}

/// Calls make_scratch() once per block of rows, add(scratch, tree, keys) for each tree of an output, and write(scratch,
/// row of the output, bias) after all trees. `write` must also clear the scratch memory.
template <RowThreads kThreads, typename MakeScratch, typename AddTree, typename Write>
void ForEachRow(Context const& ctx, ForestTask const& task, OutputTable const& out, MakeScratch&& make_scratch,
                AddTree&& add, Write&& write) {
  auto const& forest = task.forest;
  auto const expected = ExpectedMargins(forest, task.trees);
  auto const trees = TreesByOutput(task);
  ForBlocksOfRows<kThreads>(ctx, task.rows.NumRows(), [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto scratch = make_scratch();
    std::vector<std::int32_t> keys(SizeInMemory((end - begin) * forest.NumSlots()));
    ReadKeys(forest, task.rows, begin, end, 1, keys.data());
    for (auto row = begin; row < end; ++row) {
      auto const* row_keys = keys.data() + (row - begin) * forest.NumSlots();
      for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
        for (auto tree : trees[output]) add(&scratch, tree, row_keys);
        OutputRow const target(forest, out.values.data() + (row * forest.n_outputs + output) * out.width);
        write(&scratch, target, expected[output] + task.StartOf(row, output));
      }
    }
  });
}

struct ShapScratch {
  TreeShap shap;
  std::vector<double> phi;    ///< [n_slots]
  std::vector<double> pairs;  ///< [n_slots, n_slots], or empty

  void Clear() {
    std::fill(phi.begin(), phi.end(), 0.0);
    std::fill(pairs.begin(), pairs.end(), 0.0);
  }
};

/// Returns the expected values of all nodes of the trees, from which Saabas' method takes differences.
std::vector<std::vector<double>> MeansOfTrees(Context const& ctx, ForestTask const& task) {
  std::vector<std::vector<double>> means(task.trees.end - task.trees.begin);
  ParallelFor(ctx, task.trees.end - task.trees.begin,
              [&](std::int64_t t) { means[t] = NodeMeans(task.forest, task.trees.begin + t); });
  return means;
}

void AddSaabas(Forest const& forest, std::int64_t tree, std::vector<double> const& means, std::int32_t const* keys,
               double* phi) {
  std::uint32_t node = 0;
  while (!forest.IsLeaf(tree, node)) {
    auto const split = forest.Node(tree, node);
    auto const child = split.left + (GoesRight(split, keys[split.slot], forest.categories) ? 1U : 0U);
    phi[split.slot] += means[child] - means[node];
    node = child;
  }
}

/// Calls write(phi, row of the output, bias) for each row and output.
template <typename Write>
void ForEachSaabasRow(Context const& ctx, ForestTask const& task, OutputTable const& out, Write&& write) {
  auto const means = MeansOfTrees(ctx, task);
  ForEachRow<RowThreads::kOwn>(
      ctx, task, out, [&] { return std::vector<double>(task.forest.NumSlots(), 0.0); },
      [&](std::vector<double>* phi, std::int64_t tree, std::int32_t const* keys) {
        AddSaabas(task.forest, tree, means[tree - task.trees.begin], keys, phi->data());
      },
      [&](std::vector<double>* phi, OutputRow const& target, double bias) {
        write(phi->data(), target, bias);
        std::fill(phi->begin(), phi->end(), 0.0);
      });
}

}  // namespace

void TreeShapContributions(Context const& ctx, ForestTask const& task, Span<float> out) {
  auto const n_slots = ToSize(task.forest.NumSlots());
  ForEachRow<RowThreads::kOpenMp>(
      ctx, task, {out, task.forest.n_features + 1},
      [&] {
        return ShapScratch{TreeShap(task.forest), std::vector<double>(n_slots), {}};
      },
      [](ShapScratch* scratch, std::int64_t tree, std::int32_t const* keys) {
        scratch->shap.AddContributions(tree, keys, scratch->phi.data());
      },
      [](ShapScratch* scratch, OutputRow const& target, double bias) {
        target.WriteVector(scratch->phi.data(), bias);
        scratch->Clear();
      });
}

void TreeShapInteractions(Context const& ctx, ForestTask const& task, Span<float> out) {
  auto const n_slots = ToSize(task.forest.NumSlots());
  auto const width = task.forest.n_features + 1;
  ForEachRow<RowThreads::kOpenMp>(
      ctx, task, {out, width * width},
      [&] {
        return ShapScratch{TreeShap(task.forest), std::vector<double>(n_slots), std::vector<double>(n_slots * n_slots)};
      },
      [](ShapScratch* scratch, std::int64_t tree, std::int32_t const* keys) {
        scratch->shap.AddInteractions(tree, keys, scratch->phi.data(), scratch->pairs.data());
      },
      [](ShapScratch* scratch, OutputRow const& target, double bias) {
        target.WriteMatrix(scratch->phi.data(), scratch->pairs.data(), bias);
        scratch->Clear();
      });
}

void ApproxContributions(Context const& ctx, ForestTask const& task, Span<float> out) {
  ForEachSaabasRow(ctx, task, {out, task.forest.n_features + 1},
                   [](double const* phi, OutputRow const& target, double bias) { target.WriteVector(phi, bias); });
}

void ApproxInteractions(Context const& ctx, ForestTask const& task, Span<float> out) {
  auto const width = task.forest.n_features + 1;
  ForEachSaabasRow(ctx, task, {out, width * width}, [](double const* phi, OutputRow const& target, double bias) {
    target.WriteMatrix(phi, nullptr, bias);
  });
}

}  // namespace kauri
