/// \file Coordinate descent on the weights of a linear model.
///
/// Vocabulary. The loss of the round is taken as the quadratic that gradients and hessians describe. A step is the move
/// of one weight to the minimum of loss and penalties along it, the others fixed, times eta; residuals are the
/// gradients after the steps so far.
///
/// A round, for each output: (1) step the bias, which is not penalised; (2) select the next feature; (3) add up
/// its column's gradients and hessians; (4) step its weight (Friedman, Hastie and Tibshirani 2010, section 2.1); (5)
/// update the residuals of the column's rows; repeat from 2. XGBoost's shotgun (Bradley et al. 2011) runs several steps
/// at once against changing residuals, so its model depends on a race. Here threads share the rows of one step or take
/// an output each; the result equals XGBoost's with one thread.
///
/// LinearColumns holds the features of a training set, column by column and by row within a column.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/boosters/gblinear.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/linear_updater.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"

namespace kauri {

/// The present values of a feature.
struct LinearColumn {
  Span<std::uint32_t const> rows;  ///< ascending; empty when the feature has a value in every row
  Span<float const> values;
};

/// Immutable; 4 bytes per value of a matrix without missing values, else 8 bytes per present value.
class LinearColumns : public BuildState {
 public:
  /// \throws Error(kData) for 2^32 rows or more.
  LinearColumns(Context const& ctx, DataMatrix const& data);
  std::int64_t NumCols() const { return static_cast<std::int64_t>(column_ptr_.size()) - 1; }
  std::int64_t NumEntries() const { return column_ptr_.back(); }
  LinearColumn Column(std::int64_t feature) const;

 private:
  void TakeDense(Context const& ctx, DataMatrix const& data);
  void TakeSparse(DataMatrix const& data);

  std::vector<std::int64_t> column_ptr_;  ///< [n_cols + 1]
  std::vector<std::uint32_t> rows_;       ///< [n_entries]; empty: no value is missing
  std::vector<float> values_;             ///< [n_entries]
};

/// Sums of a column's gradients and hessians, weighted by its values.
struct ColumnSum {
  double gradient = 0.0;
  double hessian = 0.0;
  ColumnSum& operator+=(ColumnSum other) {
    gradient += other.gradient;
    hessian += other.hessian;
    return *this;
  }
};

struct Penalties {
  float lambda = 0.0F;
  float alpha = 0.0F;
};

/// Returns the full step of a weight (eta = 1), soft-thresholded at zero. Returns 0 if the loss has no curvature.
double CoordinateStep(ColumnSum sum, double weight, Penalties penalties);

class CoordinateDescent : public LinearUpdater {
 public:
  explicit CoordinateDescent(GbLinearParam const& param) : param_(param) {}
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  void Update(Context const& ctx, DataMatrix const& data, Span<GradientPair const> gradients, BuildState* state,
              Model* model) const override;

 private:
  GbLinearParam param_;
};

}  // namespace kauri
