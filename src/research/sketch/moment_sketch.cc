#include "research/sketch/moment_sketch.h"

#include "research/sketch/moment_density.h"

namespace kauri {

void MomentSketch::Add(Span<float const> values, Span<float const> weights) {
  few_.Add(values, weights);
  sums_.Add(values, weights);
}

void MomentSketch::Merge(ColumnSketch const& other) {
  auto const& moments = static_cast<MomentSketch const&>(other);
  few_.Merge(moments.few_);
  sums_.Merge(moments.sums_);
}

ColumnRanks MomentSketch::Ranks() const {
  if (few_.AreAll()) return RanksOf(few_.Values());
  auto const sums = Sums();
  auto const moments = sums.MappedMoments();
  auto const cdf = options_.is_legendre ? LegendreCdf(moments) : MaxEntropyCdf(moments);
  return RanksOfCdf(cdf, {sums.min, sums.max, sums.weight}, options_.ranks.n_ranks);
}

}  // namespace kauri
