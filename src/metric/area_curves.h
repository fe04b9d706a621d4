/// \file Steps of the ROC and the precision-recall curve; host and device. auc.cc defines the curves.
///
/// Weights are added up as integers, so tp and fp of a row do not depend on the order of addition. The areas of steps
/// are float64, added in lanes (common/sums.h): the step that ends with the row of place i is value i.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/math.h"
#include "common/sums.h"
#include "kauri/host_device.h"

namespace kauri {

/// Positive and negative weight of the rows predicted above a threshold, in units.
struct CurvePoint {
  std::int64_t tp = 0;
  std::int64_t fp = 0;

  KAURI_HD CurvePoint& operator+=(CurvePoint other) {
    tp += other.tp;
    fp += other.fp;
    return *this;
  }
};

/// Returns the number of units of a weight of 1, for n rows with weights of at most `largest`: a power of two for which
/// the total weight stays below 2^62 units. For a million rows, float32 weights down to 2^-17 of the largest are
/// integers.
inline double UnitsPerWeight(float largest, std::int64_t n) {
  if (n == 0 || largest == 0.0F) return 1.0;
  return std::ldexp(1.0, 59 - std::ilogb(static_cast<double>(n)) - std::ilogb(static_cast<double>(largest)));
}

/// Returns the nearest number of units, halves up (vector code, unlike rounding by libm). A positive weight gives at
/// least one unit.
KAURI_HD std::int64_t WeightInUnits(float weight, double units) {
  double const halves_up = static_cast<double>(weight) * units + 0.5;
  auto const rounded = static_cast<std::int64_t>(halves_up);
  std::int64_t const least = weight > 0.0F ? 1 : 0;
  return rounded < least ? least : rounded;
}

struct Roc {
  static constexpr char const* kName = "auc";
  static constexpr bool kByPrevalence = true;  ///< several classes: mean weighted by their positives
  static constexpr bool kTakesDegrees = true;  ///< query groups: labels of any size

  KAURI_HD static double StepArea(CurvePoint from, CurvePoint to) {
    return static_cast<double>(to.fp - from.fp) * static_cast<double>(from.tp + to.tp) * 0.5;
  }
  KAURI_HD static double Scale(double area, CurvePoint total) {
    return area / (static_cast<double>(total.tp) * static_cast<double>(total.fp));
  }
};

struct PrecisionRecall {
  static constexpr char const* kName = "aucpr";
  static constexpr bool kByPrevalence = false;
  static constexpr bool kTakesDegrees = false;

  KAURI_HD static double StepArea(CurvePoint from, CurvePoint to) {
    if (to.tp == from.tp) return 0.0;
    auto const gained = static_cast<double>(to.tp - from.tp);
    auto const slope = static_cast<double>(to.fp - from.fp) / gained;
    auto const intercept = static_cast<double>(from.fp) - slope * static_cast<double>(from.tp);  // fp = slope tp + it
    auto const steepness = 1.0 + slope;
    if (intercept == 0.0) return gained / steepness;
    auto const growth = Log(static_cast<double>(to.tp + to.fp) / static_cast<double>(from.tp + from.fp));
    return (gained - intercept / steepness * growth) / steepness;
  }
  KAURI_HD static double Scale(double area, CurvePoint total) { return area / static_cast<double>(total.tp); }
};

/// Returns the area, or NaN if a class has no weight.
template <typename Curve>
KAURI_HD double FinishArea(double area, CurvePoint total) {
  if (total.tp > 0 && total.fp > 0) return Curve::Scale(area, total);
  return detail::BitsToDouble(0x7FF8000000000000ULL);
}

/// Returns the term of a class in the mean over classes.
template <typename Curve>
WeightedSum ClassShare(double area, CurvePoint total) {
  auto const share = Curve::kByPrevalence ? static_cast<double>(total.tp) : 1.0;
  return {area * share, share};
}

/// Returns the mean over the groups that have a score; NaN if none has.
inline double MeanOfDefined(WeightedSum const& scores) {
  return scores.weight > 0.0 ? scores.Mean() : detail::BitsToDouble(0x7FF8000000000000ULL);
}

constexpr std::int64_t kMinRocGroup = 3;  ///< rows; XGBoost excludes smaller query groups from auc

/// Returns the share of won pairs among n rows; ties count as half won.
KAURI_HD double RocOfPairs(std::int64_t twice_wins, std::int64_t n) {
  return static_cast<double>(twice_wins) / static_cast<double>(n * (n - 1));
}

}  // namespace kauri
