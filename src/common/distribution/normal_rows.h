/// \file The gradients of the normal distribution, for one row and for many rows at a time.
#pragma once

#include "common/distribution/scores.h"

namespace kauri::distribution {

/// Returns Family::Gradients of the normal distribution. log_scale: the logarithm of the standard deviation.
inline RowGradients NormalGradients(double mean, double log_scale, double label) {
  double const precision = ExpOf(-log_scale);
  double const z = (label - mean) * precision;
  RowGradients row{{-z * precision, 1.0 - z * z}, {precision * precision, BoundedInformation(2.0, 2.0 * z * z)}};
  KeepWithin(log_scale, 1, &row);
  return row;
}

/// Computes the same for the rows of a block, in vectors of float64.
void ComputeNormalGradients(RowBlock* block);
/// Replaces the labels of a block by their logarithms.
void TakeLogarithms(RowBlock* block);

}  // namespace kauri::distribution
