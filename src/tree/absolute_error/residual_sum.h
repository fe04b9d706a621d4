/// \file Weights and weighted residuals of rows as integers, and the conversion of their sums to units of the loss.
/// Used on the CPU and on CUDA devices.
///
/// The units are powers of two, chosen so that the values of all rows sum to less than 2^62 in magnitude.
#pragma once

#include <cmath>
#include <cstdint>

#include "kauri/host_device.h"

namespace kauri {

/// Weight and weighted residual of a row, or sums over several rows.
struct ResidualSum {
  std::int64_t weight = 0;
  std::int64_t product = 0;  ///< weight times residual

  KAURI_HD ResidualSum& operator+=(ResidualSum const& other) {
    weight += other.weight;
    product += other.product;
    return *this;
  }
  KAURI_HD ResidualSum& operator-=(ResidualSum const& other) {
    weight -= other.weight;
    product -= other.product;
    return *this;
  }
  /// Returns *this if `is`, else zero. Branch-free, because the condition is unpredictable.
  KAURI_HD ResidualSum If(bool is) const {
    auto const mask = -static_cast<std::int64_t>(is);
    return {weight & mask, product & mask};
  }
  KAURI_HD ResidualSum operator+(ResidualSum const& other) const {
    return {weight + other.weight, product + other.product};
  }
  KAURI_HD ResidualSum operator-(ResidualSum const& other) const {
    return {weight - other.weight, product - other.product};
  }
};

/// A row before its conversion to integers.
struct WeighedResidual {
  double weight = 0.0;
  double product = 0.0;
};

/// Returns weight and product of a row; 0 if it is not sampled or its residual is NaN.
KAURI_HD WeighedResidual Weigh(bool is_sampled, float residual, float weight) {
  if (!is_sampled || std::isnan(residual) || !(weight > 0.0F)) return {};
  return {static_cast<double>(weight), static_cast<double>(weight) * static_cast<double>(residual)};
}

/// Does what std::llround does, but inline.
KAURI_HD std::int64_t RoundToInteger(double value) {
  auto const whole = static_cast<std::int64_t>(value);
  auto const rest = value - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

/// Returns a unit such that n numbers of this size sum to less than 2^62.
inline double UnitFor(double largest, std::int64_t n) {
  constexpr int kTotalBits = 61;
  int exponent = 0;
  std::frexp(largest * static_cast<double>(n), &exponent);
  return std::ldexp(1.0, exponent - kTotalBits);
}

/// Units and slopes of a loss of two straight lines, trivially copyable so that kernels take them by value.
struct LineScale {
  double weight_unit = 1.0;
  double product_unit = 1.0;
  double above = 1.0;  ///< slopes, as in LineErrors
  double below = 1.0;

  KAURI_HD double WeightOf(ResidualSum const& sum) const { return static_cast<double>(sum.weight) * weight_unit; }
  KAURI_HD double ProductOf(ResidualSum const& sum) const { return static_cast<double>(sum.product) * product_unit; }
  /// Returns the share of the weight that does not exceed the best constant.
  KAURI_HD double Quantile() const { return above / (above + below); }
  KAURI_HD ResidualSum Fix(WeighedResidual const& row) const {
    return {RoundToInteger(row.weight / weight_unit), RoundToInteger(row.product / product_unit)};
  }
};

}  // namespace kauri
