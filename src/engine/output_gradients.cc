#include "engine/output_gradients.h"

#include <algorithm>
#include <array>

#include "common/fixed_point.h"
#include "common/large_memory.h"
#include "common/quantise_kernel.h"
#include "common/threads/parallel_for.h"
#include "engine/gradient_table.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;
constexpr std::int64_t kRowsPerTile = 1 << 7;  // 8 KiB on the stack for kAtOnce outputs

/// Pairs of a few outputs, stored by output.
using Tile = std::array<std::array<GradientPair, kRowsPerTile>, OutputGradients::kAtOnce>;

/// Transposes a tile. rows: the first of the outputs in each row, `stride` pairs apart.
void Transpose(GradientPair const* rows, std::int64_t stride, std::int64_t n_rows, std::int64_t n_outputs, Tile* tile) {
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::int64_t i = 0; i < n_outputs; ++i) (*tile)[i][row] = rows[row * stride + i];
  }
}

}  // namespace

void OutputGradients::Reset() {
  survey_.largest.clear();
  first_ = -1;
}

void OutputGradients::Quantise(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                               std::int64_t first) {
  first_ = -1;
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  auto const n = std::min(kAtOnce, n_outputs - first);
  std::array<GradientUnit, kAtOnce> steps;
  pairs_.resize(std::max(pairs_.size(), ToSize(n)));
  for (std::int64_t i = 0; i < n; ++i) {
    auto const unit = UnitOf(survey_, first + i);
    steps[i] = {1.0 / unit.gradient, 1.0 / unit.hessian};
    ResizeLarge(ctx, &pairs_[i], ToSize(n_rows));
  }
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    Tile tile;
    for (auto row = begin; row < end; row += kRowsPerTile) {
      auto const n_tile = std::min(kRowsPerTile, end - row);
      Transpose(gradients.data() + row * n_outputs + first, n_outputs, n_tile, n, &tile);
      for (std::int64_t i = 0; i < n; ++i) {
        QuantisePairs(tile[i].data(), n_tile, steps[i], pairs_[i].data() + row);
      }
    }
  });
  first_ = first;
}

GradientView OutputGradients::Of(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                                 std::int64_t output, Span<std::uint8_t const> sampled) {
  if (survey_.largest.empty()) survey_ = SurveyGradients(ctx, gradients, n_outputs);
  auto const first = output - output % kAtOnce;
  if (first != first_) Quantise(ctx, gradients, n_outputs, first);
  auto const& pairs = pairs_[output - first];
  auto const unit = UnitOf(survey_, output);
  if (sampled.empty()) return {pairs, unit};
  ResizeLarge(ctx, &sampled_, pairs.size());
  ParallelForBlocks(ctx, static_cast<std::int64_t>(pairs.size()), kRowsPerBlock, [&](auto begin, auto end, auto) {
    for (auto row = ToSize(begin); row < ToSize(end); ++row)
      sampled_[row] = sampled[row] == 0 ? FixedPair{0, 0} : pairs[row];
  });
  return {sampled_, unit};
}

}  // namespace kauri
