#include "cli/early_stopping.h"

#include <algorithm>
#include <cmath>

#include "kauri/error.h"

namespace kauri::cli {

bool EarlyStopping::Update(std::int64_t iteration, std::vector<EvaluationResult> const& results) {
  if (patience_ <= 0) return false;
  auto const watched = std::find_if(results.rbegin(), results.rend(),
                                    [&](EvaluationResult const& result) { return result.data_name == set_name_; });
  if (watched == results.rend()) {
    Fail(ErrorKind::kParameter, "early_stopping_rounds=", patience_, " has no metric to watch on eval[", set_name_,
         "]; give eval_metric.");
  }
  auto const score = watched->value;
  auto const improved =
      !std::isnan(score) && (!HasBest() || (watched->higher_is_better ? score > best_score_ : score < best_score_));
  if (improved) {
    best_iteration_ = iteration;
    best_score_ = score;
    rounds_without_ = 0;
    return false;
  }
  return ++rounds_without_ >= patience_;
}

}  // namespace kauri::cli
