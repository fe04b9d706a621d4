#include "research/sketch/cosine_sketch.h"

#include <algorithm>
#include <cmath>

#include "research/sketch/moment_density.h"

namespace kauri {

void CosineSketch::Add(Span<float const> values, Span<float const> weights) {
  constexpr double kPi = 3.14159265358979323846;
  few_.Add(values, weights);
  auto const low = static_cast<double>(options_.low);
  auto const range = static_cast<double>(options_.high) - low;
  if (!(range > 0.0)) return;
  auto const order = static_cast<std::size_t>(options_.order);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const weight = weights.empty() ? 1.0 : static_cast<double>(weights[i]);
    if (std::isnan(values[i]) || !(weight > 0.0)) continue;
    auto const cosine = std::cos(kPi * std::clamp((values[i] - low) / range, 0.0, 1.0));
    auto before = 1.0;
    auto now = cosine;
    sums_[0] += weight;
    for (std::size_t k = 1; k <= order; ++k) {  // cos((k + 1) t) = 2 cos(t) cos(k t) - cos((k - 1) t)
      sums_[k] += weight * now;
      auto const next = 2.0 * cosine * now - before;
      before = now;
      now = next;
    }
  }
}

void CosineSketch::Merge(ColumnSketch const& other) {
  auto const& cosines = static_cast<CosineSketch const&>(other);
  few_.Merge(cosines.few_);
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += cosines.sums_[k];
}

ColumnRanks CosineSketch::Ranks() const {
  if (few_.AreAll()) return RanksOf(few_.Values());
  std::vector<double> means;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(options_.order); ++k) means.push_back(sums_[k] / sums_[0]);
  return RanksOfCdf(CosineCdf(means), {options_.low, options_.high, sums_[0]}, options_.ranks.n_ranks);
}

}  // namespace kauri
