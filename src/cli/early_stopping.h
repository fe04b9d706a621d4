/// \file Stops training when the watched metric has not improved for a number of rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/learner.h"

namespace kauri::cli {

class EarlyStopping {
 public:
  struct State {
    std::int64_t iteration = -1;  ///< the best iteration; -1: none yet
    double score = 0.0;           ///< its score
    std::int64_t rounds_without = 0;
  };

  /// Watches the last metric of the set `set_name`; patience 0 never stops. `state`: the state of an interrupted
  /// training.
  EarlyStopping(std::string set_name, std::int64_t patience, State const& state)
      : set_name_(std::move(set_name)), patience_(patience), state_(state) {}

  /// Adds one round's results; NaN is no improvement. \throws Error(kParameter) when nothing is evaluated on the
  /// watched set.
  void Update(std::int64_t iteration, std::vector<EvaluationResult> const& results);

  /// Returns whether the patience is exhausted.
  bool IsOver() const { return patience_ > 0 && state_.rounds_without >= patience_; }
  bool HasBest() const { return state_.iteration >= 0; }
  State const& Best() const { return state_; }
  /// Returns the watched metric; empty before the first round.
  std::string const& Metric() const { return metric_; }

 private:
  std::string set_name_;
  std::int64_t patience_;
  State state_;
  std::string metric_;
};

}  // namespace kauri::cli
