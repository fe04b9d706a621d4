/// \file Leaf weights and split gains in float64 from fixed-point sums. CPU and CUDA code both compute them here and
/// nowhere else.
///
/// A leaf of weight w changes the loss by half of 2 G w + (H + lambda) w^2 + 2 alpha |w| (Chen & Guestrin 2016,
/// equation 5, with the L1 penalty); the gain is minus that, without the half:
///   weight = -ThresholdL1(G, alpha) / (H + lambda), which maximises the gain, clipped to +-max_delta_step when that is
///            positive and, with monotone constraints, to the bounds of its node
///   gain   = ThresholdL1(G, alpha)^2 / (H + lambda)             at a weight that was not clipped
///          = -(2 G w + (H + lambda) w^2 + 2 alpha |w|)          at a clipped weight
///   loss change of a split = gain(left) + gain(right) - gain(parent), less the cost of its feature (feature_cost.h)
/// A split whose children's weights violate a monotone constraint has no loss change. Limits that clip nothing do not
/// change any bit of a model.
/// Contraction is disabled in all builds, so the same integers give the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

/// A split must reduce the loss by more than this (XGBoost's kRtEps).
constexpr float kMinLossChange = 1e-6F;

/// Extra parameters of splits at categorical features (categories/category_split.h).
struct CategoryGain {
  double smooth = 0.0;         ///< cat_smooth: added to the hessian when categories are sorted
  double least_hessian = 0.0;  ///< categories with less hessian have no position of their own in the order
  double l2 = 0.0;             ///< cat_l2: added to lambda
  /// Minimum hessian that a set adds to the last one tried, and that it leaves to the rest.
  double group_hessian = 0.0;
};

/// Regularisation parameters, trivially copyable so that kernels take them by value.
struct GainParam {
  double lambda = 1.0;
  double alpha = 0.0;
  double max_delta_step = 0.0;
  double min_child_weight = 1.0;
  GradientUnit unit;
  bool monotone = false;  ///< monotone constraints are given, even if all are 0
  CategoryGain categories = {};
};

/// Returns the parameters for splits at categorical features.
KAURI_HD GainParam OfCategories(GainParam param) {
  param.lambda += param.categories.l2;
  return param;
}

/// Infinity as a constant, because device code may not call numeric_limits.
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bounds of the weights in a node; unlimited without monotone constraints.
struct WeightBounds {
  double lower = -kInfinity;
  double upper = kInfinity;
};

KAURI_HD double ThresholdL1(double gradient, double alpha) {
  if (gradient > alpha) return gradient - alpha;
  if (gradient < -alpha) return gradient + alpha;
  return 0.0;
}

KAURI_HD double HessianOf(FixedSum sum, GainParam const& param) {
  return static_cast<double>(sum.hessian) * param.unit.hessian;
}

KAURI_HD double GradientOf(FixedSum sum, GainParam const& param) {
  return static_cast<double>(sum.gradient) * param.unit.gradient;
}

/// Returns the weight with the largest gain, without any limit; `sum` has a positive hessian.
KAURI_HD double FreeWeight(FixedSum sum, GainParam const& param) {
  return -ThresholdL1(GradientOf(sum, param), param.alpha) / (HessianOf(sum, param) + param.lambda);
}

/// Returns the weight of a node before the learning rate; 0 when its hessian is 0 or below min_child_weight.
KAURI_HD double LeafWeight(FixedSum sum, GainParam const& param) {
  double const hessian = HessianOf(sum, param);
  if (hessian < param.min_child_weight || hessian <= 0.0) return 0.0;
  double weight = FreeWeight(sum, param);
  if (param.max_delta_step != 0.0) {
    if (weight > param.max_delta_step) weight = param.max_delta_step;
    if (weight < -param.max_delta_step) weight = -param.max_delta_step;
  }
  return weight;
}

/// Returns the gain at FreeWeight; `sum` has a positive hessian.
KAURI_HD double QuotientGain(FixedSum sum, GainParam const& param) {
  double const gradient = ThresholdL1(GradientOf(sum, param), param.alpha);
  return gradient * gradient / (HessianOf(sum, param) + param.lambda);
}

/// Returns the gain of a leaf with this weight; `sum` has a positive hessian. If G w + alpha |w| would cancel, it is
/// replaced by ThresholdL1(G, alpha) w. Every gain then stays below the quotient even after rounding (ScreeningBound).
KAURI_HD double GainOfWeight(FixedSum sum, double weight, GainParam const& param) {
  if (weight == FreeWeight(sum, param)) return QuotientGain(sum, param);
  double const gradient = GradientOf(sum, param);
  double const shrunk = ThresholdL1(gradient, param.alpha) * weight;
  double const linear = shrunk < 0.0 ? shrunk : gradient * weight + param.alpha * std::fabs(weight);
  return -(2.0 * linear + (HessianOf(sum, param) + param.lambda) * weight * weight);
}

/// Returns the gain of a node as a leaf, without monotone constraints; 0 when its hessian is not positive.
KAURI_HD double LeafGain(FixedSum sum, GainParam const& param) {
  if (HessianOf(sum, param) <= 0.0) return 0.0;
  if (param.max_delta_step == 0.0) return QuotientGain(sum, param);
  return GainOfWeight(sum, LeafWeight(sum, param), param);
}

/// Returns LeafWeight clipped to the bounds.
KAURI_HD double NodeWeight(FixedSum sum, GainParam const& param, WeightBounds const& bounds) {
  double const weight = LeafWeight(sum, param);
  if (weight < bounds.lower) return bounds.lower;
  return weight > bounds.upper ? bounds.upper : weight;
}

/// Returns the gain of a node as a leaf whose weight is within the bounds.
KAURI_HD double NodeGain(FixedSum sum, GainParam const& param, WeightBounds const& bounds) {
  if (!param.monotone) return LeafGain(sum, param);
  return HessianOf(sum, param) <= 0.0 ? 0.0 : GainOfWeight(sum, NodeWeight(sum, param, bounds), param);
}

/// Returns gain(left) + gain(right) of children with enough hessian, in a node with these bounds. `sign` is the
/// feature's monotone constraint: with 1 the left weight must not exceed the right one, with -1 not fall below it.
/// Returns minus infinity if the constraint is violated.
KAURI_HD double SplitGain(FixedSum left, FixedSum right, GainParam const& param, WeightBounds const& bounds, int sign) {
  if (!param.monotone) return LeafGain(left, param) + LeafGain(right, param);
  double const weight_l = NodeWeight(left, param, bounds);
  double const weight_r = NodeWeight(right, param, bounds);
  if ((weight_l - weight_r) * sign > 0.0) return -kInfinity;
  return GainOfWeight(left, weight_l, param) + GainOfWeight(right, weight_r, param);
}

/// Returns whether weights are never clipped.
KAURI_HD bool GainIsQuotient(GainParam const& param) { return param.max_delta_step == 0.0 && !param.monotone; }

/// Returns the value that quotient(left) + quotient(right), computed in any order, must reach if the loss change can
/// equal `loss_change`, however the weights are clipped. The bound is lowered by far more than the rounding of either
/// side.
/// Proof, with T = ThresholdL1(G, alpha), L = H + lambda > 0 and q = T^2 / L:
/// - In exact numbers G w + alpha |w| >= -|T w|, so the gain is at most 2 |T w| - L w^2, whose maximum over w is q.
/// - If T w < 0, the side of that maximum, the gain is computed as 2 |T w| - L w^2. With c = |w L / T| that is
///   (2 c - c^2) q, and its rounding is below 8 u (2 c + c^2) q (u = 2^-53). The sum of both is at most
///   (1 + 8 u)^2 / (1 - 8 u) q.
/// - Otherwise the gain is not above 0: if G w < 0, its magnitude is at most alpha |w|, also after rounding.
KAURI_HD double ScreeningBound(double loss_change, double node_gain) {
  return loss_change + node_gain - 1e-12 * (std::fabs(loss_change) + std::fabs(node_gain));
}

KAURI_HD bool HasEnoughHessian(FixedSum sum, GainParam const& param) {
  return sum.hessian > 0 && HessianOf(sum, param) >= param.min_child_weight;
}

/// The best split found so far for a node.
struct SplitCandidate {
  double loss_change = 0.0;
  std::uint32_t feature = 0xFFFFFFFFU;
  float threshold = 0.0F;
  bool default_left = false;
  FixedSum left;  ///< includes the missing rows if default_left
  FixedSum right;

  KAURI_HD bool IsValid() const { return feature != 0xFFFFFFFFU; }
};

/// Returns whether a precedes b in the order of splits: larger loss change, then lower feature, then missing to the
/// right, then the threshold that a scan from the other end meets first. That is the lowest threshold with missing to
/// the right, and the highest with missing to the left (XGBoost keeps the first of equals, and scans upwards for
/// missing right, downwards for missing left). The order is total, so the best of a set does not depend on the order of
/// its elements.
KAURI_HD bool IsBetter(SplitCandidate const& a, SplitCandidate const& b) {
  if (a.IsValid() != b.IsValid()) return a.IsValid();
  if (a.loss_change != b.loss_change) return a.loss_change > b.loss_change;
  if (a.feature != b.feature) return a.feature < b.feature;
  if (a.default_left != b.default_left) return b.default_left;
  return a.default_left ? a.threshold > b.threshold : a.threshold < b.threshold;
}

/// Returns the threshold between two neighbouring values low < high: their float32 midpoint, or `high` if that rounds
/// to `low`, so that low < threshold <= high always holds. Finite values do not overflow.
KAURI_HD float MidpointThreshold(float low, float high) {
  float const middle = low * 0.5F + high * 0.5F;
  return middle > low && middle <= high ? middle : high;
}

}  // namespace kauri
