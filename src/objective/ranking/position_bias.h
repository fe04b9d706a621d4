/// \file Position bias: rows that were shown first are clicked more, whatever their relevance. Unbiased LambdaMART (Hu,
/// Wang, Peng & Li 2019, "Unbiased LambdaMART", The Web Conference, section 4) learns the bias along with the trees.
///
/// Vocabulary: a position is the index of a row in its group, which is the order in which the rows were shown. In a
/// pair, the clicked row has the bias t+ of its position, and the other row the bias t- of its own; the pair's gradient
/// is divided by both. After a round the biases are, up to a power, the costs of the position's pairs relative to the
/// costs of the first position's pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/objective.h"
#include "objective/ranking/rank_rule.h"

namespace kauri {

/// Sums over pairs, by position: for the more relevant row (l+ in the paper) and for the other row (l-).
struct PositionCosts {
  std::vector<double> relevant;
  std::vector<double> other;

  PositionCosts& operator+=(PositionCosts const& costs);
};

/// The terms that a pair adds to the sums of its positions.
struct PairCosts {
  double relevant;
  double other;
};

/// The biases of positions [0, n_positions), in host or device memory; not owning. Other positions have no bias.
struct BiasView {
  double const* relevant;  ///< t+
  double const* other;     ///< t-
  std::int64_t n_positions;

  KAURI_HD bool IsTracked(std::int64_t of_relevant, std::int64_t of_other) const {
    return of_relevant < n_positions && of_other < n_positions;
  }
  /// Returns the factor for a pair's gradient.
  KAURI_HD double Factor(std::int64_t of_relevant, std::int64_t of_other) const {
    if (!IsTracked(of_relevant, of_other)) return 1.0;
    double const plus = relevant[of_relevant];
    double const minus = other[of_other];
    return plus >= kSmallest && minus >= kSmallest ? 1.0 / (plus * minus) : 1.0;
  }
  /// Returns the costs of a pair, both of whose positions must be tracked. cost: PairCost (rank_pair.h).
  KAURI_HD PairCosts Costs(std::int64_t of_relevant, std::int64_t of_other, double cost) const {
    double const plus = relevant[of_relevant];
    double const minus = other[of_other];
    return {minus >= kSmallest ? cost / minus : 0.0, plus >= kSmallest ? cost / plus : 0.0};
  }

  static constexpr double kSmallest = 1e-16;  ///< smaller biases or costs are not used as divisors
};

class PositionBias {
 public:
  /// Reads the biases from `state`; they are 1 if it has none. Positions from `n_positions` on have no bias.
  PositionBias(ObjectiveState const& state, std::int64_t n_positions);

  PositionCosts NoCosts() const { return {std::vector<double>(relevant_.size()), std::vector<double>(other_.size())}; }
  BiasView View() const { return {relevant_.data(), other_.data(), static_cast<std::int64_t>(relevant_.size())}; }
  double Factor(std::int64_t relevant, std::int64_t other) const { return View().Factor(relevant, other); }
  /// Returns the largest Factor.
  double LargestFactor() const;
  void AddCost(std::int64_t relevant, std::int64_t other, double cost, PositionCosts* costs) const;
  /// Updates the biases after a round. norm: at least 0; larger values keep all biases closer to 1.
  void Learn(PositionCosts const& costs, double norm);
  void Store(ObjectiveState* state) const;

  /// Members of a state, with XGBoost's names in model files.
  static constexpr char const* kRelevantKey = "ti+";
  static constexpr char const* kOtherKey = "tj-";

 private:
  std::vector<double> relevant_;  ///< [n_positions] t+
  std::vector<double> other_;     ///< [n_positions] t-
};

/// The rule of a ranking objective that learns a position bias.
struct UnbiasedRule {
  LambdaRule rule;
  double norm;  ///< see PositionBias::Learn
  ObjectiveState* state;
};

}  // namespace kauri
