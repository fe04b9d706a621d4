/// \file The gradient of one pair of rows of a query group (LambdaMART; Burges 2010, "From RankNet to LambdaRank to
/// LambdaMART: an overview"), with the normalisations of XGBoost. Host and device.
///
/// Vocabulary: place = rank in the order of the scores, from 0; upper and lower = the rows of a pair with the smaller
/// and the larger place; relevance = gain of the label; change = change of the target metric if the two swapped places.
///
/// A row's gradient is a sum over many pairs. Each term is rounded to a grid so coarse that sums of all terms are exact
/// in float64. Any order of addition, vector width, thread count or device then gives the same bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/loss/rank_discount.h"
#include "common/math.h"
#include "kauri/host_device.h"
#include "objective/ranking/rank_rule.h"

namespace kauri {

struct PlacedRow {
  double score;
  double relevance;
  double value;  ///< ndcg: the place's discount; map: see MapPlaceValue; pairwise: unused
};

/// Rounding to multiples of a power of two.
class ExactGrid {
 public:
  ExactGrid() = default;
  /// Sums of multiples stay exact as long as the absolute values add up to at most `largest_sum`, above 0.
  KAURI_HD explicit ExactGrid(double largest_sum)
      : shift_(3.0 * detail::BitsToDouble(((detail::DoubleToBits(largest_sum) >> 52U) + 1U) << 52U)) {}
  /// Rounds to the nearest multiple. For a power of two P, 3 P plus a number within P has a step of P / 2^51.
  KAURI_HD double Round(double x) const { return (x + shift_) - shift_; }

 private:
  double shift_ = 0.0;
};

/// Returns the grid for sums of n weights of groups with the given largest weight. Weights are rounded before addition.
KAURI_HD ExactGrid WeightGrid(std::int64_t n, float largest) {
  return ExactGrid(static_cast<double>(n) * static_cast<double>(largest));
}

/// Values that the pairs of a group share.
struct PairRule {
  double change_scale = 1.0;  ///< ndcg: 1 / ideal gain; map: 1 / relevant rows
  /// A change is divided by factor * distance of the scores + offset. Numbers instead of a flag, for vector code.
  double distance_factor = 0.0;
  double distance_offset = 1.0;
  ExactGrid grid;
};

/// The lambda of pairwise ranking: every pair counts the same.
struct PairwiseChange {
  KAURI_HD double operator()(PlacedRow const& upper, PlacedRow const& lower, double) const {
    return upper.relevance != lower.relevance ? 1.0 : 0.0;
  }
};

struct NdcgChange {
  KAURI_HD double operator()(PlacedRow const& upper, PlacedRow const& lower, double) const {
    return std::fabs((upper.relevance - lower.relevance) * (upper.value - lower.value));
  }
};

/// Average precision times the number of relevant rows is the sum of the precision over the relevant places. With value
/// = precision at the place - sum of 1 / (k + 1) over the relevant places k before it, the gains and losses of the two
/// places and of the places between them are a difference of values.
struct MapChange {
  /// upper_reciprocal: 1 / (place + 1) of the upper row.
  KAURI_HD double operator()(PlacedRow const& upper, PlacedRow const& lower, double upper_reciprocal) const {
    double const step = upper.relevance - lower.relevance;
    double const change = std::fabs((upper.value - lower.value) - step * upper_reciprocal);
    return step != 0.0 ? change : 0.0;
  }
};

/// Returns the value of a place.
/// \param n_found relevant rows up to and including this place.
/// \param reciprocals sum of 1 / (k + 1) over the relevant places k before it.
KAURI_HD double MapPlaceValue(std::int64_t n_found, std::int64_t place, double reciprocals) {
  return static_cast<double>(n_found) / static_cast<double>(place + 1) - reciprocals;
}

/// Returns the grid for the sums of 1 / (place + 1) in MapPlaceValue, which are below 64 for any group that fits into
/// memory.
KAURI_HD ExactGrid ReciprocalGrid() { return ExactGrid(63.0); }

/// Returns 1 if the upper row is the more relevant one, else -1.
KAURI_HD double PairSign(double upper_relevance, double lower_relevance) {
  return upper_relevance > lower_relevance ? 1.0 : -1.0;
}

/// Returns the weight of a pair. change: the unscaled result of the functions above.
KAURI_HD double PairWeight(PlacedRow const& upper, PlacedRow const& lower, double change, PairRule const& rule) {
  double const distance = upper.score - lower.score;
  return change * rule.change_scale / (distance * rule.distance_factor + rule.distance_offset);
}

/// Returns the score of the more relevant row minus the score of the other row.
KAURI_HD double PairMargin(PlacedRow const& upper, PlacedRow const& lower) {
  return PairSign(upper.relevance, lower.relevance) * (upper.score - lower.score);
}

/// Derivatives of the pair's loss by the scores.
struct PairGradient {
  double push;     ///< first, absolute: negative for the more relevant row, positive for the other
  double hessian;  ///< second, for both
};

/// weight: PairWeight, or a multiple of it.
KAURI_HD PairGradient GradientOfPair(PlacedRow const& upper, PlacedRow const& lower, double weight,
                                     PairRule const& rule) {
  double const miss = 1.0 / (1.0 + Exp(PairMargin(upper, lower)));
  double const slope = miss * (1.0 - miss);
  return {rule.grid.Round(miss * weight), rule.grid.Round((slope > 1e-16 ? slope : 1e-16) * weight * 2.0)};
}

/// Returns the cost that a pair adds to its positions (position_bias.h). The sign of the margin is XGBoost's and not
/// the paper's: a pair costs more, the more certain its order is right.
KAURI_HD double PairCost(PlacedRow const& upper, PlacedRow const& lower, double weight) {
  return Log(1.0 + Exp(PairMargin(upper, lower))) * weight;
}

/// Returns the rule for a group of n rows. change_scale: as in PairRule, above 0. largest_relevance: in the group.
/// largest_factor: the maximum factor on weights.
KAURI_HD PairRule MakePairRule(LambdaRule const& rule, std::int64_t n, double largest_relevance, double change_scale,
                               bool by_distance, double largest_factor = 1.0) {
  double change = 1.0;
  if (rule.target == RankTarget::kNdcg) change = largest_relevance * change_scale;
  if (rule.target == RankTarget::kMap) {
    double const bound = (3.0 + Log(static_cast<double>(n))) * change_scale;  // two precisions and the reciprocals
    change = bound < 1.0 ? bound : 1.0;
  }
  double const n_terms =
      static_cast<double>(n) * (rule.method == PairMethod::kTopK ? 1.0 : static_cast<double>(rule.n_pairs));
  PairRule made;
  made.change_scale = change_scale;
  if (by_distance) {
    made.distance_factor = 1.0;
    made.distance_offset = 0.01;
  }
  made.grid = ExactGrid(n_terms * change * largest_factor * (by_distance ? 100.0 : 1.0));
  return made;
}

/// Returns the factor of a group's gradients, apart from its weight. strength: sum of the absolute gradients of its
/// pairs.
KAURI_HD double GroupScale(LambdaRule const& rule, double strength) {
  if (!rule.normalize) return 1.0;
  if (rule.method == PairMethod::kMean) return 1.0 / static_cast<double>(rule.n_pairs);
  double const both_rows = 2.0 * strength;
  return both_rows > 0.0 ? Log(1.0 + both_rows) / (0.69314718055994531 * both_rows) : 1.0;
}

}  // namespace kauri
