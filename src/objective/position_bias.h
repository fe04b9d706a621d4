/// \file Position bias: rows that were shown first are clicked more, whatever their relevance. Unbiased LambdaMART (Hu,
/// Wang, Peng & Li 2019, "Unbiased LambdaMART", The Web Conference, section 4) learns the bias along with the trees.
///
/// Vocabulary: position = index of a row in its group, which is the order in which the rows were shown. Of a pair, the
/// clicked row has the bias t+ of its position, the other t- of its own; the pair's gradient is divided by both. After
/// a round the biases are, up to a power, what the pairs of the position cost relative to those of the first position.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/objective.h"
#include "objective/rank_rule.h"

namespace kauri {

/// Sums over pairs, by position: of the more relevant row (l+ of the paper) and of the other (l-).
struct PositionCosts {
  std::vector<double> relevant;
  std::vector<double> other;

  PositionCosts& operator+=(PositionCosts const& costs);
};

/// What a pair adds to the sums of its positions.
struct PairCosts {
  double relevant;
  double other;
};

/// The biases of positions [0, n_positions), on either side of the bus; not owning. Other positions have none.
struct BiasView {
  double const* relevant;  ///< t+
  double const* other;     ///< t-
  std::int64_t n_positions;

  KAURI_HD bool IsTracked(std::int64_t of_relevant, std::int64_t of_other) const {
    return of_relevant < n_positions && of_other < n_positions;
  }
  /// By what a pair's gradient is multiplied.
  KAURI_HD double Factor(std::int64_t of_relevant, std::int64_t of_other) const {
    if (!IsTracked(of_relevant, of_other)) return 1.0;
    double const plus = relevant[of_relevant];
    double const minus = other[of_other];
    return plus >= kSmallest && minus >= kSmallest ? 1.0 / (plus * minus) : 1.0;
  }
  /// cost: PairCost (rank_pair.h). Only where both positions are tracked.
  KAURI_HD PairCosts Costs(std::int64_t of_relevant, std::int64_t of_other, double cost) const {
    double const plus = relevant[of_relevant];
    double const minus = other[of_other];
    return {minus >= kSmallest ? cost / minus : 0.0, plus >= kSmallest ? cost / plus : 0.0};
  }

  static constexpr double kSmallest = 1e-16;  ///< below it a bias or a cost is no ground for a division
};

class PositionBias {
 public:
  /// As in `state`, 1 where it says nothing. Positions from `n_positions` on have no bias.
  PositionBias(ObjectiveState const& state, std::int64_t n_positions);

  PositionCosts NoCosts() const { return {std::vector<double>(relevant_.size()), std::vector<double>(other_.size())}; }
  BiasView View() const { return {relevant_.data(), other_.data(), static_cast<std::int64_t>(relevant_.size())}; }
  double Factor(std::int64_t relevant, std::int64_t other) const { return View().Factor(relevant, other); }
  /// The largest Factor.
  double LargestFactor() const;
  void AddCost(std::int64_t relevant, std::int64_t other, double cost, PositionCosts* costs) const;
  /// The biases after a round. norm: 0 and above, the larger the closer all are to 1.
  void Learn(PositionCosts const& costs, double norm);
  void Store(ObjectiveState* state) const;

  /// Members of a state, as XGBoost names them in model files.
  static constexpr char const* kRelevantKey = "ti+";
  static constexpr char const* kOtherKey = "tj-";

 private:
  std::vector<double> relevant_;  ///< [n_positions] t+
  std::vector<double> other_;     ///< [n_positions] t-
};

/// What a ranking that learns a position bias is asked to do.
struct UnbiasedRule {
  LambdaRule rule;
  double norm;  ///< as Learn takes it
  ObjectiveState* state;
};

}  // namespace kauri
