#include "objective/scaled_gradients.h"

#include <array>

#include "common/block_sum.h"
#include "common/lane_sum.h"
#include "common/parallel_for.h"
#include "objective/gradient_kernels.h"
#include "objective/gradient_sizes.h"

namespace kauri {
namespace {

/// One output of all rows.
struct Output {
  Span<float const> margins;  ///< [n_rows, n_outputs]
  MetaInfo const& info;
  std::int64_t index;
  std::int64_t n_outputs;

  float Margin(std::int64_t row) const { return margins[row * n_outputs + index]; }
  float Label(std::int64_t row) const { return info.labels[LabelOfOutput(row, index, info.n_targets)]; }
};

double ScaleOf(Context const& ctx, Output const& output) {
  auto const roots =
      SumBlocks<WeightedSum>(ctx, output.info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
        LaneSum<WeightedSum> block;
        for (auto row = begin; row < end; ++row) {
          block.Add(row - begin, RootOfResidual(output.Margin(row), output.Label(row), output.info.Weight(row)));
        }
        return block.Total();
      });
  return ResidualScale(roots);
}

/// What a block of rows has of one output, side by side for the vector loops.
struct BlockArrays {
  std::array<float, kRowBlock> margins;
  std::array<float, kRowBlock> labels;
  std::array<float, kRowBlock> weights;
  std::array<GradientPair, kRowBlock> pairs;
};

template <typename Loss>
void OutputGradients(Context const& ctx, Loss const& loss, Output const& output, Span<GradientPair> out) {
  auto const scale = ScaleOf(ctx, output);
  ParallelForBlocks(ctx, output.info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    BlockArrays block;
    for (auto row = begin; row < end; ++row) {
      block.margins[row - begin] = output.Margin(row);
      block.labels[row - begin] = output.Label(row);
      block.weights[row - begin] = output.info.Weight(row);
    }
    ComputeScaledGradients(
        loss, scale,
        {block.margins.data(), block.labels.data(), block.weights.data(), block.pairs.data(), end - begin});
    for (auto row = begin; row < end; ++row) out[row * output.n_outputs + output.index] = block.pairs[row - begin];
  });
}

template <typename Loss>
void GradientsOfAll(Context const& ctx, std::vector<Loss> const& losses, Span<float const> margins,
                    MetaInfo const& info, Span<GradientPair> out) {
  auto const n_outputs = static_cast<std::int64_t>(losses.size());
  CheckGradientSizes(ToSize(info.n_rows) * losses.size(), margins, out);
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    OutputGradients(ctx, losses[output], {margins, info, output, n_outputs}, out);
  }
}

}  // namespace

void ScaledGradients(Context const& ctx, std::vector<AbsoluteLoss> const& losses, Span<float const> margins,
                     MetaInfo const& info, Span<GradientPair> out) {
  GradientsOfAll(ctx, losses, margins, info, out);
}

void ScaledGradients(Context const& ctx, std::vector<QuantileLoss> const& losses, Span<float const> margins,
                     MetaInfo const& info, Span<GradientPair> out) {
  GradientsOfAll(ctx, losses, margins, info, out);
}

}  // namespace kauri
