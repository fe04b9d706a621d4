/// \file Losses that are straight lines away from the label. A straight line has no curvature that could weight the
/// rows, so gradients and hessians come from parabolas on the scale of the residuals of the round.
///
/// Vocabulary: residual = margin - label; scale = unit of the residuals, one for each output and round: the square of
/// the weighted mean of sqrt |residual| over all rows with a label, including rows that are not sampled.
///
/// A Newton step on such a parabola is a weighted mean of the residuals, in which a row counts less the farther it is
/// from its label. Over the rounds the steps converge to the weighted quantile (Hunter and Lange, "Quantile regression
/// via an MM algorithm", 2000). Far rows cannot pull a leaf away, and near rows keep a bounded hessian. These are the
/// losses of XGBoost 3.4; earlier versions set leaves to quantiles of their rows' residuals.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/math.h"
#include "common/sums.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

/// |residual|, for reg:absoluteerror: the parabola that touches sqrt(scale^2 + residual^2), times the scale.
struct AbsoluteLoss {
  KAURI_HD GradientPair Gradient(float margin, float label, float weight, double scale) const {
    double const residual = static_cast<double>(margin) - static_cast<double>(label);
    double const root = sqrt(scale * scale + residual * residual);
    double const hessian = root > 0.0 ? scale / root : 1.0;
    return {static_cast<float>(residual * hessian) * weight, static_cast<float>(hessian) * weight};
  }
};

/// -alpha residual below the label and (1 - alpha) residual above it, for reg:quantileerror (Koenker and Bassett,
/// "Regression quantiles", 1978), times the scale. Within kSharpness of the scale around the label, a hyperbolic
/// tangent joins the two slopes.
struct QuantileLoss {
  static constexpr double kSharpness = 0.04;
  float alpha;  ///< in [0, 1]: the quantile that is the best constant

  KAURI_HD GradientPair Gradient(float margin, float label, float weight, double scale) const {
    double const residual = static_cast<double>(margin) - static_cast<double>(label);
    double const ratio = scale > 0.0 ? residual / (kSharpness * scale) : 0.0;
    double const mean_slope = 0.5 - static_cast<double>(alpha);
    double const gradient = scale * (0.5 * Tanh(ratio) + mean_slope);
    double const hessian = scale > 0.0 ? 0.5 / kSharpness * TanhShare(ratio) : 0.0;
    return {static_cast<float>(gradient) * weight, static_cast<float>(hessian) * weight};
  }

  /// Sorts the values of a row in place, [n_alphas], ascending. Insertion sort, because they are nearly sorted.
  KAURI_HD static void SortRow(std::int64_t n_alphas, float* values) {
    for (std::int64_t k = 1; k < n_alphas; ++k) {
      float const value = values[k];
      std::int64_t place = k;
      for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
      values[place] = value;
    }
  }

 private:
  /// Returns tanh(x) / x.
  KAURI_HD static double TanhShare(double x) {
    bool const is_small = x > -1e-3 && x < 1e-3;  // digits of Tanh cancel there; the series' next term is below 1e-12
    double const quotient = Tanh(x) / (is_small ? 1.0 : x);
    return is_small ? 1.0 - x * x / 3.0 : quotient;
  }
  KAURI_HD static double Tanh(double x) {
    double const power = Exp(x < 0.0 ? 2.0 * x : -2.0 * x);
    double const size = (1.0 - power) / (1.0 + power);
    return x < 0.0 ? -size : size;
  }
};

/// Expands DO(Loss) for every loss of this file.
#define KAURI_FOR_EACH_SCALED_LOSS(DO) \
  DO(AbsoluteLoss)                     \
  DO(QuantileLoss)

/// Returns one row's part of a scale.
KAURI_HD WeightedSum RootOfResidual(float margin, float label, float weight) {
  double const residual = static_cast<double>(margin) - static_cast<double>(label);
  return {sqrt(residual < 0.0 ? -residual : residual) * static_cast<double>(weight), static_cast<double>(weight)};
}

/// Returns the scale of one output. roots: RootOfResidual of all rows, added in lanes (common/sums.h).
inline double ResidualScale(WeightedSum const& roots) { return roots.Mean() * roots.Mean(); }

/// Returns the index of a label of an output whose margins are at [row * n_outputs + output]. Outputs have a column of
/// labels each, or share the only one.
KAURI_HD std::int64_t LabelOfOutput(std::int64_t row, std::int64_t output, std::int64_t n_targets) {
  return n_targets == 1 ? row : row * n_targets + output;
}

}  // namespace kauri
