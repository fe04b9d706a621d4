/// \file When to stop: the watched metric has not improved for a number of rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/learner.h"

namespace kauri::cli {

class EarlyStopping {
 public:
  /// Watches the last metric of the set `set_name`; patience 0 never stops.
  EarlyStopping(std::string set_name, std::int64_t patience) : set_name_(std::move(set_name)), patience_(patience) {}

  /// Takes one round's results; true when training is to stop. NaN is no improvement.
  /// \throws Error(kParameter) when nothing is evaluated on the watched set.
  bool Update(std::int64_t iteration, std::vector<EvaluationResult> const& results);

  bool HasBest() const { return best_iteration_ >= 0; }
  std::int64_t BestIteration() const { return best_iteration_; }
  double BestScore() const { return best_score_; }

 private:
  std::string set_name_;
  std::int64_t patience_;
  std::int64_t rounds_without_ = 0;
  std::int64_t best_iteration_ = -1;
  double best_score_ = 0.0;
};

}  // namespace kauri::cli
