#include "data/sketch/column_sketch.h"

#include <limits>

namespace kauri {

std::vector<float> QuantilesOf(ColumnRanks const& ranks, Span<double const> shares) {
  std::vector<float> quantiles;
  std::size_t at = 0;
  for (auto const share : shares) {
    auto const target = share * ranks.below.back();
    while (at + 1 < ranks.values.size() && ranks.below[at + 1] < target) ++at;
    quantiles.push_back(ranks.values.empty() ? std::numeric_limits<float>::quiet_NaN() : ranks.values[at]);
  }
  return quantiles;
}

}  // namespace kauri
