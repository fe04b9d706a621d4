#include "common/fixed_point.h"

#include <algorithm>
#include <cmath>

#include "common/parallel_for.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;
constexpr int kMagnitudeBits = 30;

struct MaxAbs {
  float gradient = 0.0F;
  float hessian = 0.0F;
};

void CheckFinite(GradientPair pair, std::int64_t row) {
  if (!std::isfinite(pair.gradient) || !std::isfinite(pair.hessian)) FailGradient(pair, row);
}

}  // namespace

void FailGradient(GradientPair pair, std::int64_t row) {
  Fail(ErrorKind::kData, "row ", row, " has gradient ", pair.gradient, " and hessian ", pair.hessian,
       "; both must be finite. Check labels, base margins and the custom objective, or lower eta.");
}

double FixedPointUnit(float max_abs) {
  if (max_abs == 0.0F) return 1.0;
  int exponent = 0;
  std::frexp(max_abs, &exponent);  // max_abs < 2^exponent
  return std::ldexp(1.0, exponent - kMagnitudeBits);
}

void QuantiseGradients(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                       std::int64_t output, Span<std::uint8_t const> sampled, FixedGradients* out) {
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  auto const pair_of = [&](std::int64_t row) { return gradients[static_cast<std::size_t>(row * n_outputs + output)]; };
  std::vector<MaxAbs> of_block(static_cast<std::size_t>(NumBlocks(n_rows, kRowsPerBlock)));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    MaxAbs max;
    for (auto row = begin; row < end; ++row) {
      auto const pair = pair_of(row);
      CheckFinite(pair, row);
      max.gradient = std::max(max.gradient, std::fabs(pair.gradient));
      max.hessian = std::max(max.hessian, std::fabs(pair.hessian));
    }
    of_block[static_cast<std::size_t>(block)] = max;
  });
  MaxAbs max;
  for (auto const& block : of_block) {
    max.gradient = std::max(max.gradient, block.gradient);
    max.hessian = std::max(max.hessian, block.hessian);
  }
  out->unit = {FixedPointUnit(max.gradient), FixedPointUnit(max.hessian)};
  GradientUnit const steps{1.0 / out->unit.gradient, 1.0 / out->unit.hessian};
  out->pairs.resize(static_cast<std::size_t>(n_rows));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      auto const index = static_cast<std::size_t>(row);
      auto const pair = pair_of(row);
      auto const fixed = QuantisePair(pair, steps);
      out->pairs[index] = sampled.empty() || sampled[index] != 0 ? fixed : FixedPair{0, 0};
    }
  });
}

}  // namespace kauri
