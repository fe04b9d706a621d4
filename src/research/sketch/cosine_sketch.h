/// \file A column as the means of a few cosines (thesis, section 3.5), for a known range or two passes.
///
/// Values in [low, high] become angles t between 0 and pi; the mean of cos(k t) is the k-th coefficient of a series for
/// the density. Among the published two-pass estimators it has the smallest maximum error; like all of them it has no
/// bound. Few distinct values are kept exactly, as in research/sketch/moment_sketch.h.
#pragma once

#include <array>

#include "data/sketch/gk_sketch.h"
#include "data/sketch/power_sums.h"
#include "research/sketch/density_ranks.h"

namespace kauri {

struct CosineOptions {
  int order = 10;  ///< the highest cosine, 2 .. kMaxMoment
  float low = 0.0F;
  float high = 0.0F;
  DensityRanks ranks;
};

class CosineSketch : public ColumnSketch {
 public:
  explicit CosineSketch(CosineOptions const& options) : options_(options), few_(options.ranks.max_distinct) {}
  /// Values outside the range count as its nearer end.
  void Add(Span<float const> values, Span<float const> weights) override;
  void Merge(ColumnSketch const& other) override;
  ColumnRanks Ranks() const override;
  double RankErrorBound() const override { return few_.AreAll() ? 0.0 : 1.0; }
  std::size_t Bytes() const override { return sizeof(*this) + few_.Values().size() * sizeof(GkEntry); }

 private:
  CosineOptions options_;
  std::array<double, kMaxMoment + 1> sums_{};  ///< [k]: sum of weight * cos(k t)
  FewValues few_;
};

}  // namespace kauri
