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

/// Sums over all rows; units: UnitsPerWeight.
CurvePoint TotalWeight(Context const& ctx, std::vector<RankedRow> const& rows, double units);

/// Area of the positives against the negatives; NaN when one of them has no weight. `rows`: sorted. Curve: Roc or
/// PrecisionRecall.
template <typename Curve>
double AreaUnder(Context const& ctx, std::vector<RankedRow> const& rows, double units);

/// Whether one of the predictions was NaN. `rows`: sorted.
inline bool HasNaN(std::vector<RankedRow> const& rows) {
  return !rows.empty() && (IsNaNKey(rows.front().key) || IsNaNKey(rows.back().key));
}

/// AreaUnder, or NaN where a prediction is NaN.
template <typename Curve>
double Area(Context const& ctx, std::vector<RankedRow> const& rows, double units) {
  return HasNaN(rows) ? std::numeric_limits<double>::quiet_NaN() : AreaUnder<Curve>(ctx, rows, units);
}

/// UnitsPerWeight of the rows' weights.
double UnitsOfWeights(MetaInfo const& info);

/// Twice the wins of rows over rows with smaller labels, ties counting one. Rows with equal labels meet as well, the
/// one that comes first in the data being taken for the better. O(n log n).
std::int64_t TwiceWins(Context const& ctx, float const* predictions, float const* labels, std::int64_t n);

/// A line of the log where `area` is NaN.
void WarnIfUndefined(std::string const& metric, double area);

}  // namespace kauri
