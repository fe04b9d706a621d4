/// \file Losses that an objective fits for several alphas, with one output for each.
#pragma once

#include <cstdint>

#include "common/math.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

/// Returns ln(1 + e^x).
KAURI_HD double SoftPlus(double x) { return (x > 0.0 ? x : 0.0) + Log(1.0 + Exp(x > 0.0 ? -x : x)); }

/// share (label - value)^2 / 2 with the share alpha below the label and 1 - alpha above it, for reg:expectileerror
/// (Newey and Powell, "Asymmetric least squares estimation and testing", 1987).
///
/// Several alphas a_0 < a_1 < ... are fitted together such that their values cannot cross: the value of the first is
/// its margin, and every other is the one before plus softplus(margin).
struct ExpectileLoss {
  float alpha;  ///< in (0, 1)

  KAURI_HD double Share(double value, float label) const {
    return value >= static_cast<double>(label) ? 1.0 - static_cast<double>(alpha) : static_cast<double>(alpha);
  }

  /// Computes the gradients of all alphas of a row, from the last alpha to the first: the value of an alpha depends on
  /// the margins up to its own. The hessian is the Gauss-Newton one, which is non-negative: it omits the curvature of
  /// the values.
  /// margins and out: [n_alphas].
  KAURI_HD static void RowGradients(ExpectileLoss const* losses, std::int64_t n_alphas, float const* margins,
                                    float label, float weight, GradientPair* out) {
    double value = static_cast<double>(margins[0]);
    for (std::int64_t k = 1; k < n_alphas; ++k) value += SoftPlus(static_cast<double>(margins[k]));
    double gradient = 0.0;
    double hessian = 0.0;
    for (std::int64_t k = n_alphas - 1; k >= 0; --k) {
      double const share = losses[k].Share(value, label);
      gradient += share * (value - static_cast<double>(label));
      hessian += share;
      double const margin = static_cast<double>(margins[k]);
      double const slope = k == 0 ? 1.0 : 1.0 / (1.0 + Exp(-margin));
      out[k] = {static_cast<float>(gradient * slope) * weight, static_cast<float>(hessian * slope * slope) * weight};
      if (k > 0) value -= SoftPlus(margin);
    }
  }

  /// Replaces the margins of a row, [n_alphas], by its values.
  KAURI_HD static void RowValues(std::int64_t n_alphas, float* margins) {
    double value = static_cast<double>(margins[0]);
    for (std::int64_t k = 1; k < n_alphas; ++k) {
      value += SoftPlus(static_cast<double>(margins[k]));
      margins[k] = static_cast<float>(value);
    }
  }
};

}  // namespace kauri
