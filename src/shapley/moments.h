/// \file Running mean and variance (Welford 1962).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace kauri {

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
