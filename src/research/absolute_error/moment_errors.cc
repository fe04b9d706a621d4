#include "research/absolute_error/moment_errors.h"

#include <algorithm>
#include <vector>

#include "research/sketch/moment_density.h"

namespace kauri {
namespace {

/// Mean distances to the constant, in cells: of values below it and of values above it; values on the other side count
/// as 0.
struct Areas {
  double below = 0.0;
  double above = 0.0;
};

/// Adds a piece of a cell in which the distribution rises from `first` to `last`.
void AddPiece(double first, double last, double width, bool is_below, Areas* areas) {
  auto const middle = 0.5 * (first + last);
  (is_below ? areas->below : areas->above) += width * (is_below ? middle : 1.0 - middle);
}

Areas AreasAround(std::vector<double> const& cdf, double quantile) {
  Areas areas;
  auto is_below = true;
  for (std::size_t cell = 0; cell + 1 < cdf.size(); ++cell) {
    auto const first = cdf[cell];
    auto const last = cdf[cell + 1];
    if (!is_below || last < quantile) {
      AddPiece(first, last, 1.0, is_below, &areas);
      continue;
    }
    auto const part = last > first ? std::clamp((quantile - first) / (last - first), 0.0, 1.0) : 0.0;
    AddPiece(first, first + part * (last - first), part, true, &areas);
    AddPiece(first + part * (last - first), last, 1.0 - part, false, &areas);
    is_below = false;
  }
  return areas;
}

}  // namespace

double EstimateErrors(PowerSums const& sums, LineErrors const& errors) {
  constexpr std::size_t kCells = 64;
  if (!(sums.weight > 0.0) || !(sums.max > sums.min)) return 0.0;
  auto const areas =
      AreasAround(LegendreCdf(sums.MappedMoments(), kCells), errors.above / (errors.above + errors.below));
  auto const width = (static_cast<double>(sums.max) - static_cast<double>(sums.min)) / static_cast<double>(kCells);
  return sums.weight * width * (errors.above * areas.above + errors.below * areas.below);
}

}  // namespace kauri
