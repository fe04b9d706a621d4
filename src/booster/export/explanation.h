/// \file Numbers with which an exported file computes contributions: the shares of the rows on both sides of each
/// split, and contributions of test rows.
///
/// Contributions are exact Shapley values by Gauss-Legendre quadrature (predictor/shap/quadrature_rule.h). The exported
/// code works in double, so it differs from the library's float32 by rounding, and by the rounding of shares to 24
/// bits.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/model/ready_model.h"

namespace kauri::model_export {

struct ExportedModel;
struct TestVector;

/// Shares are integers in units of 2^-24.
constexpr double kShareUnits = 16777216.0;

struct Explanation {
  std::vector<std::uint32_t> left_share;   ///< [all splits], of the split's cover
  std::vector<std::uint32_t> right_share;  ///< the same; empty if each is 1 - left_share, but for rounding
  std::int32_t n_points = 1;               ///< points of the quadrature, enough for the longest path
  std::int64_t n_steps = 1;                ///< splits on the longest path
  std::int64_t n_test_rows = 0;            ///< the first rows of the test
  std::vector<float> contributions;        ///< [n_test_rows, n_outputs, n_features + 1]
  std::vector<float> bias;                 ///< [n_outputs]
};

/// \throws Error(kParameter) for a model that has no contributions (the library's reason), and for paths that are too
/// long for the stack of the exported code.
Explanation MakeExplanation(ReadyModel const& ready, ExportedModel const& model, TestVector const& test);

}  // namespace kauri::model_export
