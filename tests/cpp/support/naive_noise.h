/// \file random_strength by its definition.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "common/fixed_point.h"
#include "common/random/random.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/sampling/sampling.h"
#include "tree/split_gain.h"

namespace kauri::testing {

/// Computes Marsaglia's polar method from the uniform numbers of a stream.
inline double NaiveNormal(std::uint64_t key, std::uint64_t counter) {
  auto const stream = CombineKeys(key, counter);
  double x = 0.0;
  double square = 0.0;
  for (std::uint64_t at = 0; square <= 0.0 || square >= 1.0; at += 2) {
    x = -1.0 + 2.0 * RandomUniform(stream, at);
    square = x * x + std::pow(-1.0 + 2.0 * RandomUniform(stream, at + 1), 2.0);
  }
  return x * std::sqrt(-2.0 * std::log(square) / square);
}

/// Returns (sum of g^2) / (sum of h) over the training rows of a tree; sampled: 1 = used, empty: all.
inline double NaiveChanceGain(FixedGradients const& gradients, std::vector<std::uint8_t> const& sampled) {
  double squares = 0.0;
  double hessians = 0.0;
  for (std::size_t row = 0; row < gradients.pairs.size(); ++row) {
    if (!sampled.empty() && sampled[row] == 0) continue;
    squares += std::pow(gradients.pairs[row].gradient * gradients.unit.gradient, 2.0);
    hessians += gradients.pairs[row].hessian * gradients.unit.hessian;
  }
  return hessians > 0.0 ? squares / hessians : 0.0;
}

/// Noisy comparison of the splits of a tree.
class NaiveNoise {
 public:
  NaiveNoise() = default;
  /// columns: sampler of the tree, which must outlive this object.
  NaiveNoise(TreeParam const& param, TreePlace const& place, double chance_gain, ColumnSampler const& columns)
      : columns_(&columns),
        deviation_(static_cast<double>(param.random_strength) * chance_gain /
                   (1.0 + std::exp(static_cast<double>(param.eta) * static_cast<double>(place.iteration)) /
                              static_cast<double>(place.n_rows))) {}

  double Of(std::uint32_t feature, std::int32_t node) const {
    return deviation_ > 0.0 ? deviation_ * NaiveNormal(columns_->NoiseKey(node), feature) : 0.0;
  }
  /// Returns whether `a` beats `b`; both are splits of the node that are worth making, or invalid.
  bool Prefers(SplitCandidate const& a, SplitCandidate const& b, std::int32_t node) const {
    if (!b.IsValid()) return true;
    auto const noisy_a = a.loss_change + Of(a.feature, node);
    auto const noisy_b = b.loss_change + Of(b.feature, node);
    return noisy_a != noisy_b ? noisy_a > noisy_b : IsBetter(a, b);
  }

 private:
  ColumnSampler const* columns_ = nullptr;
  double deviation_ = 0.0;
};

}  // namespace kauri::testing
