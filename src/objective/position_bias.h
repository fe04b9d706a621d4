/// \file Position bias: rows that were shown first are clicked more, whatever their relevance. Unbiased LambdaMART (Hu,
/// Wang, Peng & Li 2019, "Unbiased LambdaMART", The Web Conference, section 4) learns the bias along with the trees.
///
/// Vocabulary: position = index of a row in its group, which is the order in which the rows were shown. Of a pair, the
/// clicked row has the bias t+ of its position, the other t- of its own; the pair's gradient is divided by both. After
/// a round the biases are, up to a power, what the pairs of the position cost relative to those of the first position.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/objective.h"

namespace kauri {

/// Sums over pairs, by position: of the more relevant row (l+ of the paper) and of the other (l-).
struct PositionCosts {
  std::vector<double> relevant;
  std::vector<double> other;

  PositionCosts& operator+=(PositionCosts const& costs);
};

class PositionBias {
 public:
  /// As in `state`, 1 where it says nothing. Positions from `n_positions` on have no bias.
  PositionBias(ObjectiveState const& state, std::int64_t n_positions);

  PositionCosts NoCosts() const { return {std::vector<double>(relevant_.size()), std::vector<double>(other_.size())}; }
  /// By what a pair's gradient is multiplied.
  double Factor(std::int64_t relevant, std::int64_t other) const;
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
  bool IsTracked(std::int64_t relevant, std::int64_t other) const;

  std::vector<double> relevant_;  ///< [n_positions] t+
  std::vector<double> other_;     ///< [n_positions] t-
};

}  // namespace kauri
