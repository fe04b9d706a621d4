/// \file Weights and weighted residuals of rows as integers, whose sums do not depend on the order of the rows.
///
/// The units are powers of two, so small that the numbers of all rows add up to less than 2^62 in magnitude.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"

namespace kauri {

/// A row's, or the sum of some.
struct ResidualSum {
  std::int64_t weight = 0;
  std::int64_t product = 0;  ///< weight times residual

  ResidualSum& operator+=(ResidualSum const& other) {
    weight += other.weight;
    product += other.product;
    return *this;
  }
  ResidualSum& operator-=(ResidualSum const& other) {
    weight -= other.weight;
    product -= other.product;
    return *this;
  }
  /// This, or nothing; without a branch, as whoever asks knows what a processor cannot foresee.
  ResidualSum If(bool is) const {
    auto const mask = -static_cast<std::int64_t>(is);
    return {weight & mask, product & mask};
  }
  ResidualSum operator+(ResidualSum const& other) const { return {weight + other.weight, product + other.product}; }
  ResidualSum operator-(ResidualSum const& other) const { return {weight - other.weight, product - other.product}; }
};

class FixedResiduals {
 public:
  /// sampled: [n_rows], 1 = used, or empty. A row whose residual is NaN weighs nothing.
  FixedResiduals(Context const& ctx, LineErrors const& errors, Span<std::uint8_t const> sampled);

  Span<float const> Values() const { return errors_.residuals; }
  ResidualSum Of(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)]; }
  double WeightOf(ResidualSum const& sum) const { return static_cast<double>(sum.weight) * weight_unit_; }
  double ProductOf(ResidualSum const& sum) const { return static_cast<double>(sum.product) * product_unit_; }
  LineErrors const& Errors() const { return errors_; }
  /// The share of the weight that is not above the best constant.
  double Quantile() const { return errors_.above / (errors_.above + errors_.below); }
  /// More than what errors of any rows can be off by, of which another estimate is known to be no more.
  double Rounding() const;

 private:
  LineErrors errors_;
  double weight_unit_ = 1.0;
  double product_unit_ = 1.0;
  double magnitude_ = 0.0;  ///< the sum of the products' magnitudes
  double least_weight_ = 1.0;
  std::vector<ResidualSum> rows_;
};

}  // namespace kauri
