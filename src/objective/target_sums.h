/// \file Sums over rows of a numerator and a denominator for each target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// float64; the default value is zero for any number of targets.
struct TargetSums {
  std::vector<double> numerator;
  std::vector<double> denominator;

  TargetSums() = default;
  explicit TargetSums(std::int64_t n_targets);

  void Add(std::int64_t target, double top, double bottom);
  TargetSums& operator+=(TargetSums const& other);
  /// -numerator / denominator: of sums of gradients and hessians. 0 without hessian.
  float NewtonStep(std::int64_t target) const;
};

/// Gradients and hessians. pairs: [n_rows, n_targets].
TargetSums SumByTarget(Context const& ctx, Span<GradientPair const> pairs, std::int64_t n_targets);

/// The weighted mean of the labels of each target, [n_targets]; 0 without rows. \throws Error(kData) when the weights
/// add up to 0.
std::vector<float> MeanLabels(Context const& ctx, MetaInfo const& info, std::string const& objective);

}  // namespace kauri
