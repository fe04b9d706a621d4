#include "data/sketch/moment_sketch.h"

#include <algorithm>

#include "data/sketch/moment_density.h"

namespace kauri {

void MomentSketch::Add(Span<float const> values, Span<float const> weights) {
  constexpr std::size_t kBlock = std::size_t{1} << 12U;
  for (std::size_t begin = 0; begin < values.size() && are_few_; begin += kBlock) {
    auto const n = std::min(kBlock, values.size() - begin);
    MergeFew(ExactSummary(values.subspan(begin, n), weights.empty() ? weights : weights.subspan(begin, n)));
  }
  sums_.Add(values, weights);
}

void MomentSketch::Merge(ColumnSketch const& other) {
  auto const& moments = static_cast<MomentSketch const&>(other);
  are_few_ = are_few_ && moments.are_few_;
  MergeFew(moments.few_);
  sums_.Merge(moments.sums_);
}

void MomentSketch::MergeFew(GkSummary const& values) {
  if (are_few_) few_ = MergeSummaries(few_, values);
  are_few_ = are_few_ && few_.size() <= options_.max_distinct;
  if (!are_few_) few_ = {};
}

ColumnRanks MomentSketch::Ranks() const {
  if (are_few_) return RanksOf(few_);
  auto const moments = sums_.MappedMoments();
  auto const cdf = options_.density == MomentDensity::kLegendre ? LegendreCdf(moments) : MaxEntropyCdf(moments);
  std::vector<double> shares;
  auto const n = static_cast<double>(options_.n_ranks);
  for (std::size_t i = 1; i < options_.n_ranks; ++i) shares.push_back(static_cast<double>(i) / n);
  auto const places = InvertCdf(cdf, shares);
  ColumnRanks ranks{{sums_.min}, {0.0}};
  auto const middle = 0.5 * (static_cast<double>(sums_.min) + sums_.max);
  auto const half = 0.5 * (static_cast<double>(sums_.max) - sums_.min);
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto const value = static_cast<float>(middle + half * places[i]);
    if (value <= ranks.values.back()) continue;
    ranks.values.push_back(value);
    ranks.below.push_back(shares[i] * sums_.weight);
  }
  ranks.below.push_back(sums_.weight);
  return ranks;
}

}  // namespace kauri
