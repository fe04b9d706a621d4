/// \file Converts float gradient pairs to fixed point (include/kauri/gradient.h gives the reason).
///
/// The limit: a gradient below 2^-31 of the largest one of its output and round becomes 0, and a hessian one unit. One
/// outlying label of 1e10, or weight of 1e10, hides the contribution of rows of size 1; resolution_watch.h warns about
/// it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

/// The quantised gradients of one of n_outputs outputs. A positive hessian is at least one unit.
struct FixedGradients {
  std::vector<FixedPair> pairs;  ///< [n_rows]
  GradientUnit unit;
  GradientPair largest{};  ///< largest absolute values of the rows of all ranks, sampled or not
  GradientView View() const { return {pairs, unit}; }
};

/// Returns the unit 2^-k for the largest k with max_abs * 2^k < 2^30; 1 if all values are zero. Order-independent, so
/// deterministic.
KAURI_HD double FixedPointUnit(float max_abs) {
  if (max_abs == 0.0F) return 1.0;
  constexpr int kMagnitudeBits = 30;
  int exponent = 0;
  std::frexp(static_cast<double>(max_abs), &exponent);  // max_abs < 2^exponent
  return std::ldexp(1.0, exponent - kMagnitudeBits);
}

/// Quantises a pair, rounding to the nearest integer, halves to even. steps: the reciprocals of the units.
KAURI_HD FixedPair QuantisePair(GradientPair pair, GradientUnit steps) {
  auto const gradient = std::nearbyint(static_cast<double>(pair.gradient) * steps.gradient);
  auto const hessian = std::nearbyint(static_cast<double>(pair.hessian) * steps.hessian);
  FixedPair fixed{static_cast<std::int32_t>(gradient), static_cast<std::int32_t>(hessian)};
  if (fixed.hessian == 0 && pair.hessian > 0.0F) fixed.hessian = 1;
  return fixed;
}

/// Throws the error about a pair that is not finite.
[[noreturn]] void FailGradient(GradientPair pair, std::int64_t row);

/// Quantises column `output` of gradients: [n_rows, n_outputs]. In a group the unit is computed from all ranks' rows.
/// sampled: [n_rows] or empty; rows not sampled become zero pairs. \throws Error(kData) for a gradient or hessian that
/// is not finite, naming the row.
void QuantiseGradients(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                       std::int64_t output, Span<std::uint8_t const> sampled, FixedGradients* out);

}  // namespace kauri
