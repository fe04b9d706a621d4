/// \file Computes the errors of the best constant of rows that arrive in the order of their residuals.
#pragma once

#include "tree/absolute_error/fixed_residuals.h"

namespace kauri {

class ExactErrors {
 public:
  /// all: the sum of the rows to come. Referenced objects must outlive this object.
  ExactErrors(FixedResiduals const& residuals, ResidualSum const& all) : residuals_(&residuals), all_(all) {
    auto const& errors = residuals.Errors();
    target_ = errors.above / (errors.above + errors.below) * static_cast<double>(all.weight);
  }

  /// Adds the next row; residuals must not decrease. Rows after the quantile may be omitted.
  void Add(float residual, ResidualSum const& row) {
    if (is_reached_) return;
    reached_ += row;
    constant_ = static_cast<double>(residual);
    is_reached_ = static_cast<double>(reached_.weight) >= target_;
  }

  /// Returns the errors in units of the loss; 0 without weight. The constant is the first residual at which the
  /// cumulated weight reaches the quantile.
  double Errors() const {
    if (all_.weight <= 0) return 0.0;
    auto const& errors = residuals_->Errors();
    auto const above = all_ - reached_;
    return errors.above * (residuals_->ProductOf(above) - residuals_->WeightOf(above) * constant_) +
           errors.below * (residuals_->WeightOf(reached_) * constant_ - residuals_->ProductOf(reached_));
  }

 private:
  FixedResiduals const* residuals_;
  ResidualSum all_;
  double target_ = 0.0;
  ResidualSum reached_;
  double constant_ = 0.0;
  bool is_reached_ = false;
};

}  // namespace kauri
