/// \file Weights and weighted residuals of rows as integers, on both sides: what a row counts, and what sums of rows
/// amount to in the units of the loss.
///
/// The units are powers of two, so small that the numbers of all rows add up to less than 2^62 in magnitude.
#pragma once

#include <cmath>
#include <cstdint>

#include "kauri/host_device.h"

namespace kauri {

/// A row's, or the sum of some.
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
  /// This, or nothing; without a branch, as whoever asks knows what a processor cannot foresee.
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

/// A row before it is an integer.
struct WeighedResidual {
  double weight = 0.0;
  double product = 0.0;
};

/// A row that is not sampled, or whose residual is NaN, weighs nothing.
KAURI_HD WeighedResidual Weigh(bool is_sampled, float residual, float weight) {
  if (!is_sampled || std::isnan(residual) || !(weight > 0.0F)) return {};
  return {static_cast<double>(weight), static_cast<double>(weight) * static_cast<double>(residual)};
}

/// As std::llround, but in line.
KAURI_HD std::int64_t RoundToInteger(double value) {
  auto const whole = static_cast<std::int64_t>(value);
  auto const rest = value - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

/// So that n numbers of this size add up to less than 2^62.
inline double UnitFor(double largest, std::int64_t n) {
  constexpr int kTotalBits = 61;
  int exponent = 0;
  std::frexp(largest * static_cast<double>(n), &exponent);
  return std::ldexp(1.0, exponent - kTotalBits);
}

/// Units and slopes of a loss of two straight lines, plain enough to be passed to a kernel by value.
struct LineScale {
  double weight_unit = 1.0;
  double product_unit = 1.0;
  double above = 1.0;  ///< as LineErrors has them
  double below = 1.0;

  KAURI_HD double WeightOf(ResidualSum const& sum) const { return static_cast<double>(sum.weight) * weight_unit; }
  KAURI_HD double ProductOf(ResidualSum const& sum) const { return static_cast<double>(sum.product) * product_unit; }
  /// The share of the weight that is not above the best constant.
  KAURI_HD double Quantile() const { return above / (above + below); }
  KAURI_HD ResidualSum Fix(WeighedResidual const& row) const {
    return {RoundToInteger(row.weight / weight_unit), RoundToInteger(row.product / product_unit)};
  }
};

}  // namespace kauri
