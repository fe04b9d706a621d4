#include "cli/early_stopping.h"

#include <algorithm>
#include <cmath>

#include "kauri/error.h"

namespace kauri::cli {

void EarlyStopping::Update(std::int64_t iteration, std::vector<EvaluationResult> const& results) {
  if (patience_ <= 0) return;
  auto const watched = std::find_if(results.rbegin(), results.rend(),
                                    [&](EvaluationResult const& result) { return result.data_name == set_name_; });
  if (watched == results.rend()) {
    Fail(ErrorKind::kParameter, "early_stopping_rounds=", patience_, " has no metric to watch on eval[", set_name_,
         "]; give eval_metric.");
  }
  metric_ = watched->metric;
  auto const score = watched->value;
  auto const improved =
      !std::isnan(score) && (!HasBest() || (watched->higher_is_better ? score > state_.score : score < state_.score));
  if (improved) {
    state_ = {iteration, score, 0};
  } else {
    ++state_.rounds_without;
  }
}

}  // namespace kauri::cli
