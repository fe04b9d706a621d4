/// \file A column as a few power sums: 18 numbers for each binary digit of the number of blocks, merged by formula
/// (Mitchell, Frank & Holmes, "An empirical study of moment estimators for quantile approximation", ACM TODS 46(1),
/// 2021).
///
/// There is no bound on the error. Do not use it for columns with far outliers (the density is fitted to the whole
/// range from minimum to maximum, and all values except the outliers fall into a tiny part of it), for columns of a few
/// heavy values among many others, or where a guarantee about ranks is needed.
///
/// Safeguards: up to `max_distinct` distinct values are kept exactly, which covers constant columns; moments that
/// rounding has made impossible are left out; moments with which the fit fails are dropped one by one.
#pragma once

#include "data/sketch/gk_sketch.h"
#include "data/sketch/power_sums.h"
#include "research/sketch/density_ranks.h"

namespace kauri {

struct MomentOptions {
  int order = 10;            ///< the highest moment, 2 .. kMaxMoment
  bool is_legendre = false;  ///< fit a series of Legendre polynomials instead of the density of maximum entropy
  DensityRanks ranks;
};

class MomentSketch : public ColumnSketch {
 public:
  explicit MomentSketch(MomentOptions const& options)
      : options_(options), sums_(options.order), few_(options.ranks.max_distinct) {}
  void Add(Span<float const> values, Span<float const> weights) override;
  void Merge(ColumnSketch const& other) override;
  ColumnRanks Ranks() const override;
  double RankErrorBound() const override { return few_.AreAll() ? 0.0 : 1.0; }
  std::size_t Bytes() const override { return sizeof(*this) + sums_.Bytes() + few_.Values().size() * sizeof(GkEntry); }
  PowerSums Sums() const { return sums_.Sums(); }

 private:
  MomentOptions options_;
  PowerSumTree sums_;
  FewValues few_;
};

}  // namespace kauri
