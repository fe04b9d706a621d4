#include "common/distribution/scores.h"

namespace kauri::distribution {

RowGradients NaturalGradients(Scores const& scores, int n, double const* damping) {
  double matrix[kMostParameters][kMostParameters];
  double step[kMostParameters];
  RowGradients row{};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) matrix[i][j] = scores.fisher[i][j];
    matrix[i][i] += damping[i];
    row.hessian[i] = matrix[i][i];
    step[i] = scores.gradient[i];
  }
  // Elimination without pivots: the matrix is positive definite.
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      double const factor = matrix[j][i] / matrix[i][i];
      for (int k = i; k < n; ++k) matrix[j][k] -= factor * matrix[i][k];
      step[j] -= factor * step[i];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) step[i] -= matrix[i][k] * step[k];
    step[i] /= matrix[i][i];
    row.gradient[i] = step[i] * row.hessian[i];
  }
  return row;
}

}  // namespace kauri::distribution
