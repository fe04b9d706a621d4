#include "predictor/shap/shap_quadrature.h"

#include <algorithm>
#include <vector>

#include "common/threads/parallel_for.h"
#include "predictor/shap/quadrature_sums.h"

namespace kauri {
namespace {

constexpr std::int64_t kLanes = QuadratureSums::kLanes;

/// Writes the sums of features; the caller writes the bias. out: row of the block's first row and this output; rows are
/// `stride` apart.
void WriteVectors(Forest const& forest, QuadratureSums const& sums, float* out, std::int64_t stride) {
  for (std::int64_t row = 0; row < sums.NumRows(); ++row, out += stride) {
    auto const* phi = sums.Phi(row / kLanes) + row % kLanes;
    std::fill(out, out + forest.n_features, 0.0F);
    for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
      out[forest.feature_of_slot[slot]] = static_cast<float>(phi[slot * kLanes]);
    }
  }
}

/// Writes a matrix per row, otherwise like WriteVectors. The sums of the features go to the diagonal.
void WriteMatrices(Forest const& forest, std::vector<SlotPair> const& pairs, QuadratureSums const& sums, float* out,
                   std::int64_t stride) {
  auto const width = forest.n_features + 1;
  for (std::int64_t row = 0; row < sums.NumRows(); ++row, out += stride) {
    std::fill(out, out + width * width, 0.0F);
    auto const* value = sums.Pairs(row / kLanes) + row % kLanes;
    for (auto const& pair : pairs) {
      auto const a = forest.feature_of_slot[pair.first];
      auto const b = forest.feature_of_slot[pair.second];
      out[a * width + b] = out[b * width + a] = static_cast<float>(*value);
      value += kLanes;
    }
    auto const* phi = sums.Phi(row / kLanes) + row % kLanes;
    for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
      out[forest.feature_of_slot[slot] * (width + 1)] = static_cast<float>(phi[slot * kLanes]);
    }
  }
}

}  // namespace

void QuadratureValues(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy, QuadratureGoal goal,
                      Span<float> out) {
  auto const& forest = task.forest;
  auto const n_columns = forest.n_features + 1;
  // Floats per output; the last one is the bias.
  auto const width = goal.with_pairs ? n_columns * n_columns : n_columns;
  auto const compiled = PrepareQuadrature(ctx, task, lazy, goal);
  auto const expected = ExpectedSums(task, *compiled.forest);
  auto const block_rows = QuadratureBlockRows(task, *compiled.forest, goal.with_pairs);
  ParallelForBlocks(ctx, task.rows.NumRows(), block_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    QuadratureSums sums(task, compiled, begin, end);
    for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
      sums.AddTrees(output, goal.with_pairs);
      auto* const first = out.data() + (begin * forest.n_outputs + output) * width;
      if (goal.with_pairs) {
        if (goal.semivalue == Semivalue::kShapley) sums.SubtractPairs(output);
        WriteMatrices(forest, compiled.forest->pairs[output], sums, first, forest.n_outputs * width);
      } else {
        WriteVectors(forest, sums, first, forest.n_outputs * width);
      }
      for (auto row = begin; row < end; ++row) {
        out[(row * forest.n_outputs + output + 1) * width - 1] =
            static_cast<float>(expected[output] + task.StartOf(row, output));
      }
    }
  });
}

}  // namespace kauri
