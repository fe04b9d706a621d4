/// \file Families of distributions whose parameters depend on a row, for objective=dist:..., its metrics and what is
/// asked of its predictions.
///
/// Vocabulary. A raw score is an unconstrained number: a margin of the model. A parameter is a number in its natural
/// scale, such as a mean or a scale; a family maps raw scores to as many parameters. The score of a label is the
/// derivative of its log-likelihood with respect to the raw scores, and the Fisher information is the covariance of
/// scores. The natural gradient is the inverse of the Fisher information times the gradient (Amari 1998, "Natural
/// gradient works efficiently in learning"; Duan et al. 2020, "NGBoost").
///
/// How to add a family: a class derived from Family, and a line in families.cc.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/distribution/special_functions.h"

namespace kauri::distribution {

constexpr int kMostParameters = 3;

/// Weighted statistics of the labels, from which fitting begins.
struct LabelMoments {
  double mean = 0.0;
  double variance = 0.0;
  double share_above_zero = 0.0;
  double mean_above_zero = 0.0;
  double log_mean = 0.0;      ///< mean of the logarithms of labels above 0
  double log_variance = 0.0;  ///< their variance
};

/// Gradient pairs of one row: `hessian` is the diagonal of the Fisher information (for outliers more), and `gradient`
/// is the natural gradient times it, so that the Newton step of a leaf is a mean of natural gradients, weighted by
/// information. Both are free of the labels' unit in a gain, and the step has the unit of its raw score.
struct RowGradients {
  double gradient[kMostParameters];
  double hessian[kMostParameters];
};

/// Rows whose gradients are computed together.
struct RowBlock {
  static constexpr std::int64_t kMostRows = 128;

  std::int64_t n = 0;  ///< rows, at most kMostRows
  double label[kMostRows];
  double raw[kMostParameters][kMostRows];
  double gradient[kMostParameters][kMostRows];  ///< (out), as in RowGradients
  double hessian[kMostParameters][kMostRows];   ///< (out)
};

/// Immutable, shared by threads. `raw` and `parameters` have NumParameters() elements.
class Family {
 public:
  virtual ~Family() = default;
  virtual char const* Name() const = 0;
  virtual char const* Description() const = 0;
  /// Returns the names of the parameters, in order.
  virtual std::vector<std::string> ParameterNames() const = 0;
  int NumParameters() const { return static_cast<int>(ParameterNames().size()); }
  /// Returns the labels that have a density, in words: "a finite number".
  virtual char const* Domain() const { return "a finite number"; }
  virtual char const* Cure() const { return "remove the row or give it a label"; }
  virtual bool Takes(float label) const { return std::isfinite(label); }
  /// Returns whether labels are whole numbers: densities are then probabilities.
  virtual bool IsDiscrete() const { return false; }
  /// Returns whether every raw score is a logarithm or log-odds, so that steps have no unit.
  virtual bool IsUnitFree() const { return false; }

  virtual void Parameters(double const* raw, double* parameters) const = 0;
  virtual RowGradients Gradients(double const* raw, double label) const = 0;
  /// Computes the Gradients of each row, with the same bits.
  virtual void BlockGradients(RowBlock* block) const;
  /// Returns raw scores near the maximum of the likelihood.
  virtual std::vector<double> Start(LabelMoments const& labels) const = 0;

  /// Returns the logarithm of the density, or of the probability of a whole number.
  virtual double LogDensity(double const* parameters, double label) const = 0;
  /// Returns the shares of labels up to and above `label`.
  virtual Tails Cumulative(double const* parameters, double label) const = 0;
  /// Returns the smallest label up to which lies the share p, 0 < p < 1.
  virtual double Quantile(double const* parameters, double p) const = 0;
  virtual double Mean(double const* parameters) const = 0;
  /// Returns the standard deviation; infinite if there is none.
  virtual double Deviation(double const* parameters) const = 0;
  /// Returns the continuous ranked probability score: the integral over x of (F(x) - [label <= x])^2 (Gneiting and
  /// Raftery 2007, "Strictly proper scoring rules, prediction, and estimation").
  virtual double Crps(double const* parameters, double label) const = 0;
  /// Returns whether the mean depends on a raw score. It then increases with the score, or does not fall.
  virtual bool MovesMean(int output) const { return output == 0; }
};

/// Returns all families, in the order of the printed list.
std::vector<Family const*> const& Families();
/// Returns the family of a name, or nullptr.
Family const* FindFamily(std::string const& name);

}  // namespace kauri::distribution
