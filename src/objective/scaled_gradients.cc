#include "objective/scaled_gradients.h"

#include <array>

#include "collective/row_sums.h"
#include "common/loss/label_elements.h"
#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "objective/gradient_kernels.h"
#include "objective/labels.h"
#include "objective/target_sums.h"

namespace kauri {
namespace {

/// One output of all rows.
struct Output {
  Span<float const> margins;  ///< [n_rows, n_outputs]
  MetaInfo const& info;
  std::int64_t index;
  std::int64_t n_outputs;
  bool has_missing_labels;  ///< whether the label of some row is missing

  float Margin(std::int64_t row) const { return margins[row * n_outputs + index]; }
  float Label(std::int64_t row) const { return info.labels[LabelOfOutput(row, index, info.n_targets)]; }
};

WeightedSum RootOf(Output const& output, std::int64_t row) {
  return RootOfResidual(output.Margin(row), output.Label(row), output.info.Weight(row));
}

WeightedSum KnownRootOf(Output const& output, std::int64_t row) {
  return IsMissingLabel(output.Label(row)) ? WeightedSum{} : RootOf(output, row);
}

/// Returns the sum of the roots over the rows [begin, end), a block.
WeightedSum RootsOfBlock(Output const& output, std::int64_t begin, std::int64_t end) {
  LaneSum<WeightedSum> block;
  if (output.has_missing_labels) {
    for (auto row = begin; row < end; ++row) block.Add(row - begin, KnownRootOf(output, row));
  } else {
    for (auto row = begin; row < end; ++row) block.Add(row - begin, RootOf(output, row));
  }
  return block.Total();
}

/// The same for a block whose rows are spread over several ranks, with all outputs.
TargetSums RootsOfValues(BlockValues<WeightedSum> const& block) {
  std::vector<LaneSum<WeightedSum>> lanes(ToSize(block.per_row));
  for (std::int64_t i = 0; i < block.n; ++i) {
    lanes[ToSize(i % block.per_row)].Add(i / block.per_row, block.values[i]);
  }
  TargetSums roots(block.per_row);
  for (std::int64_t output = 0; output < block.per_row; ++output) {
    auto const root = lanes[ToSize(output)].Total();
    roots.Add(output, root.loss, root.weight);
  }
  return roots;
}

/// Returns the scales of all outputs over the rows of all ranks, in one call.
std::vector<double> ScalesOverRanks(Context const& ctx, std::vector<Output> const& outputs, MetaInfo const& info) {
  auto const n_outputs = static_cast<std::int64_t>(outputs.size());
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    TargetSums roots(n_outputs);
    for (auto const& output : outputs) {
      auto const root = RootsOfBlock(output, begin / n_outputs, end / n_outputs);
      roots.Add(output.index, root.loss, root.weight);
    }
    return roots;
  };
  auto const root_of = [&](std::int64_t item) {
    auto const& output = outputs[item % n_outputs];
    return output.has_missing_labels ? KnownRootOf(output, item / n_outputs) : RootOf(output, item / n_outputs);
  };
  auto const roots = SumRows<TargetSums>(ctx, info, {n_outputs, n_outputs * kRowBlock}, sum_of, root_of, RootsOfValues);
  if (info.n_rows > 0) roots.Require(n_outputs);
  std::vector<double> scales;
  for (std::size_t output = 0; output < roots.numerator.size(); ++output) {
    scales.push_back(ResidualScale({roots.numerator[output], roots.denominator[output]}));
  }
  return scales;
}

/// Returns the scale of each output: [n_outputs]. With several ranks, a rank without rows gets the scales of the other
/// ranks' outputs.
std::vector<double> ScalesOf(Context const& ctx, std::vector<Output> const& outputs, MetaInfo const& info) {
  if (IsDistributed(ctx)) return ScalesOverRanks(ctx, outputs, info);
  std::vector<double> scales;
  for (auto const& output : outputs) {
    scales.push_back(
        ResidualScale(SumBlocks<WeightedSum>(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
          return RootsOfBlock(output, begin, end);
        })));
  }
  return scales;
}

/// The data of a block of rows for one output, contiguous for the vector loops.
struct BlockArrays {
  std::array<float, kRowBlock> margins;
  std::array<float, kRowBlock> labels;
  std::array<float, kRowBlock> weights;
  std::array<GradientPair, kRowBlock> pairs;
};

template <typename Loss>
void OutputGradients(Context const& ctx, Loss const& loss, double scale, Output const& output, Span<GradientPair> out) {
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
    if (output.has_missing_labels) ClearMissingPairs(block.labels.data(), end - begin, block.pairs.data());
    for (auto row = begin; row < end; ++row) out[row * output.n_outputs + output.index] = block.pairs[row - begin];
  });
}

template <typename Loss>
void GradientsOfAll(Context const& ctx, std::vector<Loss> const& losses, Span<float const> margins,
                    MetaInfo const& info, Span<GradientPair> out) {
  auto const n_outputs = static_cast<std::int64_t>(losses.size());
  CheckGradientSizes(ToSize(info.n_rows) * losses.size(), margins, out);
  std::vector<Output> outputs;
  auto const has_missing_labels = HasMissingLabels(ctx, info);
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    outputs.push_back({margins, info, output, n_outputs, has_missing_labels});
  }
  auto const scales = ScalesOf(ctx, outputs, info);
  if (info.n_rows == 0) return;
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    OutputGradients(ctx, losses[output], scales[output], outputs[output], out);
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
