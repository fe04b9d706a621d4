/// \file Areas under curves on the host.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "metric/area_curves.h"
#include "metric/ranked_rows.h"

namespace kauri {

/// Returns the sums over all rows. units: see UnitsPerWeight.
CurvePoint TotalWeight(Context const& ctx, std::vector<RankedRow> const& rows, double units);

/// Returns the area of the positives against the negatives; NaN if either has no weight. `rows`: sorted. Curve: Roc or
/// PrecisionRecall.
template <typename Curve>
double AreaUnder(Context const& ctx, std::vector<RankedRow> const& rows, double units);

/// Returns whether any prediction was NaN. `rows`: sorted.
inline bool HasNaN(std::vector<RankedRow> const& rows) {
  return !rows.empty() && (IsNaNKey(rows.front().key) || IsNaNKey(rows.back().key));
}

/// Returns AreaUnder, or NaN if a prediction is NaN.
template <typename Curve>
double Area(Context const& ctx, std::vector<RankedRow> const& rows, double units) {
  return HasNaN(rows) ? std::numeric_limits<double>::quiet_NaN() : AreaUnder<Curve>(ctx, rows, units);
}

/// Returns UnitsPerWeight of the rows' weights.
double UnitsOfWeights(MetaInfo const& info);

/// Returns twice the wins of rows over rows with smaller labels; ties count one. Rows with equal labels are compared as
/// well, as if the one that comes first in the data were better. O(n log n).
std::int64_t TwiceWins(Context const& ctx, float const* predictions, float const* labels, std::int64_t n);

/// Logs a warning if `area` is NaN.
void WarnIfUndefined(std::string const& metric, double area);

}  // namespace kauri
