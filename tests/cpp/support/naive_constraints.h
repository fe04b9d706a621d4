/// \file Monotone and interaction constraints by their definition, for the naive trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "kauri/tree_param.h"
#include "tree/split_gain.h"

namespace kauri::testing {

/// Twice the decrease of the rows' loss as a function of their weight: a parabola with a kink of 2 alpha |weight|.
struct LossParabola {
  double gradient;
  double curvature;  ///< hessian plus lambda
};

inline double NaiveGain(LossParabola of, double weight, double alpha) {
  auto const beyond = std::max(std::fabs(of.gradient) - alpha, 0.0);
  auto const free = std::copysign(beyond / of.curvature, -of.gradient);
  if (weight == free) return beyond * beyond / of.curvature;
  return -(2.0 * of.gradient * weight + of.curvature * weight * weight + 2.0 * alpha * std::fabs(weight));
}

struct NaiveConstraints {
  std::vector<int> signs;  ///< for the first features; empty: no monotone constraints
  bool limits_features = false;
  std::vector<std::set<std::uint32_t>> sets;

  int SignOf(std::size_t feature) const { return feature < signs.size() ? signs[feature] : 0; }

  /// Writes the texts of the parameters.
  void Write(TreeParam* param) const {
    param->monotone_constraints = "(";
    for (auto const sign : signs) param->monotone_constraints += std::to_string(sign) + ",";
    param->monotone_constraints += ")";
    param->interaction_constraints.clear();
    if (!limits_features) return;
    for (auto const& set : sets) {
      std::string text;
      for (auto const feature : set) text += (text.empty() ? "" : ",") + std::to_string(feature);
      param->interaction_constraints += (param->interaction_constraints.empty() ? "[[" : ",[") + text + "]";
    }
    param->interaction_constraints += sets.empty() ? "[]" : "]";
  }
};

/// State of a node: the bounds of its weight, and the features that its ancestors split.
struct NaiveLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::set<std::uint32_t> path;

  bool MayUse(NaiveConstraints const& constraints, std::uint32_t feature) const {
    if (!constraints.limits_features || path.empty() || path.count(feature) == 1) return true;
    return std::any_of(constraints.sets.begin(), constraints.sets.end(), [&](auto const& set) {
      return set.count(feature) == 1 && std::includes(set.begin(), set.end(), path.begin(), path.end());
    });
  }
  double Weight(FixedSum sum, GainParam const& param) const {
    return std::min(std::max(LeafWeight(sum, param), lower), upper);
  }
  double Gain(FixedSum sum, GainParam const& param) const {
    if (!param.monotone) return LeafGain(sum, param);
    if (sum.hessian <= 0) return 0.0;
    return NaiveGain({GradientOf(sum, param), HessianOf(sum, param) + param.lambda}, Weight(sum, param), param.alpha);
  }
  bool Accepts(NaiveConstraints const& constraints, SplitCandidate const& split, GainParam const& param) const {
    auto const sign = constraints.SignOf(split.feature);
    if (sign == 0) return true;
    auto const left = Weight(split.left, param);
    auto const right = Weight(split.right, param);
    return sign > 0 ? left <= right : left >= right;
  }
  NaiveLimits OfChild(NaiveConstraints const& constraints, SplitCandidate const& split, GainParam const& param,
                      bool is_left) const {
    auto const left = static_cast<float>(Weight(split.left, param));
    auto const right = static_cast<float>(Weight(split.right, param));
    auto const middle = static_cast<double>((left + right) / 2.0F);
    auto const sign = constraints.SignOf(split.feature);
    auto child = *this;
    child.path.insert(split.feature);
    if (sign != 0) ((sign > 0) == is_left ? child.upper : child.lower) = middle;
    return child;
  }
};

}  // namespace kauri::testing
