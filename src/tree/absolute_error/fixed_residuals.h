/// \file Weights and weighted residuals of all rows as integers, so that sums do not depend on the order of the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"
#include "tree/absolute_error/residual_sum.h"

namespace kauri {

class FixedResiduals {
 public:
  /// sampled: [n_rows], 1 = used, or empty. Rows whose residual is NaN have weight 0.
  FixedResiduals(Context const& ctx, LineErrors const& errors, Span<std::uint8_t const> sampled);

  Span<float const> Values() const { return errors_.residuals; }
  ResidualSum Of(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)]; }
  double WeightOf(ResidualSum const& sum) const { return scale_.WeightOf(sum); }
  double ProductOf(ResidualSum const& sum) const { return scale_.ProductOf(sum); }
  LineErrors const& Errors() const { return errors_; }
  LineScale const& Scale() const { return scale_; }
  /// Returns the share of the weight that does not exceed the best constant.
  double Quantile() const { return scale_.Quantile(); }
  /// Returns an upper bound of the rounding of errors, for any rows and for either of two ways to estimate them.
  double Rounding() const;

 private:
  LineErrors errors_;
  LineScale scale_;
  double magnitude_ = 0.0;  ///< the sum of the products' magnitudes
  double least_weight_ = 1.0;
  std::vector<ResidualSum> rows_;
};

}  // namespace kauri
