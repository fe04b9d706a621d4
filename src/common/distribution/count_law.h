/// \file A distribution of counts: 0 with the probability 1 - share, else a negative binomial count, or a Poisson count
/// for an infinite size.
#pragma once

#include "common/distribution/special_functions.h"

namespace kauri::distribution {

struct CountLaw {
  double mean;   ///< mean of the counts that are not added zeros
  double size;   ///< their variance is mean + mean^2 / size
  double share;  ///< 1 minus the probability of an added zero

  bool IsPoisson() const { return size > 1e300; }
  /// Returns the logarithm of a count's probability, without the added zeros.
  double LogOfCount(double count) const;
  /// Returns the shares of counts up to and above `count`, without the added zeros. Counts may be fractions.
  Tails OfCounts(double count) const;

  double LogProbability(double count) const;
  Tails Cumulative(double count) const;
  double Quantile(double p) const;
  double Mean() const { return share * mean; }
  double Deviation() const;
  /// Returns the integral over x of (F(x) - [label <= x])^2. Labels need not be counts: between two counts the score is
  /// linear, and below 0 the distance to 0 is added.
  double Crps(double label) const;

 private:
  /// Returns the sum over k of (F(k) - [count <= k])^2. The sum has up to kMostSummed terms; wider distributions are
  /// integrated by Gauss's rule, with an error below 1e-3 of the score, and mostly below 5e-5.
  double CrpsOf(double count) const;
};

}  // namespace kauri::distribution
