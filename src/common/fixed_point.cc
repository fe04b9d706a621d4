#include "common/fixed_point.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "common/large_memory.h"
#include "common/quantise_kernel.h"
#include "common/threads/parallel_for.h"
#include "kauri/collective.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;
constexpr std::int64_t kRowsPerTile = 1 << 9;  // per tile, copied to the stack

/// The gradient pairs of one output.
class OutputPairs {
 public:
  OutputPairs(Span<GradientPair const> gradients, std::int64_t n_outputs, std::int64_t output)
      : first_(gradients.empty() ? nullptr : gradients.data() + output), n_outputs_(n_outputs) {}

  /// Calls fn(pairs, begin, n) with contiguous pairs, for tiles of rows [begin, end).
  template <typename Fn>
  void ForEachTile(std::int64_t begin, std::int64_t end, Fn&& fn) const {
    if (n_outputs_ == 1) {
      fn(first_ + begin, begin, end - begin);
      return;
    }
    std::array<GradientPair, kRowsPerTile> tile;
    for (auto row = begin; row < end; row += kRowsPerTile) {
      auto const n = std::min(kRowsPerTile, end - row);
      for (std::int64_t i = 0; i < n; ++i) tile[i] = first_[(row + i) * n_outputs_];
      fn(tile.data(), row, n);
    }
  }

 private:
  GradientPair const* first_;
  std::int64_t n_outputs_;
};

void CheckFinite(AbsBits max, GradientPair const* pairs, std::int64_t first_row, std::int64_t n) {
  if (std::max(max.gradient, max.hessian) < kNotFiniteBits) return;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(pairs[i].gradient) || !std::isfinite(pairs[i].hessian)) FailGradient(pairs[i], first_row + i);
  }
}

/// Returns the maximum over all ranks; the bits of magnitudes have the same order as the magnitudes.
AbsBits LargestOfRanks(Context const& ctx, AbsBits max) {
  if (!IsDistributed(ctx)) return max;
  std::array<std::uint64_t, 2> bits{static_cast<std::uint64_t>(max.gradient), static_cast<std::uint64_t>(max.hessian)};
  ctx.collective->Max({bits.data(), bits.size()});
  return {static_cast<std::int32_t>(bits[0]), static_cast<std::int32_t>(bits[1])};
}

float FromBits(std::int32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace

void FailGradient(GradientPair pair, std::int64_t row) {
  Fail(ErrorKind::kData, "row ", row, " has gradient ", pair.gradient, " and hessian ", pair.hessian,
       "; both must be finite. Check labels, base margins, base_score and the custom objective, or lower eta.");
}

void QuantiseGradients(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                       std::int64_t output, Span<std::uint8_t const> sampled, FixedGradients* out) {
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  OutputPairs const pairs(gradients, n_outputs, output);
  std::vector<AbsBits> of_block(NumBlocks(n_rows, kRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    AbsBits max;
    pairs.ForEachTile(begin, end, [&](GradientPair const* tile, std::int64_t row, std::int64_t n) {
      max = LargestBits(tile, n, max);
      CheckFinite(max, tile, row, n);
    });
    of_block[block] = max;
  });
  AbsBits max;
  for (auto const& block : of_block) {
    max = {std::max(max.gradient, block.gradient), std::max(max.hessian, block.hessian)};
  }
  max = LargestOfRanks(ctx, max);
  out->largest = {FromBits(max.gradient), FromBits(max.hessian)};
  out->unit = {FixedPointUnit(out->largest.gradient), FixedPointUnit(out->largest.hessian)};
  GradientUnit const steps{1.0 / out->unit.gradient, 1.0 / out->unit.hessian};
  ResizeLarge(&out->pairs, static_cast<std::size_t>(n_rows));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    pairs.ForEachTile(begin, end, [&](GradientPair const* tile, std::int64_t row, std::int64_t n) {
      QuantisePairs(tile, n, steps, out->pairs.data() + row);
    });
    if (sampled.empty()) return;
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      if (sampled[row] == 0) out->pairs[row] = {0, 0};
    }
  });
}

}  // namespace kauri
