#include "predictor/shap/shap_quadrature.h"

#include <algorithm>
#include <vector>

#include "common/parallel_for.h"
#include "predictor/shap/quadrature_sums.h"

namespace kauri {
namespace {

constexpr std::int64_t kLanes = QuadratureSums::kLanes;

/// out: of the block's first row and this output; rows are `stride` apart. The bias is written by the caller.
void WriteVectors(Forest const& forest, QuadratureSums const& sums, float* out, std::int64_t stride) {
  for (std::int64_t row = 0; row < sums.NumRows(); ++row, out += stride) {
    auto const* phi = sums.Phi(row / kLanes) + row % kLanes;
    std::fill(out, out + forest.n_features, 0.0F);
    for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
      out[forest.feature_of_slot[slot]] = static_cast<float>(phi[slot * kLanes]);
    }
  }
}

/// As WriteVectors, a matrix per row. The sums of the features go to the diagonal.
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

/// width: floats of an output, the last of which is the bias. write(sums, output, out) sets the others.
template <typename Write>
void ForEachBlock(Context const& ctx, ContributionTask const& task, QuadratureGoal goal, std::int64_t width,
                  Span<float> out, Write&& write) {
  auto const compiled = PrepareQuadrature(ctx, task, goal);
  auto const expected = ExpectedSums(task, *compiled.forest);
  auto const n_outputs = task.forest.n_outputs;
  auto const block_rows = QuadratureBlockRows(task, *compiled.forest, goal.with_pairs);
  ParallelForBlocks(ctx, task.rows.NumRows(), block_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    QuadratureSums sums(task, compiled, begin, end);
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      sums.AddTrees(output, goal.with_pairs);
      if (goal.with_pairs && goal.semivalue == Semivalue::kShapley) sums.SubtractPairs(output);
      write(*compiled.forest, sums, output, out.data() + (begin * n_outputs + output) * width);
      for (auto row = begin; row < end; ++row) {
        out[(row * n_outputs + output + 1) * width - 1] =
            static_cast<float>(expected[output] + StartOf(task, row, output));
      }
    }
  });
}

void ComputeVectors(Context const& ctx, ContributionTask const& task, Semivalue semivalue, Span<float> out) {
  auto const width = task.forest.n_features + 1;
  ForEachBlock(ctx, task, {semivalue, false}, width, out,
               [&](QuadratureForest const&, QuadratureSums const& sums, std::int64_t, float* first) {
                 WriteVectors(task.forest, sums, first, task.forest.n_outputs * width);
               });
}

void ComputeMatrices(Context const& ctx, ContributionTask const& task, Semivalue semivalue, Span<float> out) {
  auto const width = (task.forest.n_features + 1) * (task.forest.n_features + 1);
  ForEachBlock(ctx, task, {semivalue, true}, width, out,
               [&](QuadratureForest const& compiled, QuadratureSums const& sums, std::int64_t output, float* first) {
                 WriteMatrices(task.forest, compiled.pairs[output], sums, first, task.forest.n_outputs * width);
               });
}

}  // namespace

void QuadratureContributions(Context const& ctx, ContributionTask const& task, Span<float> out) {
  ComputeVectors(ctx, task, Semivalue::kShapley, out);
}

void QuadratureInteractions(Context const& ctx, ContributionTask const& task, Span<float> out) {
  ComputeMatrices(ctx, task, Semivalue::kShapley, out);
}

void QuadratureBanzhaf(Context const& ctx, ContributionTask const& task, Span<float> out) {
  ComputeVectors(ctx, task, Semivalue::kBanzhaf, out);
}

void QuadratureTaylor(Context const& ctx, ContributionTask const& task, Span<float> out) {
  ComputeMatrices(ctx, task, Semivalue::kTaylorPairs, out);
}

}  // namespace kauri
