/// \file The estimators that need no orders, behind ShapleyEstimator.
///
/// RunningMoments has the running mean and variance (Welford 1962).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "shapley/estimate.h"

namespace kauri {

/// Computes the values from all coalitions. All estimators write `values` and `errors`, which are allocated and 0.
void EstimateExactly(Evaluations* game, ShapleyEstimate* estimate);
/// Estimates by Owen's integral. n: samples, of d + 1 coalitions each. halved: with complements.
void EstimateByOwen(std::int64_t n, bool halved, std::uint64_t seed, Evaluations* game, ShapleyEstimate* estimate);
/// Estimates by stratified sampling. n: marginals, of two coalitions each. \throws Error(kParameter) below 2 d^2.
void EstimateByStrata(std::int64_t n, std::uint64_t seed, Evaluations* game, ShapleyEstimate* estimate);

class RunningMoments {
 public:
  void Add(double value) {
    ++n_;
    auto const before = value - mean_;
    mean_ += before / static_cast<double>(n_);
    squares_ += before * (value - mean_);
  }
  std::int64_t Count() const { return n_; }
  double Mean() const { return mean_; }
  /// Returns the unbiased variance of the numbers; NaN for fewer than two.
  double Variance() const {
    return n_ < 2 ? std::numeric_limits<double>::quiet_NaN() : squares_ / static_cast<double>(n_ - 1);
  }
  /// Returns the variance of their mean.
  double VarianceOfMean() const { return Variance() / static_cast<double>(n_); }

 private:
  std::int64_t n_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace kauri
